/* SPDX-License-Identifier: BSD-2-Clause */
/* uniprof-record: samples the stacks of Xen guests into a trace. See docs/uniprof-record.1. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/say.h"
#include "record/choose.h"
#include "record/describe.h"
#include "record/guard.h"
#include "record/latency.h"
#include "record/privileges.h"
#include "record/session.h"
#include "record/sink.h"
#include "record/status.h"

/* Documented in the man page. */
enum exit_code {
	EXIT_RECORDED = 0,
	EXIT_CUT_SHORT = 1, /* an error ended the recording; what was written is valid */
	EXIT_USAGE = 2,
	EXIT_HYPERVISOR = 3, /* no Xen here, no right to use it, or one this program does not know */
	EXIT_DOMAIN = 4,     /* no such domain, or it cannot be recorded */
	EXIT_OUTPUT = 5,     /* the trace cannot be written */
};

static const struct xenif_ops *const ops = &xenif_backend;

/* Everything that must be undone at the end. */
struct recording {
	struct options options;
	struct xenif *x;
	struct target **targets;
	size_t ntargets;
	struct description description;
	char *command;
	struct sink *sink;
	struct session session;
	bool status; /* a status line is drawn */
};

static void print_help(void)
{
	puts("Usage: uniprof-record [options] -o FILE DOMAIN...\n"
	     "       uniprof-record --list\n"
	     "Samples the stacks of Xen guests, by name or number, until Ctrl-C or the end of --duration.\n");
	options_print(record_options, stdout, 80);
	puts("\nExamples:\n"
	     "  uniprof-record -o run.upf -d 10s web1        ten seconds of web1 at 99 Hz\n"
	     "  uniprof-record -o - -F 1k 3 | uniprof-report -s web1.elf -\n\n"
	     "Exit status: 0 recorded; 1 cut short by an error; 2 usage; 3 hypervisor; 4 domain; 5 output.");
}

static void draw_status(void *ctx)
{
	const struct recording *r = ctx;

	if (r->status)
		status_line(&r->session.live, sink_bytes(r->sink));
}

