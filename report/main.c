/* SPDX-License-Identifier: BSD-2-Clause */
/* main.c - uniprof-report: a trace, names for its addresses, one view. Only this file talks to the user about errors. */
#include "common/say.h"
#include "report/outfile.h"
#include "report/settings.h"
#include "report/trust.h"
#include "report/unwind/image.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef UNIPROF_VERSION
#define UNIPROF_VERSION "2.0"
#endif

enum exit_code { EXIT_DONE = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_NO_TRACE = 3, EXIT_DAMAGED = 4 };

/* --- the terminal -------------------------------------------------------------------------------------------------- */

static int terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 80;
}

static void on_interrupt(int signal_number)
{
	(void)signal_number;
}

/*
 * `uniprof-record -o - | uniprof-report -` is stopped by one Ctrl-C that both get: the recorder ends its trace, and the
 * report must live to show it. A second one ends the report.
 */
static void survive_interrupt(int fd)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		sigaction(SIGINT, &action, NULL);
}

/* --- opening ------------------------------------------------------------------------------------------------------- */

static const char *shown_path(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int open_input(const char *path, int *fd)
{
	struct stat st;

	*fd = STDIN_FILENO;
	if (strcmp(path, "-") != 0)
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	else if (isatty(STDIN_FILENO)) {
		say("standard input is a terminal: pipe a trace into it, as uniprof-record -o - does");
		return EXIT_USAGE;
	}
	if (*fd >= 0 && fstat(*fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(*fd);
		*fd = -1;
		errno = EISDIR;
	}
	if (*fd >= 0)
		return EXIT_DONE;
	say("%s: %s", shown_path(path), strerror(errno));
	return EXIT_ERROR;
}

static int say_fault(const char *path, enum upf_fault fault, const char *detail)
{
	const char *name = shown_path(path);

	switch (fault) {
	case UPF_FAULT_IO:
		say("%s: %s", name, strerror(errno));
		return EXIT_ERROR;
	case UPF_FAULT_MEMORY:
		say("%s: %s", name, strerror(ENOMEM));
		return EXIT_ERROR;
	case UPF_FAULT_MAJOR:
	case UPF_FAULT_FEATURE:
		say("%s: %s (%s): a later uniprof-report is needed", name, upf_fault_text(fault), detail);
		return EXIT_NO_TRACE;
	default:
		say("%s: %s", name, upf_fault_text(fault));
		return EXIT_NO_TRACE;
	}
}

static int load_symbols(struct report *r, const struct settings *s)
{
	char why[256];

	for (size_t i = 0; i < s->nsymbols; i++) {
		int rc = symbols_add_file(&r->symbols, s->symbols[i], NULL, why, sizeof(why));

		/* A kernel's vmlinux may be stripped and still be what its stacks are unwound by. */
		if (rc < 0 || (rc > 0 && !image_has_tables(s->symbols[i]))) {
			say("%s: %s", s->symbols[i], why);
			return EXIT_ERROR;
		}
	}
	if (symbols_sort(&r->symbols) != 0) {
		say("symbols: %s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	r->has_symbols = s->nsymbols > 0;
	return EXIT_DONE;
}

/* What makes stacks true: the same files' unwind tables and code. */
static int load_images(struct report *r, const struct settings *s)
{
	char why[256];

	if (s->no_repair)
		return EXIT_DONE;
	r->rows = rows_new(&r->symbols);
	if (!r->rows) {
		say("%s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	for (size_t i = 0; i < s->nsymbols; i++) {
		if (image_is_elf(s->symbols[i]) && rows_add_image(r->rows, s->symbols[i], why, sizeof(why)) != 0) {
			say("%s: %s", s->symbols[i], why);
			return EXIT_ERROR;
		}
	}
	return EXIT_DONE;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What the output must not replace: the trace or a symbol file. NULL: it replaces neither. */
static const char *replaced_input(const struct settings *s, int fd)
{
	struct stat out, in;

	if (!s->output || stat(s->output, &out) != 0)
		return NULL;
	if (fstat(fd, &in) == 0 && is_same_file(&out, &in))
		return "the trace";
	for (size_t i = 0; i < s->nsymbols; i++)
		if (stat(s->symbols[i], &in) == 0 && is_same_file(&out, &in))
			return "the symbol file";
	return NULL;
}

/* --- one view ------------------------------------------------------------------------------------------------------ */

static int close_output(struct outfile *out, const struct settings *s, int rc, bool failed)
{
	int closed = outfile_close(out, !failed);

	if (closed == 0 || closed == -EPIPE)
		return rc;
	say("%s: %s", s->output && strcmp(s->output, "-") != 0 ? s->output : "standard output", strerror(-closed));
	return EXIT_ERROR;
}

static int judge(const struct report *r, const struct settings *s)
{
	char faults[256];

	if (s->view == &view_header || (trust_sound(r) && !r->mismatch))
		return EXIT_DONE;
	trust_faults(r, faults, sizeof(faults));
	if (s->quiet && faults[0])
		say("%s: not whole: %s", shown_path(r->path), faults);
	return EXIT_DAMAGED;
}

static int run_view(struct report *r, const struct settings *s)
{
	struct outfile out;
	int rc = outfile_open(&out, s->output);

	if (rc != 0) {
		say("%s: %s", s->output, strerror(-rc));
		return EXIT_ERROR;
	}
	r->out = out.file;
	r->width = s->output ? 0 : terminal_width();
	rc = s->view->run(r);
	if (rc == 0)
		return close_output(&out, s, judge(r, s), false);
	if (out.error == 0)
		say("%s: %s", shown_path(r->path), strerror(-rc));
	return close_output(&out, s, out.error == 0 ? EXIT_ERROR : EXIT_DONE, true);
}

static int report_trace(struct report *r, const struct settings *s, int fd)
{
	enum upf_fault fault = UPF_OK;
	char detail[64] = "";
	int rc;

	r->reader = upf_reader_open(fd, &fault, detail);
	if (!r->reader)
		return say_fault(s->trace, fault, detail);
	r->session = upf_reader_session(r->reader);
	rc = load_symbols(r, s);
	if (rc == EXIT_DONE)
		rc = load_images(r, s);
	if (rc == EXIT_DONE && profile_init(&r->profile) != 0) {
		say("%s", strerror(ENOMEM));
		rc = EXIT_ERROR;
	}
	names_init(&r->names, &r->symbols);
	if (rc == EXIT_DONE)
		rc = run_view(r, s);
	names_free(&r->names);
	profile_free(&r->profile);
	rows_free(r->rows);
	symbols_free(&r->symbols);
	upf_reader_close(r->reader);
	return rc;
}

static int report(const struct settings *s)
{
	struct report r = {.path = s->trace, .states = s->states, .percent_limit = s->percent_limit, .quiet = s->quiet,
	                   .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
	int fd, rc = open_input(s->trace, &fd);
	const char *replaced;

	if (rc != EXIT_DONE)
		return rc;
	replaced = replaced_input(s, fd);
	if (replaced) {
		say("-o %s: that is %s itself", s->output, replaced);
		rc = EXIT_USAGE;
	} else {
		survive_interrupt(fd);
		rc = report_trace(&r, s, fd);
	}
	close(fd);
	return rc;
}

static int print_text(const struct settings *s)
{
	int width = terminal_width();

	if (s->help)
		settings_help(stdout, width && width < 100 ? width : 80);
	else
		puts("uniprof-report " UNIPROF_VERSION);
	if (fflush(stdout) == 0 || errno == EPIPE)
		return EXIT_DONE;
	say("standard output: %s", strerror(errno));
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	struct settings settings;
	char why[512];
	int rc;

	say_name("uniprof-report");
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	if (settings_parse(&settings, argc, argv, why, sizeof(why)) != 0) {
		say("%s", why);
		rc = EXIT_USAGE;
	} else if (settings.help || settings.version) {
		rc = print_text(&settings);
	} else {
		rc = report(&settings);
	}
	settings_free(&settings);
	return rc;
}
