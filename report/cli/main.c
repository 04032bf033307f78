/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - uniprof-report: opens the inputs, runs one view, turns the result into an exit status. Only this file and
 * inputs.c print error messages.
 */
#include "common/completion.h"
#include "common/say.h"
#include "report/elf/debuginfod.h"
#include "report/cli/confine.h"
#include "report/cli/inputs.h"
#include "report/output/outfile.h"
#include "report/cli/settings.h"
#include "report/cli/views.h"
#include "report/view/quality.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef UNIPROF_VERSION
#define UNIPROF_VERSION "2.0"
#endif

/* --- signals ----------------------------------------------------------------------------------------------------- */

/* Ends the program as the signal would have, but leaves no half-written file. */
static void on_end(int signal_number)
{
	outfile_abandon();
	pager_end();
	signal(signal_number, SIG_DFL);
	raise(signal_number); /* as soon as this returns */
}

static const struct sigaction at_end = {.sa_handler = on_end};

static void on_first_interrupt(int signal_number)
{
	sigaction(signal_number, &at_end, NULL);
}

static bool is_stream(const char *path)
{
	struct stat st;

	return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 && !S_ISREG(st.st_mode);
}

/*
 * `uniprof-record -o - | uniprof-report -` is stopped by one Ctrl-C that both get: the recorder ends its trace, and
 * the report must live to show it. A second one ends the report.
 */
static void handle_signals(const struct settings *s)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
	const struct sigaction first = {.sa_handler = on_first_interrupt, .sa_flags = SA_RESTART};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &at_end, NULL);
	for (size_t i = 0; i < s->ntraces; i++)
		if (is_stream(s->traces[i]))
			sigaction(SIGINT, &first, NULL);
}

/* --- one view ---------------------------------------------------------------------------------------------------- */

static int close_output(struct outfile *out, const struct settings *s, int rc)
{
	int closed = outfile_close(out, rc != EXIT_NOTHING && rc != EXIT_ERROR);

	if (closed == 0 || closed == -EPIPE)
		return rc;
	say("%s: %s", s->output && strcmp(s->output, "-") != 0 ? s->output : "standard output", strerror(-closed));
	return EXIT_ERROR;
}

/* Is a trace incomplete? If the view printed no notes (@quiet), says so for each incomplete trace. */
static bool is_damaged(const struct recording *r, bool quiet)
{
	char faults[256];

	for (size_t i = 0; quiet && i < r->traces.n; i++) {
		const struct trace *t = &r->traces.list[i];

		if (trace_sound(t))
			continue;
		quality_faults(upf_reader_health(t->reader), t->bad_blocks, faults, sizeof(faults));
		say("%s: incomplete: %s", inputs_shown(t->path), faults);
	}
	return !recording_sound(r);
}

static int judge_result(const struct report *r, const struct settings *s, const struct view_result *found)
{
	const char *name = inputs_shown(s->traces[0]), *others = s->ntraces > 1 ? " and others" : "";
	bool quiet = s->options.quiet || s->view->takes & VIEW_WHOLE;
	const struct profile *p = &r->run->profile;
	bool damaged;

	if (found->left)
		return EXIT_DONE;
	damaged = (s->view != &view_header && is_damaged(r->run, quiet)) || found->mismatch;
	if (r->old && is_damaged(r->old, s->options.quiet))
		damaged = true;
	if (damaged)
		return EXIT_DAMAGED;
	if (quality_filtered_all(r->run, r->old, &s->selection))
		say("%s%s: none of %s %s samples passes the filters", name, others, s->ntraces > 1 ? "their" : "its",
		    text_count(p->counters.samples + quality_left_out(p, s->selection.states)).s);
	else if (found->lacks)
		say("%s%s: %s", name, others, found->lacks);
	else if (found->nothing)
		say("%s%s: no function in %s matches --%s %s", name, others, s->ntraces > 1 ? "them" : "it",
		    s->view->name, s->argument);
	else
		return EXIT_DONE;
	return EXIT_NOTHING;
}

static bool is_file_view(const struct view *view)
{
	return view->gzip || view->takes & VIEW_FILE;
}

/* Checks what a view with VIEW_WHOLE needs: one file, and binaries. */
static int check_whole(const struct recording *r, const struct settings *s)
{
	const char *name = inputs_shown(s->traces[0]);

	if (s->ntraces > 1 || is_stream(s->traces[0]))
		say("--%s reads a trace twice: one file is needed", s->view->name);
	else if (r->binaries.has_archive)
		say("%s: this is an archive already", name);
	else if (!r->binaries.has_files)
		say("%s: no binary, so no names for the archive: give it by -s FILE", name);
	else
		return EXIT_DONE;
	return EXIT_USAGE;
}

