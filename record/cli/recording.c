/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/recording.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/privileges.h"
#include "common/say.h"
#include "record/cli/choose.h"
#include "record/cli/describe.h"
#include "record/cli/start.h"
#include "record/cli/summary.h"
#include "record/output/trace_file.h"
#include "record/process/thread.h"
#include "record/process/messages.h"
#include "record/process/signals.h"
#include "record/sampling/loop.h"
#include "record/sampling/session.h"

struct recording {
	const struct options *options;
	const struct hypervisor_ops *ops;
	struct hypervisor *x;
	const char *command;   /* the command line */
	char *const *operands; /* that name the domains */
	struct target **targets;
	size_t ntargets;
	struct guest_info started; /* --start: the domain as its creator left it */
	struct description description;
	struct session session; /* with the output and the watchdog */
	struct messages *messages;
	struct pause_file *pause_file; /* NULL: none */
	bool status;                   /* a status line is drawn */
	bool interrupted;              /* by a signal during the command of --start */
};

/* --- preparations: each returns 0, or an exit status after its message ------------------------------------------- */

static void block_signals(struct recording *r)
{
	const struct output_options *o = &r->options->output;

	signals_block(&r->session.signals, o->switching || o->flight_recorder.on);
}

/* To be asked first: a domain that cannot be recorded is better not created. */
static int check_output(const struct output_options *o, char *why, size_t size)
{
	return o->switching || trace_file_check(o->path, o->replace, why, size) == 0 ? 0 : EXIT_OUTPUT;
}

static int open_started(struct recording *r, const char *name, char *why, size_t size)
{
	const struct options *o = r->options;
	int rc = check_output(&o->output, why, size), signal;

	if (rc != 0)
		return rc;
	block_signals(r);
	rc = start_domain(r->ops, r->x, o->start, name, &r->session.signals, &r->started, why, size);
	signal = signals_ending();
	if (signal) {
		r->interrupted = true;
		return failure(why, size, EXIT_COMMAND, "%s during the command of --start: nothing is recorded",
		               strsignal(signal));
	}
	return rc == 0 ? choose_started(r->ops, r->x, &r->started, o, r->targets, why, size) : rc;
}

static int open_domains(struct recording *r, size_t noperands)
{
	char why[1024];
	int rc;

	r->targets = calloc(r->ntargets, sizeof(struct target *));
	if (!r->targets || record_stream_init(&r->session.records, r->ntargets) != 0 ||
	    inquiry_init(&r->session.inquiry, r->ntargets) != 0) {
		say("out of memory");
		return EXIT_CUT_SHORT;
	}
	if (r->options->start)
		rc = open_started(r, noperands ? r->operands[0] : NULL, why, sizeof(why));
	else
		rc = choose_targets(r->ops, r->x, r->operands, noperands, r->options, r->targets, why, sizeof(why));
	if (rc != 0)
		say("%s", why);
	return rc;
}

/* Above the recorder, which it must be able to interrupt. */
static int watchdog_priority(const struct options *o)
{
	return o->priority && o->priority < 99 ? o->priority + 1 : o->priority;
}

/* Where only the recorder itself can end its pauses, its death ends them. As the preparations. */
static int open_pause_file(struct recording *r)
{
	const char *path = r->options->pause_file;
	char why[1024];

	if (!path || r->ops->watch.ends_with_recorder)
		return 0;
	r->pause_file = pause_file_new(path, r->ops, r->ntargets, why, sizeof(why));
	if (r->pause_file)
		return 0;
	say("%s", why);
	return EXIT_CUT_SHORT;
}

static int cannot_start(const char *what)
{
	say("cannot start %s: %s", what, strerror(errno));
	return EXIT_CUT_SHORT;
}

static int start_watchdog(struct recording *r)
{
	const struct watchdog_limits limits = {.max_pause_ns = r->options->session.max_pause_ns,
	                                       .priority = watchdog_priority(r->options),
	                                       .file = r->pause_file};
	struct guest_info *domains = calloc(r->ntargets, sizeof(*domains));
	struct watchdog *w;

	for (size_t i = 0; domains && i < r->ntargets; i++)
		domains[i] = r->targets[i]->info;
	w = domains ? watchdog_start(r->ops, domains, r->ntargets, &limits) : NULL;
	free(domains);
	if (!w)
		return cannot_start("the watchdog process, which would end a pause that is left behind");
	for (size_t i = 0; i < r->ntargets; i++)
		target_watch(r->targets[i], watchdog_watch(w, i));
	r->session.watchdog = w;
	return 0;
}