/* The signals that end a recording are waited for, not handled. */
static void block_signals(sigset_t *signals, bool usr2)
{
	/* SIGTSTP too: Ctrl-Z must not stop the program while the guest is paused. */
	static const int waited_for[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN};

	sigemptyset(signals);
	for (size_t i = 0; i < sizeof(waited_for) / sizeof(*waited_for); i++) {
		struct sigaction old;

		/* What nohup had us ignore stays ignored. Not so SIGINT: a script's background job is to end by kill -INT. */
		if (waited_for[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		signal(waited_for[i], SIG_DFL);
		sigaddset(signals, waited_for[i]);
	}
	if (usr2)
		sigaddset(signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, signals, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static void be_quick(const struct options *o)
{
	char missing[256];

	latency_exact_timers();
	if (!o->priority)
		return;
	latency_try(o->priority, missing, sizeof(missing));
	if (*missing && !o->quiet)
		say("going on without %s: pauses may be longer", missing);
	else if (!*missing && o->verbose)
		say("samples at real-time priority %d, with memory locked, on one CPU", o->priority);
}

/* All is open: Xen, the output, the guard's own way to Xen. */
static void give_up_privileges(const struct options *o)
{
	int rc = privileges_drop(false);

	if (rc != 0)
		say("cannot give up capabilities: %s; going on with them", strerror(-rc));
	else if (o->verbose)
		say("gave up all capabilities");
}

/* --- steps: each 0, or the exit status with its message printed ------------------------------------------- */

static int open_domains(struct recording *r, char *const *operands, size_t n)
{
	char why[1024];

	r->targets = calloc(n, sizeof(struct target *));
	r->ntargets = n;
	r->session.unrecorded = calloc(n, sizeof(*r->session.unrecorded));
	r->session.pending = calloc(n, sizeof(*r->session.pending));
	if (!r->targets || !r->session.unrecorded || !r->session.pending) {
		say("out of memory");
		return EXIT_CUT_SHORT;
	}
	if (choose_targets(ops, r->x, operands, n, &r->options, r->targets, why, sizeof(why)) == 0)
		return 0;
	say("%s", why);
	return EXIT_DOMAIN;
}

static int start_guard(struct recording *r)
{
	struct guest_info *domains = calloc(r->ntargets, sizeof(*domains));

	for (size_t i = 0; domains && i < r->ntargets; i++)
		domains[i] = r->targets[i]->info;
	r->session.guard = domains ? guard_start(ops, domains, r->ntargets) : NULL;
	free(domains);
	for (size_t i = 0; r->session.guard && i < r->ntargets; i++)
		target_mark(r->targets[i], guard_mark(r->session.guard, i));
	if (r->session.guard)
		return 0;
	say("cannot start the guard process that would undo a pause left behind: %s", strerror(errno));
	return EXIT_CUT_SHORT;
}

static int prepare_trace(struct recording *r)
{
	int rc = describe(&r->description, &r->options, r->targets, r->ntargets, ops->version(r->x), r->command);
	char why[1024];

	if (rc == 0 && describe_images(&r->description, &r->options, why, sizeof(why)) != 0) {
		say("%s", why);
		return EXIT_USAGE;
	}
	if (rc == 0) {
		r->sink = sink_new(&r->options, &r->description.session);
		rc = r->sink ? 0 : -errno;
	}
	if (rc == 0)
		return 0;
	say("cannot begin the trace: %s", strerror(-rc));
	return EXIT_CUT_SHORT;
}

static struct spool_blocks blocks_for(struct recording *r)
{
	struct spool_blocks b = {.period_ns = 1000000000000ull / r->options.rate_mhz, .tops = r->options.stack.tops};

	for (size_t i = 0; i < r->ntargets; i++) {
		struct target *t = r->targets[i];

		for (size_t v = 0; v < t->nsamples; v++)
			t->samples[v].slot = b.slots++;
		if (t->stack.top_words > b.copy_words)
			b.copy_words = t->stack.top_words;
	}
	return b;
}

/* --- the writer thread's part -------------------------------------------------------------------------------------------- */

/* Later traces are opened by name, and their folder may be somebody else's, as only root may write there. */
static int writer_start(void *ctx)
{
	struct recording *r = ctx;
	int rc = sink_open(r->sink);

	privileges_drop(r->options.switching.on || r->options.recent.on);
	return rc;
}

static int writer_take(void *ctx, struct upf_encoder *e, const struct spool_slip *slip)
{
	struct recording *r = ctx;

	return sink_take(r->sink, e, slip);
}

static int writer_end(void *ctx)
{
	struct recording *r = ctx;

	return sink_end(r->sink);
}

/* --- the session ----------------------------------------------------------------------------------------------------- */

static int run_session(struct recording *r)
{
	const struct spool_taker taker = {.ctx = r, .start = writer_start, .take = writer_take, .end = writer_end, .idle = draw_status};
	struct session *s = &r->session;
	const struct upf_session *head = &r->description.session;
	const struct spool_blocks blocks = blocks_for(r);

	s->options = &r->options;
	s->x = r->x;
	s->targets = r->targets;
	s->ntargets = r->ntargets;
	s->sink = r->sink;
	s->began_ns = s->start_ns = head->start_mono_ns;
	memcpy(&s->seed, head->trace_id, sizeof(s->seed));
	r->status = isatty(STDERR_FILENO) && !r->options.quiet && !r->options.missed;
	s->spool = spool_start(&taker, &blocks, guard_fd(s->guard));
	if (!s->spool && *sink_problem(r->sink)) {
		say("%s", sink_problem(r->sink));
		return EXIT_OUTPUT;
	}
	if (!s->spool) {
		say("cannot start writing: %s", strerror(errno));
		return EXIT_CUT_SHORT;
	}
	be_quick(&r->options);
	give_up_privileges(&r->options);
	session_run(s);
	return 0;
}

/*
 * From here on a second Ctrl-C ends at once: nothing is paused, and a disk or a reader may keep us waiting. What came
 * together with the first one is part of it.
 */
static void let_signals_end(const sigset_t *signals)
{
	const struct timespec none = {0};

	while (sigtimedwait(signals, NULL, &none) > 0)
		;
	sigprocmask(SIG_UNBLOCK, signals, NULL);
}

/* Lets go of the guests, then writes what is left and the footer. */
static void finish(struct recording *r)
{
	struct session *s = &r->session;
	int rc;

	for (size_t i = 0; i < r->ntargets; i++)
		pages_drop(r->targets[i]->pages);
	guard_stop(s->guard);
	s->guard = NULL;
	let_signals_end(&s->signals);
	session_put_rest(s);
	sink_ending(r->sink, &s->slip.totals, s->began_ns + s->totals.duration_ns, s->reason);
	rc = spool_finish(s->spool);
	upf_totals_add(&s->totals, &s->slip.totals);
	if (r->status)
		status_clear();
	if (rc != 0) {
		s->reason = UPF_REASON_OUTPUT;
		s->error = rc;
	}
}

/* What recording took of dom0. */
static void say_cost(const struct recording *r)
{
	uint64_t samples = r->session.live.samples;
	struct rusage u;
	double seconds;
	size_t pages = 0;

	for (size_t i = 0; i < r->ntargets; i++)
		pages += pages_most(r->targets[i]->pages);
	getrusage(RUSAGE_SELF, &u);
	seconds = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	say("used %.6f s of CPU time, %.1f us a sample, at most %.1f MiB of memory and %zu mapped pages of guests", seconds,
	    samples ? seconds * 1e6 / (double)samples : 0, (double)u.ru_maxrss / 1024, pages);
}

static int verdict(struct recording *r)
{
	const struct session *s = &r->session;

	if (!r->options.quiet)
		status_summary(s, r->options.output);
	if (r->options.verbose)
		say_cost(r);
	if (s->reason == UPF_REASON_OUTPUT && *sink_problem(r->sink)) {
		say("%s; what was written before is valid", sink_problem(r->sink));
		return EXIT_OUTPUT;
	}
	if (s->reason == UPF_REASON_OUTPUT) {
		say("%s: %s; what was written before is valid", sink_last(r->sink),
		    s->error == -EPIPE ? "its reader went away" : strerror(-s->error));
		return EXIT_OUTPUT;
	}
	if (s->reason == UPF_REASON_ERROR) {
		say("%s%s%s", s->failed, s->error ? ": " : "", s->error ? strerror(-s->error) : "");
		return EXIT_CUT_SHORT;
	}
	return EXIT_RECORDED;
}

static void clean_up(struct recording *r)
{
	for (size_t i = 0; r->targets && i < r->ntargets; i++)
		target_close(r->targets[i]);
	guard_stop(r->session.guard);
	free(r->session.unrecorded);
	free(r->session.pending);
	free(r->targets);
	sink_free(r->sink);
	describe_free(&r->description);
	free(r->command);
	if (r->x)
		ops->close(r->x);
}

static int record(struct recording *r, char *const *operands, size_t n)
{
	int rc = open_domains(r, operands, n);

	block_signals(&r->session.signals, r->options.switching.on || r->options.recent.on);
	if (rc == 0)
		rc = start_guard(r);
	if (rc == 0)
		rc = prepare_trace(r);
	if (rc == 0 && r->options.verbose)
		say("%s by %s; %zu domain%s, %.3f Hz", ops->version(r->x), ops->name, n, n == 1 ? "" : "s",
		    (double)r->options.rate_mhz / 1e3);
	if (rc == 0)
		rc = run_session(r);
	if (rc != 0)
		return rc;
	finish(r);
	return verdict(r);
}

/* What the command line asks for besides recording, and what it lacks. -1: record. */
static int without_recording(const struct options *o, int operands)
{
	if (o->help) {
		print_help();
		return EXIT_RECORDED;
	}
	if (o->version) {
		puts("uniprof-record " UNIPROF_VERSION);
		return EXIT_RECORDED;
	}
	if (o->list)
		return -1;
	if (operands == 0)
		say("no domain: name one, or see which there are with --list; --help shows more");
	else if (!o->output)
		say("no output: give -o FILE");
	else
		return -1;
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct recording r = {0};
	char why[1024];
	int n, rc;

	say_name("uniprof-record");
	r.command = describe_command(argc, argv);
	n = record_options_parse(&r.options, argc, argv, why, sizeof(why));
	if (n < 0) {
		say("%s", why);
		rc = EXIT_USAGE;
	} else {
		rc = without_recording(&r.options, n);
	}
	if (rc < 0 && !(r.x = ops->open(why, sizeof(why)))) {
		say("%s", why);
		rc = EXIT_HYPERVISOR;
	}
	if (rc < 0 && r.options.list) {
		choose_list(ops, r.x);
		rc = EXIT_RECORDED;
	}
	if (rc < 0)
		rc = record(&r, argv, (size_t)n);
	clean_up(&r);
	if (fflush(stdout) != 0 && rc == EXIT_RECORDED)
		rc = EXIT_OUTPUT;
	return rc;
}