static const char *failure_text(int error)
{
	if (error == EFBIG)
		return "its stacks would take far more memory or time than its size justifies, so it is "
		       "probably damaged or forged; --time A,B shows a part";
	return error == ESTALE ? "it was replaced by another file meanwhile" : strerror(error);
}

/* The trace that could not be read; the first one, if all of them together took too much memory. */
static const char *failed_trace(const struct report *r, const struct settings *s)
{
	return r->run->failed ? r->run->failed : r->old && r->old->failed ? r->old->failed : s->traces[0];
}

/* Says that the binary of one of the domains is not the build that ran. */
static void say_wrong_build(const struct recording *r)
{
	char name[128] = "the domain";
	struct build_count count;
	bool by_returns;

	for (uint32_t d = 0; d < r->traces.session.ndomains; d++) {
		if (binaries_ran(&r->binaries, d, r->wrong.program)) {
			domain_text(&r->traces.session, d, name, sizeof(name));
			break;
		}
	}
	by_returns = build_check_by_returns(&r->wrong);
	count = by_returns ? r->wrong.returns : r->wrong.leaves;
	say("the binary is probably another build than %.64s ran, or lies at another address: of %s %s in its code, "
	    "%s %s; find that build, or use this one by --force",
	    name, text_count(count.checked).s, by_returns ? "return addresses" : "instruction pointers",
	    text_count(count.right).s, by_returns ? "follow a call" : "are at an instruction");
}

/* Colour, width and pager belong to the terminal that standard output may be, before anything is written there. */
static int open_output(struct outfile *out, const struct settings *s, struct text_out *text)
{
	bool to_file = s->output && strcmp(s->output, "-") != 0;
	const char *pager = NULL;
	int rc;

	text->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	text->width = to_file ? 0 : terminal_columns(STDOUT_FILENO);
	text->color = terminal_color(s->color, to_file);
	if (s->view->takes & VIEW_SCREEN && (to_file || !isatty(STDOUT_FILENO))) {
		say("--%s shows a screen: standard output must be a terminal", s->view->name);
		return EXIT_USAGE;
	}
	if (!to_file && !s->no_pager && !is_file_view(s->view) && !(s->view->takes & VIEW_SCREEN))
		pager = pager_start();
	if (pager)
		say("PAGER: %s: not found; shown without a pager", pager);
	if (s->odd_ending)
		say("-o %s: no view has this ending: writing the text of --%s", s->output, s->view->name);
	text->keys = s->view->takes & VIEW_SCREEN ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
	if (s->view->takes & VIEW_SCREEN && text->keys < 0) {
		say("/dev/tty: %s: --%s reads keys from its terminal", strerror(errno), s->view->name);
		return EXIT_ERROR;
	}
	rc = !to_file && is_file_view(s->view) && isatty(STDOUT_FILENO) ? -ENOTTY
	                                                                : outfile_open(out, s->output, s->view->gzip);
	if (rc == 0) {
		text->file = out->file;
		return EXIT_DONE;
	}
	if (rc != -ENOTTY) {
		say("%s: %s", s->output, strerror(-rc));
		return EXIT_ERROR;
	}
	say("--%s writes a file for other programs, which a terminal cannot show: give -o FILE%s%s", s->view->name,
	    s->view->endings[0] ? s->view->endings[0] : "", s->view->gzip ? ".gz" : "");
	return EXIT_USAGE;
}

static int run_view(struct report *r, const struct settings *s, const struct outfile *out)
{
	struct view_result found = {0};
	int rc = view_run(s->view, r, &found);

	if (rc == 0)
		return judge_result(r, s, &found);
	if (rc == -ENODATA && r->old) {
		say("%s%s: nothing to compare: %s no samples that count", inputs_shown(s->traces[0]),
		    s->ntraces > 1 ? " and others" : "", s->ntraces > 1 ? "they have" : "it has");
		return EXIT_NOTHING;
	}
	if (out->error != 0)
		return EXIT_DONE; /* close_output() says it */
	if (r->run->has_wrong)
		say_wrong_build(r->run);
	else if (r->old && r->old->has_wrong)
		say_wrong_build(r->old);
	else
		say("%s: %s", found.failed ? found.failed : inputs_shown(failed_trace(r, s)), failure_text(-rc));
	return EXIT_ERROR;
}

/* --- the report -------------------------------------------------------------------------------------------------- */

static struct inputs inputs_of(const struct settings *s, const char *const *traces, size_t ntraces,
                               const struct file_names *files)
{
	struct inputs inputs = {.traces = traces, .ntraces = ntraces, .binaries = s->binaries, .mangled = s->mangled};

	inputs.binaries.files = files->list;
	inputs.binaries.nfiles = files->n;
	return inputs;
}

/* Of the run to compare with: the same in all but the trace, and maybe the symbols. */
static struct inputs old_inputs_of(const struct settings *s)
{
	struct inputs inputs = inputs_of(s, s->old.list, s->old.n, s->old_files.n ? &s->old_files : &s->files);