/* That not all of what was asked for of each stack fits into a block, as the domain has many vCPUs. */
static void tell_shortened(const struct target *t, const char *name)
{
	const struct stack_choice *is = &t->stacks.choice, *asked = &t->asked;
	bool frames = asked->window_words || !asked->copy_words;

	if ((frames && is->max_frames < asked->max_frames) || stack_words(is) < stack_words(asked) ||
	    is->window_words < asked->window_words)
		say("%s: %zu vCPUs: of each stack at most %u frames, %u bytes at its top, and %u bytes of a copy",
		    name, t->stacks.nsamples, frames ? is->max_frames : 0, is->window_words * UPF_WORD,
		    is->copy_words * UPF_WORD);
}

/* As the preparations. */
static int start_messages(struct recording *r)
{
	r->messages = messages_start(watchdog_fd(r->session.watchdog));
	return r->messages ? 0 : cannot_start("the thread that prints messages");
}

/* What could not be found out without stopping the guests. */
static int settle_guests(struct recording *r)
{
	char how[256], why[256];

	for (size_t i = 0; i < r->ntargets; i++) {
		struct target *t = r->targets[i];
		const char *name = r->options->start ? t->name : r->operands[i];
		int rc = r->ops->guest.settle(t->guest, how, sizeof(how));

		if (rc != 0) {
			target_explain(r->ops, r->x, &t->info, -rc, why, sizeof(why));
			say("%s: %s", name, why);
			return EXIT_DOMAIN;
		}
		if (r->options->verbose)
			tell_shortened(t, name);
		if (r->options->verbose && how[0])
			say("%s: memory: %s", name, how);
	}
	return 0;
}

static bool is_any_live(const struct recording *r)
{
	for (size_t i = 0; i < r->ntargets; i++)
		if (target_is_live(r->targets[i]))
			return true;
	return false;
}

static int prepare_trace(struct recording *r)
{
	const struct options *o = r->options;
	const char *hypervisor = r->ops->host.version(r->x);
	int rc = describe(&r->description, o, r->targets, r->ntargets, hypervisor, r->command);
	char why[1024];

	if (rc == 0 && describe_images(&r->description, o, why, sizeof(why)) != 0) {
		say("%s", why);
		return EXIT_USAGE;
	}
	if (rc == 0)
		rc = describe_kernels(&r->description, r->ops, r->x);
	if (rc == 0) {
		r->session.output = trace_output_new(&o->output, &r->description.session);
		rc = r->session.output ? 0 : -errno;
	}
	if (rc != 0) {
		say("cannot prepare the trace: %s", strerror(-rc));
		return EXIT_CUT_SHORT;
	}
	if (o->verbose)
		say("%s by %s; %zu domain%s, %.3f Hz", hypervisor, is_any_live(r) ? "BPF" : r->ops->name, r->ntargets,
		    r->ntargets == 1 ? "" : "s", (double)o->session.rate_mhz / 1e3);
	return 0;
}

/* --- called by the writer thread --------------------------------------------------------------------------------- */

/* With several traces, the thread must create files later, maybe in a folder where only root may. */
static int writer_start(void *ctx)
{
	const struct recording *r = ctx;
	const struct output_options *o = &r->options->output;
	int rc = trace_output_open(r->session.output);

	privileges_drop(o->switching || o->flight_recorder.on ? 1ull << CAP_DAC_OVERRIDE : 0);
	return rc;
}

static int writer_block(void *ctx, struct upf_encoder *e, const struct block_info *info)
{
	const struct recording *r = ctx;

	return trace_output_block(r->session.output, e, info);
}

static int writer_finish(void *ctx)
{
	const struct recording *r = ctx;

	return trace_output_finish(r->session.output);
}

static void writer_idle(void *ctx)
{
	const struct recording *r = ctx;

	if (r->status)
		summary_draw_status(&r->session.live, trace_output_bytes(r->session.output));
}

