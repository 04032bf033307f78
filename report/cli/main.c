/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - uniprof-report: traces, names for their addresses, one view. Only this file and inputs.c talk to the user
 * about errors.
 */
#include "common/say.h"
#include "common/standard_streams.h"
#include "report/binary/debuginfod.h"
#include "report/cli/inputs.h"
#include "report/output/outfile.h"
#include "report/cli/settings.h"
#include "report/output/text.h"
#include "report/view/quality.h"

#include <errno.h>
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

static int close_output(struct outfile *out, const struct settings *s, int rc, bool failed)
{
	int closed = outfile_close(out, !failed);

	if (closed == 0 || closed == -EPIPE)
		return rc;
	say("%s: %s", s->output && strcmp(s->output, "-") != 0 ? s->output : "standard output", strerror(-closed));
	return EXIT_ERROR;
}

/* The first trace that is not whole, or else the first one. */
static const char *trace_at_fault(const struct traces *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct upf_health *h = upf_reader_health(t->list[i].reader);

		if (h->damaged || h->missing || h->skipped_bytes || h->cut || !h->has_footer)
			return t->list[i].path;
	}
	return t->list[0].path;
}

/* Is a trace not whole? Says so if the view was not to. */
static bool is_damaged(const struct report *r, bool quiet)
{
	const struct upf_health health = traces_health(&r->traces);
	char faults[256];

	if (quality_sound(&health, &r->profile.counters) && !r->mismatch)
		return false;
	quality_faults(&health, &r->profile.counters, faults, sizeof(faults));
	if (quiet && faults[0])
		say("%s: not whole: %s", inputs_shown(trace_at_fault(&r->traces)), faults);
	return true;
}

static int judge(const struct report *r, const struct settings *s)
{
	const char *name = inputs_shown(s->traces[0]);
	bool damaged = s->view != &view_header && is_damaged(r, s->quiet || s->view->takes & VIEW_WHOLE);

	if (r->old && is_damaged(r->old, s->quiet))
		damaged = true;
	if (damaged)
		return EXIT_DAMAGED;
	if (quality_filtered_all(r))
		say("%s: the filters leave none of its %s samples", name, text_count(quality_left_out(r)).s);
	else if (r->nothing)
		say("%s: no function in it matches --%s %s", name, s->view->name, s->argument);
	else
		return EXIT_DONE;
	return EXIT_NOTHING;
}

static bool is_binary(const struct view *view)
{
	return view->gzip || view->takes & VIEW_BINARY;
}

/* What a view cannot do without that shows all of one trace. */
static int check_whole(const struct report *r, const struct settings *s)
{
	const char *name = inputs_shown(s->traces[0]);

	if (s->ntraces > 1 || is_stream(s->traces[0]))
		say("--%s reads a trace twice: one file is needed", s->view->name);
	else if (!r->has_images && r->session->archived)
		say("%s: this is an archive already", name);
	else if (!r->has_images)
		say("%s: no binary to keep names of: give it by -s FILE", name);
	else
		return EXIT_DONE;
	return EXIT_USAGE;
}

static const char *failure_text(int error)
{
	if (error == EFBIG)
		return "its stacks would take memory or time out of all proportion to its size: no recording "
		       "is like that; --time A,B shows a part";
	return strerror(error);
}

static int run_view(struct report *r, const struct settings *s)
{
	bool to_file = s->output && strcmp(s->output, "-") != 0;
	struct outfile out;
	int rc;

	r->width = to_file ? 0 : terminal_width();
	r->color = terminal_color(s->color, to_file);
	if (!to_file && !s->no_pager && !is_binary(s->view))
		pager_start();
	rc = !to_file && s->view->takes & VIEW_BINARY && isatty(STDOUT_FILENO)
	             ? -ENOTTY
	             : outfile_open(&out, s->output, s->view->gzip);

	if (rc == -ENOTTY) {
		say("--%s makes no text for a terminal: name a file for it, as in -o FILE%s", s->view->name,
		    s->view->gzip ? ".gz" : "");
		return EXIT_USAGE;
	}
	if (rc != 0) {
		say("%s: %s", s->output, strerror(-rc));
		return EXIT_ERROR;
	}
	r->out = out.file;
	rc = s->view->run(r);
	if (rc == 0) {
		rc = judge(r, s);
		return close_output(&out, s, rc, rc == EXIT_NOTHING);
	}
	if (out.error == 0)
		say("%s: %s", r->failed ? r->failed : inputs_shown(s->traces[0]), failure_text(-rc));
	return close_output(&out, s, out.error == 0 ? EXIT_ERROR : EXIT_DONE, true);
}

/* The run to compare with: the same in all but the trace, and maybe the symbols. */
static int open_old(struct report *r, struct report *old, const struct settings *s)
{
	char *const trace = (char *)s->old;
	struct inputs inputs = {.traces = &trace, .ntraces = 1, .images = s->images, .mangled = s->mangled};

	if (s->old_symbols) {
		inputs.images.files = &s->old_symbols;
		inputs.images.nfiles = 1;
	}
	*old = (struct report){.selection = r->selection, .states = r->states, .progress = r->progress};
	r->old = old;
	return inputs_open(old, &inputs);
}

static int report(const struct settings *s)
{
	const struct inputs inputs = {
		.traces = s->traces, .ntraces = s->ntraces, .images = s->images, .mangled = s->mangled};
	struct report r = {.selection = &s->selection,
	                   .states = s->selection.states,
	                   .argument = s->argument,
	                   .pattern = s->pattern,
	                   .keys = s->keys,
	                   .children = s->children,
	                   .source_path = s->source_path,
	                   .percent_limit = s->percent_limit,
	                   .quiet = s->quiet,
	                   .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
	struct progress progress;
	struct report old;
	int rc;

	handle_signals(s);
	progress_init(&progress);
	r.progress = &progress;
	rc = inputs_open(&r, &inputs);
	if (rc == EXIT_DONE && s->old)
		rc = open_old(&r, &old, s);
	if (rc == EXIT_DONE && s->view->takes & VIEW_WHOLE)
		rc = check_whole(&r, s);
	if (rc == EXIT_DONE &&
	    (inputs_replaced(&r, &inputs, s->output) || (r.old && inputs_replaced(r.old, &inputs, s->output))))
		rc = EXIT_USAGE;
	if (rc == EXIT_DONE)
		rc = run_view(&r, s);
	if (r.old)
		inputs_close(r.old);
	inputs_close(&r);
	progress_free(&progress);
	pager_end();
	return rc;
}

static void tell(const char *line)
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
	s->images.debug.debuginfod = debuginfod_new(tell);
	return s->images.debug.debuginfod ? 0 : -1;
}

static int print_text(const struct settings *s)
{
	int width = terminal_width(), rc;

	if (s->help)
		settings_help(stdout, width && width < 100 ? width : 80);
	else
		puts("uniprof-report " UNIPROF_VERSION);
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
	if (settings_parse(&settings, argc, argv, why, sizeof(why)) != 0) {
		say("%s", why);
		rc = EXIT_USAGE;
	} else if (settings.help || settings.version) {
		rc = print_text(&settings);
	} else if (start_debuginfod(&settings) != 0) {
		say("%s", strerror(ENOMEM));
		rc = EXIT_ERROR;
	} else {
		rc = report(&settings);
	}
	debuginfod_free(settings.images.debug.debuginfod);
	settings_free(&settings);
	return rc;
}