	inputs.binaries.other_run = s->old_files.n == 0;
	return inputs;
}

/* What is opened refers to @inputs and @old. */
static int open_inputs(struct report *r, const struct settings *s, const struct inputs *inputs,
                       const struct inputs *old)
{
	int rc = inputs_open(r->run, inputs, &s->selection);

	if (rc == EXIT_DONE && r->old)
		rc = inputs_open(r->old, old, &s->selection);
	if (rc == EXIT_DONE &&
	    (inputs_replaced(r->run, inputs, s->output) || (r->old && inputs_replaced(r->old, old, s->output))))
		rc = EXIT_USAGE;
	if (rc == EXIT_DONE && s->view->takes & VIEW_WHOLE)
		rc = check_whole(r->run, s);
	if (rc == EXIT_DONE)
		recording_units(r->run, r->old);
	return rc;
}

/* The output is opened last, as there may be nothing to write; but before a program that is confined reads anything. */
static int show(struct report *r, const struct settings *s)
{
	const struct inputs inputs = inputs_of(s, (const char *const *)s->traces, s->ntraces, &s->files);
	const struct inputs old = old_inputs_of(s);
	const bool confined = s->view->takes & VIEW_CONFINED && (!s->output || strcmp(s->output, "-") == 0);
	struct outfile out;
	int rc = confined ? open_output(&out, s, &r->out) : open_inputs(r, s, &inputs, &old);

	if (rc != EXIT_DONE)
		return rc;
	if (confined) {
		confine(s->binaries.debug.debuginfod);
		rc = open_inputs(r, s, &inputs, &old);
		confine_opened();
	} else {
		rc = open_output(&out, s, &r->out);
		if (rc != EXIT_DONE)
			return rc;
	}
	return close_output(&out, s, rc == EXIT_DONE ? run_view(r, s, &out) : rc);
}

static int report(const struct settings *s)
{
	struct recording run = {0}, old = {0};
	struct progress progress;
	struct report r = {.options = &s->options,
	                   .selection = &s->selection,
	                   .run = &run,
	                   .old = s->old.n ? &old : NULL,
	                   .progress = &progress};
	int rc;

	handle_signals(s);
	progress_init(&progress);
	if (s->newest)
		say("%s: the newest trace here", s->newest);
	rc = show(&r, s);
	recording_close(&old);
	recording_close(&run);
	progress_free(&progress);
	pager_end();
	return rc;
}

static void print_hint(const char *line)
{
	say("%s", line);
}

/* Servers of debug files, where the command line or the environment names any. The library reads the environment. */
static int start_debuginfod(struct settings *s)
{
	const char *urls;

	if (s->debuginfod && setenv("DEBUGINFOD_URLS", s->debuginfod, 1) != 0)
		return -1;
	urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !*urls)
		return 0;
	s->binaries.debug.debuginfod = debuginfod_new(print_hint);
	return s->binaries.debug.debuginfod ? 0 : -1;
}

static int print_completion(const char *shell)
{
	const struct completion c = {.programs = "uniprof-report", .file_ending = ".upf", .table = settings_table()};

	if (completion_print(stdout, shell, &c) == 0)
		return EXIT_DONE;
	say("--completion %s: bash and zsh are known", shell);
	return EXIT_USAGE;
}

static int print_manual(const struct settings *s)
{
	static char all[1 << 15]; /* so that every error is one of the flush, which tells its reason */
	int width = terminal_columns(STDOUT_FILENO), rc;

	setvbuf(stdout, all, _IOFBF, sizeof(all));
	if (s->completion) {
		if (print_completion(s->completion) != EXIT_DONE)
			return EXIT_USAGE;
	} else if (s->help) {
		settings_help(stdout, width && width < 100 ? width : 80);
	} else {
		puts("uniprof-report " UNIPROF_VERSION);
	}
	rc = standard_output_flush();
	if (rc == 0 || rc == -EPIPE)
		return EXIT_DONE;
	say("standard output: %s", strerror(-rc));
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	struct settings settings;
	char why[512];
	int rc;

	say_name("uniprof-report");
	rc = standard_streams_open();
	if (rc != 0) {
		say("cannot open /dev/null: %s", strerror(-rc));
		return EXIT_ERROR;
	}
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (settings_parse(&settings, argc, argv, why, sizeof(why)) != 0) {
		say("%s", why);
		rc = EXIT_USAGE;
	} else if (settings.help || settings.version || settings.completion) {
		rc = print_manual(&settings);
	} else if (start_debuginfod(&settings) != 0) {
		say("%s", strerror(ENOMEM));
		rc = EXIT_ERROR;
	} else {
		rc = report(&settings);
	}
	debuginfod_free(settings.binaries.debug.debuginfod);
	settings_free(&settings);
	return rc;
}