static struct queue_blocks blocks_for(struct recording *r)
{
	struct queue_blocks blocks = {
		.period_ns = 1000000000000ull / r->options->session.rate_mhz,
		.tops = stack_tops(&r->options->stack),
	};

	for (size_t i = 0; i < r->ntargets; i++)
		target_reserve(r->targets[i], &blocks);
	return blocks;
}

/* Opens the output. As the preparations. */
static int start_writer(struct recording *r)
{
	const struct queue_consumer consumer = {.ctx = r,
	                                        .start = writer_start,
	                                        .consume = writer_block,
	                                        .finish = writer_finish,
	                                        .idle = writer_idle};
	const struct queue_blocks blocks = blocks_for(r);
	struct session *s = &r->session;

	s->records.queue = queue_start(&consumer, &blocks, watchdog_fd(s->watchdog));
	if (s->records.queue)
		return 0;
	if (*trace_output_problem(s->output)) {
		say("%s", trace_output_problem(s->output));
		return EXIT_OUTPUT;
	}
	return cannot_start("the writer thread");
}

/* For --follow. As the preparations. */
static int start_finder(struct recording *r)
{
	struct session *s = &r->session;

	if (!r->options->session.follow)
		return 0;
	s->finder = finder_start(r->ops, r->ntargets, watchdog_fd(s->watchdog));
	if (!s->finder)
		return cannot_start("the thread for --follow");
	for (size_t i = 0; i < r->ntargets; i++)
		finder_recorded(s->finder, i, r->targets[i]->info.domid);
	return 0;
}

/* --- the sampling thread ----------------------------------------------------------------------------------------- */

static void reduce_latency(const struct recording *r)
{
	const struct options *o = r->options;
	char missing[256];
	cpu_set_t taken;

	thread_exact_timers();
	if (!o->priority)
		return;
	CPU_ZERO(&taken);
	for (size_t i = 0; i < r->ntargets && r->ops->guest.bound_to; i++)
		r->ops->guest.bound_to(r->targets[i]->guest, &taken);
	thread_reduce_latency(o->priority, &taken, missing, sizeof(missing));
	if (*missing && !o->session.quiet)
		say("continuing without %s: pauses may be longer", missing);
	else if (!*missing && o->verbose)
		say("sampling at real-time priority %d, with locked memory, on one CPU", o->priority);
}

/* To be called when the hypervisor is open here and in the watchdog, and the output in the writer thread. */
static void drop_privileges(const struct options *o, uint64_t keep)
{
	int rc = privileges_drop(keep);

	if (rc != 0)
		say("cannot give up capabilities: %s; continuing with them", strerror(-rc));
	else if (o->verbose)
		say("gave up all capabilities%s", keep ? " but those that sampling needs" : "");
}

static void run_session(struct recording *r)
{
	const struct upf_session *head = &r->description.session;
	struct session *s = &r->session;

	s->options = &r->options->session;
	s->x = r->x;
	s->targets = r->targets;
	s->ntargets = r->ntargets;
	s->began_ns = s->start_ns = head->start_mono_ns;
	if (r->options->seeded)
		s->seed = r->options->seed;
	else
		memcpy(&s->seed, head->trace_id, sizeof(s->seed));
	reduce_latency(r);
	drop_privileges(r->options, r->ops->capabilities | (is_any_live(r) ? r->ops->live_capabilities : 0));
	loop_run(s);
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

/*
 * Releases the guests, then writes the rest and the footer. Nothing is paused any more, and the disk or the reader may
 * be slow, so a second Ctrl-C ends the program at once.
 */
static void finish_recording(struct recording *r)
{
	struct session *s = &r->session;
	struct upf_totals *totals = &s->records.totals, *rest = &s->records.block.totals;
	int rc;

	for (size_t i = 0; i < r->ntargets; i++)
		target_let_go(r->targets[i]);
	watchdog_stop(s->watchdog);
	s->watchdog = NULL;
	finder_stop(s->finder);
	s->finder = NULL;
	if (r->options->top)
		signal(SIGINT, SIG_IGN); /* the screen's end sends one, whatever has ended it */
	signals_unblock(&s->signals);
	loop_put_rest(s);
	trace_output_set_end(s->output, rest, s->began_ns + totals->duration_ns, s->reason);
	rc = queue_finish(s->records.queue);
	upf_totals_add(totals, rest);
	if (rc != 0) {
		s->reason = UPF_REASON_OUTPUT;
		s->error = rc;
	}
}

static void tell_failure(const struct session *s)
{
	const struct target *t = s->refused;
	char why[256];

	if (t && t->ops->host.explain(s->x, NULL, &t->info, -s->error, why, sizeof(why)))
		say("%s: %s", t->name, why);
	else
		say("%s%s%s", s->failed, s->error ? ": " : "", s->error ? strerror(-s->error) : "");
}

/* The exit status, with a message if the recording did not end as asked for. */
static int verdict(const struct session *s)
{
	if (s->reason == UPF_REASON_OUTPUT && *trace_output_problem(s->output)) {
		say("%s; what was written before is valid", trace_output_problem(s->output));
		return EXIT_OUTPUT;
	}
	if (s->reason == UPF_REASON_OUTPUT) {
		const char *name = trace_output_last(s->output);

		say("%s: %s; what was written before is valid", strcmp(name, "-") == 0 ? "standard output" : name,
		    s->error == -EPIPE ? "its reader went away" : strerror(-s->error));
		return EXIT_OUTPUT;
	}
	if (s->reason == UPF_REASON_ERROR) {
		tell_failure(s);
		return EXIT_CUT_SHORT;
	}
	return EXIT_RECORDED;
}

static int conclude_recording(struct recording *r)
{
	size_t pages = 0;

	for (size_t i = 0; i < r->ntargets; i++)
		pages += pages_most(r->targets[i]->pages);
	if (!r->options->session.quiet)
		summary_print(&r->session, r->options->output.path);
	if (r->options->verbose)
		summary_print_cost(&r->session, pages);
	return verdict(&r->session);
}

/* Where a domain that --start created could not be let run, it is left as its creator left it. */
static void report_held(const struct recording *r)
{
	const struct target *t = r->targets ? r->targets[0] : NULL;
	uint32_t domid = r->started.domid;

	if (r->started.paused && (!t || t->held))
		say("domain %u is still paused, as the command of --start left it: xl unpause %u, or xl destroy %u",
		    domid, domid, domid);
}

static void free_recording(struct recording *r)
{
	report_held(r);
	for (size_t i = 0; r->targets && i < r->ntargets; i++)
		target_close(r->targets[i]);
	watchdog_stop(r->session.watchdog);
	pause_file_close(r->pause_file, true);
	finder_stop(r->session.finder);
	record_stream_release(&r->session.records);
	inquiry_release(&r->session.inquiry);
	free(r->targets);
	trace_output_free(r->session.output);
	describe_free(&r->description);
	messages_stop(r->messages);
}

/* After the command of --start. As the preparations. */
static int use_small_pages(struct recording *r)
{
	(void)r;
	thread_small_pages();
	return 0;
}

/* In this order. */
static int (*const preparations[])(struct recording *r) = {open_pause_file, start_watchdog,  start_messages,
                                                           settle_guests,   use_small_pages, prepare_trace,
                                                           start_finder,    start_writer};

int recording_run(const struct options *o, const struct hypervisor_ops *ops, struct hypervisor *x, const char *command,
                  char *const *operands, size_t n)
{
	struct recording r = {.options = o,
	                      .ops = ops,
	                      .x = x,
	                      .command = command,
	                      .operands = operands,
	                      .ntargets = o->start ? 1 : n};
	int rc = open_domains(&r, n);

	r.status = isatty(STDERR_FILENO) && !o->session.quiet && !o->session.missed;
	block_signals(&r);
	if (ops->watch.ends_with_recorder)
		signals_interrupt();
	for (size_t p = 0; rc == 0 && p < sizeof(preparations) / sizeof(*preparations); p++)
		rc = preparations[p](&r);
	if (rc == 0) {
		run_session(&r);
		finish_recording(&r);
		rc = conclude_recording(&r);
	}
	free_recording(&r);
	if (r.interrupted)
		signals_deliver(&r.session.signals);
	return rc;
}
