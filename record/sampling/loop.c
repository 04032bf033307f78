/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/loop.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/say.h"
#include "record/process/signals.h"
#include "record/sampling/follow.h"
#include "record/sampling/sample.h"
#include "record/sampling/timer.h"

/*
 * A block is written when it is so old. A short block takes more bytes a sample, so at low rates a file, which nobody
 * waits for, gets longer ones.
 */
#define FLUSH_NS 1000000000ull
#define FLUSH_FEW_NS (4 * FLUSH_NS) /* one with fewer than FEW samples, to a file */
#define FEW 1000
#define LOOK_NS 500000000ull /* if rounds are further apart, domains are checked so often */
#define BUILD_NS 250000u     /* of each search for a build-id, after a round: the next deadline is near */
#define WAIT_NS 10000000u    /* a round waits for a processor of its guest's no longer than this */
#define IDLE_COST 8          /* CPU time spent without a sample is charged so many times */

struct loop {
	struct session *s;
	struct sampling_timer pace;
	uint64_t housekeeping_ns;          /* when it is due next */
	struct throttle cpu;               /* of the CPU time that this thread uses */
	uint64_t cpu_ns;                   /* CPU time used when it was charged last */
	uint64_t elsewhere_ns;             /* and that other threads have used for rounds since then */
	uint64_t pause_after_ns;           /* no round before this, for --max-overhead */
	uint64_t run_after_ns;             /* nor before this, for --max-cpu */
	uint64_t throttled;                /* deadlines skipped for these since the last housekeeping */
	bool paused;                       /* something was paused since the CPU time was charged last */
	uint64_t kept;                     /* deadlines at which rounds were taken */
	uint64_t checked_ns, checked_kept; /* the last check of the rate, and the deadlines kept by then */
	uint64_t told_mhz;                 /* the rate recorded last in the trace */
	unsigned traces;                   /* begun, or to be begun by a block on its way */
	bool asked;                        /* SIGUSR2 came: for the next trace, or to write what is kept */
	bool over;
};

static void end_guest(struct loop *l, enum upf_reason reason, int error, const char *failed)
{
	l->over = true;
	l->s->reason = reason;
	l->s->error = error;
	l->s->failed = failed;
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

static void count_round(struct session *s, struct target *t)
{
	t->rounds++;
	s->records.block.totals.rounds++;
	s->records.block.totals.samples += t->stacks.nsamples;
	atomic_fetch_add(&s->live.rounds, 1);
	atomic_fetch_add(&s->live.samples, t->stacks.nsamples);
}

static void count_pause(struct session *s, const struct round *r)
{
	s->overruns += r->overruns;
	s->retaken += r->again && r->pauses > 0;
	s->records.block.totals.pauses += r->pauses;
	for (unsigned i = 0; i < r->pauses; i++)
		upf_hist_add(&s->records.block.totals.pause, r->paused_ns[i]);
	atomic_fetch_add(&s->live.paused_ns, r->pause_ns);
}

/* No block was free for them. */
static void lose(struct session *s, uint32_t domain, uint64_t samples)
{
	record_stream_lose(&s->records, domain, samples);
	atomic_fetch_add(&s->live.lost, samples);
}

static void keep_round(struct session *s, uint32_t domain, const struct round *r, uint64_t time_ns)
{
	struct target *t = s->targets[domain];
	const struct record round = {r->kind == ROUND_SAME ? RECORD_SAME : RECORD_ROUND,
	                             .domain = domain,
	                             .time_ns = time_ns,
	                             .pause_ns = r->pause_ns,
	                             .samples = t->stacks.samples,
	                             .nsamples = t->stacks.nsamples};

	if (record_stream_put(&s->records, &round) == 0)
		count_round(s, t);
	else
		lose(s, domain, t->stacks.nsamples);
}

static void skip_round(struct session *s, uint32_t domain, uint64_t time_ns, enum upf_lost why)
{
	uint64_t n = s->targets[domain]->stacks.nsamples;
	const struct record lost = {RECORD_LOST, .domain = domain, .time_ns = time_ns, .count = n, .code = why};

	if (record_stream_put(&s->records, &lost) != 0) {
		lose(s, domain, n);
		return;
	}
	s->records.block.totals.lost += n;
	atomic_fetch_add(&s->live.lost, n);
}

static void charge_pause(struct loop *l, struct target *t, const struct round *r)
{
	uint64_t until = throttle_charge(&t->throttle, clock_now(), r->pause_ns);

	if (until > l->pause_after_ns)
		l->pause_after_ns = until;
	l->paused |= r->pauses > 0;
}

/*
 * At real-time priority this thread would keep every other program off its CPU. Where no guest did anything, there is
 * little to learn from asking again at once: such rounds cost more, and so come less often.
 */
static void charge_cpu(struct loop *l)
{
	uint64_t used = clock_cpu(), spent = used - l->cpu_ns + l->elsewhere_ns;

	l->run_after_ns = throttle_charge(&l->cpu, clock_now(), l->paused ? spent : spent * IDLE_COST);
	l->cpu_ns = used;
	l->elsewhere_ns = 0;
	l->paused = false;
}

static void tell_end(struct session *s, uint32_t domain, const struct round *r)
{
	record_stream_event(&s->records, domain, session_time(s, r->time_ns),
	                    r->shutdown ? UPF_EVENT_SHUTDOWN : UPF_EVENT_DYING, r->shutdown_code);
}

static void end_refused(struct loop *l, struct target *t, const struct round *r)
{
	l->s->refused = r->stuck ? NULL : t;
	end_guest(l, UPF_REASON_ERROR, r->error,
	          !r->stuck ? "the hypervisor refused to pause or read the domain"
	          : t->ops->watch.ends_with_recorder
	                  ? "the domain could not be resumed"
	                  : "the domain could not be resumed; if it stays paused: xl unpause");
}

/* It was sampled live, and cannot be any more. */
static void tell_stops(struct session *s, uint32_t domain, uint64_t time_ns)
{
	const struct target *t = s->targets[domain];
	char why[256];

	target_explain(t->ops, s->x, &t->info, ENOEXEC, why, sizeof(why));
	say("%s: %s; sampled by stops from now on", t->name[0] ? t->name : "the domain", why);
	record_stream_event(&s->records, domain, time_ns, UPF_EVENT_STOPS, 0);
}

/* To wait for a processor misses no deadline, and is no pause that the watchdog would end (--max-pause). */
static uint64_t wait_until(const struct loop *l)
{
	const uint64_t longest_ns = l->s->options->max_pause_ns / 2;
	const uint64_t most_ns = clock_now() + (longest_ns < WAIT_NS ? longest_ns : WAIT_NS),
		       next_ns = timer_look(&l->pace);

	return next_ns < most_ns ? next_ns : most_ns;
}

static void one_round(struct loop *l, uint32_t domain)
{
	struct session *s = l->s;
	struct target *t = s->targets[domain];
	const bool foreign = t->last.foreign, was_live = target_is_live(t);
	struct round r;
	uint64_t time_ns;

	t->until_ns = wait_until(l);
	r = sample_round(t);
	time_ns = session_time(s, r.time_ns);

	charge_pause(l, t, &r);
	l->elsewhere_ns += r.cpu_ns;
	if (t->last.foreign != foreign)
		record_stream_event(&s->records, domain, time_ns, foreign ? UPF_EVENT_RESUMED : UPF_EVENT_PAUSED, 0);
	if (r.shutdown && r.kind != ROUND_ENDED)
		tell_end(s, domain, &r);
	if (r.kind == ROUND_TAKEN || r.kind == ROUND_SAME)
		keep_round(s, domain, &r, time_ns);
	else if (r.kind == ROUND_ENDED)
		tell_end(s, domain, &r);
	else if (r.kind != ROUND_AGAIN)
		skip_round(s, domain, time_ns,
		           r.kind == ROUND_PAUSED ? UPF_LOST_PAUSED
		           : r.kind == ROUND_VOID ? UPF_LOST_VOID
		                                  : UPF_LOST_CALL);
	if (r.kind == ROUND_FAILED)
		end_refused(l, t, &r);
	else if (was_live && !target_is_live(t))
		tell_stops(s, domain, time_ns);
	count_pause(s, &r); /* after the round was recorded, so that both are in the same block */
}

/* It has all rounds that --samples asks for. */
static bool is_sampled(const struct session *s, const struct target *t)
{
	return s->options->rounds && t->rounds >= s->options->rounds;
}

/* A domain that has ended has no more, unless it may come back. */
static bool all_sampled(const struct session *s)
{
	bool all = s->options->rounds != 0;

	for (size_t d = 0; d < s->ntargets; d++)
		all &= is_sampled(s, s->targets[d]) || (s->targets[d]->ended && !s->options->follow);
	return all;
}

/* Of the domains that are asked about already, or of the others. */
static void some_rounds(struct loop *l, bool answered)
{
	for (uint32_t d = 0; d < l->s->ntargets; d++) {
		const struct target *t = l->s->targets[d];

		if (!t->ended && !l->over && !is_sampled(l->s, t) && answered == (t->last.answer != NULL))
			one_round(l, d);
	}
}

/* What the report must know of a guest's image. @search: image_search() or image_go_on(). */
static void tell_image(struct session *s, uint32_t domain, uint64_t now,
                       void (*search)(struct image *m, struct pages *pages, const struct vcpu_stacks *all,
                                      uint64_t ns))
{
	struct target *t = s->targets[domain];

	if (t->last.started && !t->ended)
		image_tell_entry(&t->image, t->pages, &t->stacks, &s->records, domain, session_time(s, now));
	if (!t->ended)
		search(&t->image, t->pages, &t->stacks, BUILD_NS);
	image_tell_build(&t->image, &s->records, domain, session_time(s, now));
}

static void go_on_with_images(struct session *s, uint64_t now)
{
	for (uint32_t d = 0; d < s->ntargets; d++)
		tell_image(s, d, now, image_go_on);
}

/* @again: in this block, too. */
static void tell_images(struct session *s, uint64_t now, bool again)
{
	for (uint32_t d = 0; d < s->ntargets; d++) {
		image_tick(&s->targets[d]->image, again);
		tell_image(s, d, now, image_search);
	}
}

/* Domains with an answer come first: answers get old. */
static void all_rounds(struct loop *l)
{
	inquiry_make(&l->s->inquiry, l->s->targets, l->s->ntargets);
	some_rounds(l, true);
	some_rounds(l, false);
}

/* --- domains that end -------------------------------------------------------------------------------------------- */

static bool any_alive(const struct session *s)
{
	bool any = false;

	for (size_t d = 0; d < s->ntargets; d++)
		any |= !s->targets[d]->ended;
	return any;
}

static bool any_left(const struct session *s)
{
	return s->options->follow || any_alive(s);
}

/* Without this, mapped pages would keep a dead domain as a zombie until the next round. */
static void look_for_ends(struct loop *l)
{
	struct session *s = l->s;

	for (uint32_t d = 0; d < s->ntargets; d++) {
		struct round r;

		if (!s->targets[d]->ended && sample_ended(s->targets[d], &r))
			tell_end(s, d, &r);
	}
	if (!any_left(s) && !l->over)
		end_guest(l, UPF_REASON_DOMAIN, 0, NULL);
}

/* --- deadlines --------------------------------------------------------------------------------------------------- */

static void count_late(struct loop *l, uint64_t now)
{
	struct session *s = l->s;
	uint64_t missed = timer_skip(&l->pace, now);

	if (missed == 0)
		return;
	atomic_fetch_add(&s->live.late, missed);
	if (s->options->missed)
		say("%llu deadline%s missed at %.6f s", (unsigned long long)missed, missed == 1 ? "" : "s",
		    (double)session_time(s, now) / 1e9);
	record_stream_late(&s->records, session_time(s, now), missed);
}

/* Hands the block over if it would be too old at the next round. */
static void flush_due(struct session *s, uint64_t next_ns)
{
	struct upf_encoder *e = queue_current(s->records.queue);
	bool few = s->records.block.totals.samples < FEW && trace_output_is_file(s->output);
	uint64_t oldest = few ? FLUSH_FEW_NS : FLUSH_NS;

	if (e && !upf_encoder_empty(e) && session_time(s, next_ns) >= upf_encoder_first_time(e) + oldest)
		record_stream_submit(&s->records);
}

/* --- one trace after the other ----------------------------------------------------------------------------------- */

static void tell_start(struct loop *l, uint64_t time_ns)
{
	struct session *s = l->s;

	for (uint32_t d = 0; d < s->ntargets; d++) {
		if (s->targets[d]->ended)
			continue;
		record_stream_event(&s->records, d, time_ns, UPF_EVENT_START, 0);
		if (l->told_mhz != s->options->rate_mhz)
			record_stream_event(&s->records, d, time_ns, UPF_EVENT_RATE, l->told_mhz);
	}
}

/* The blocks from here on hold how late each round was, not its time. */
static void tell_schedule(struct loop *l)
{
	l->s->records.due = l->pace.schedule;
	l->s->records.due.start_ns -= l->s->start_ns;
}

static void begin_next(struct loop *l, uint64_t now)
{
	struct session *s = l->s;

	record_stream_submit(&s->records);
	if (!queue_current(s->records.queue))
		return;                                       /* as soon as a block is free */
	l->traces += s->records.block.action != BLOCK_SWITCH; /* two switches by one block are one */
	s->records.block.action = BLOCK_SWITCH;
	s->records.block.asked = l->asked; /* by a signal: also while all guests are gone */
	s->records.block.time_ns = s->start_ns = now;
	tell_schedule(l);
	tell_start(l, 0);
	tell_images(s, now, true);
	record_stream_submit(&s->records); /* at once, so that the one before is complete at once */
	l->asked = false;
}

/* Until the writer thread has begun the current trace, the size is that of the one before. */
static bool is_full(const struct loop *l)
{
	const struct session *s = l->s;
	const uint64_t limit = s->options->switching.bytes;

	return limit && trace_output_count(s->output) == l->traces && trace_output_current_bytes(s->output) >= limit;
}

/* By an empty block, since there may be nothing new: the guest may have ended. */
static void request_dump(struct loop *l, uint64_t now)
{
	const struct block_info dump = {.action = BLOCK_DUMP, .asked = true, .time_ns = now};
	struct record_stream *records = &l->s->records;

	record_stream_submit(records);
	if (queue_current(records->queue))
		l->asked = !queue_submit(records->queue, &dump);
}

static bool is_time_to_switch(const struct loop *l, uint64_t now)
{
	const struct session *s = l->s;
	const struct session_options *o = s->options;

	if (!o->switching.on || o->flight_recorder)
		return false;
	return l->asked || (o->switching.ns && now - s->start_ns >= o->switching.ns) || is_full(l);
}

/* Begins another trace, or has what is kept written, if that is due. */
static void switch_or_dump(struct loop *l, uint64_t now)
{
	struct session *s = l->s;

	if (is_time_to_switch(l, now)) {
		/* What waits for a free block belongs to the trace before. */
		if (record_stream_settled(&s->records))
			begin_next(l, now);
	} else if (l->asked && s->options->flight_recorder) {
		request_dump(l, now);
	}
}

/* --- the loop ---------------------------------------------------------------------------------------------------- */

/*
 * Records the rate that the limits leave, when it has changed by a tenth or more. A wait that is longer than the time
 * between two calls counts as a whole.
 */
static void tell_rate(struct loop *l, uint64_t now)
{
	struct session *s = l->s;
	const bool is_held_off = now < l->run_after_ns || now < l->pause_after_ns;
	uint64_t elapsed = now - l->checked_ns, rate = s->options->rate_mhz;

	if (is_held_off && l->kept == l->checked_kept)
		return;
	if (l->throttled && elapsed)
		rate = (uint64_t)((double)(l->kept - l->checked_kept) * 1e12 / (double)elapsed);
	l->checked_ns = now;
	l->checked_kept = l->kept;
	if (!is_held_off)
		l->throttled = 0;
	if (rate > s->options->rate_mhz)
		rate = s->options->rate_mhz;
	if (rate > l->told_mhz - l->told_mhz / 10 && rate < l->told_mhz + l->told_mhz / 10 + 1)
		return;
	l->told_mhz = rate;
	for (uint32_t d = 0; d < s->ntargets; d++)
		if (!s->targets[d]->ended)
			record_stream_event(&s->records, d, session_time(s, now), UPF_EVENT_RATE, rate);
}

/* Checks that are needed about once a second only. */
static void housekeeping(struct loop *l, uint64_t now)
{
	struct session *s = l->s;

	if (now < l->housekeeping_ns)
		return;
	l->housekeeping_ns = now + 1000000000;
	if (l->checked_ns)
		tell_rate(l, now);
	else
		l->checked_ns = now;
	for (size_t d = 0; d < s->ntargets; d++)
		pages_retry(s->targets[d]->pages);
	/* The flight recorder keeps only the newest blocks, so each block must have it. */
	tell_images(s, now, s->options->flight_recorder);
	if (!l->over && !watchdog_alive(s->watchdog))
		end_guest(l, UPF_REASON_ERROR, 0,
		          "the watchdog process was killed; without it a pause could be left behind");
}

static void check_limits(struct loop *l, uint64_t now)
{
	const struct session_options *o = l->s->options;

	if (o->duration_ns && now - l->s->began_ns >= o->duration_ns)
		end_guest(l, UPF_REASON_DURATION, 0, NULL);
	else if (all_sampled(l->s))
		end_guest(l, UPF_REASON_SAMPLES, 0, NULL);
	else if (queue_error(l->s->records.queue) != 0)
		end_guest(l, UPF_REASON_OUTPUT, queue_error(l->s->records.queue), NULL);
}

/* Sleeps until @deadline, and checks the domains now and then. The signal that came; 0: none. */
static int wait_watchfully(struct loop *l, uint64_t deadline)
{
	int signal = 0;
	uint64_t now = clock_now();

	while (!signal && !l->over && deadline > now + LOOK_NS) {
		signal = clock_wait(now + LOOK_NS, &l->s->signals);
		now = clock_now();
		look_for_ends(l);
		housekeeping(l, now);
		switch_or_dump(l, now);
		if (queue_error(l->s->records.queue) != 0)
			end_guest(l, UPF_REASON_OUTPUT, queue_error(l->s->records.queue), NULL);
	}
	return signal || l->over ? signal : clock_wait(deadline, &l->s->signals);
}

/* Ctrl-Z: stops the program here, where nothing is paused, with all memory unmapped, as domains may end meanwhile. */
static void stop_for_a_while(struct session *s)
{
	for (size_t d = 0; d < s->ntargets; d++)
		target_let_go(s->targets[d]);
	raise(SIGSTOP);
	for (size_t d = 0; d < s->ntargets; d++)
		if (!s->targets[d]->ended)
			sample_warm(s->targets[d]);
}

/* The next deadline that no limit forbids. */
static uint64_t next_deadline(struct loop *l)
{
	bool for_cpu = l->run_after_ns > l->pause_after_ns;
	uint64_t after = for_cpu ? l->run_after_ns : l->pause_after_ns;
	uint64_t deadline = timer_next(&l->pace), skipped = 0;

	while (deadline < after) {
		skipped += 1 + timer_skip(&l->pace, after);
		deadline = timer_next(&l->pace);
	}
	l->throttled += skipped;
	*(for_cpu ? &l->s->throttled.for_cpu : &l->s->throttled.for_pauses) += skipped;
	return deadline;
}

/* With nothing to sample: when to look for domains that are back. No deadline is missed until then. */
static uint64_t next_look(struct loop *l)
{
	uint64_t at = clock_now() + LOOK_NS;

	timer_skip(&l->pace, at);
	return at;
}

/* Sleeps until the next deadline, or until the end of --duration if that is sooner. False: no round is due. */
static bool wait_for_deadline(struct loop *l)
{
	struct session *s = l->s;
	const struct session_options *o = s->options;
	bool due = any_alive(s);
	uint64_t deadline = due ? next_deadline(l) : next_look(l), last = s->began_ns + o->duration_ns;
	int signal;

	if (o->duration_ns && deadline >= last) {
		due = false;
		deadline = last;
	}
	flush_due(s, deadline);
	/* The deadline stays the same after these signals, so that none is skipped without being counted. */
	while ((signal = wait_watchfully(l, deadline)) == SIGTSTP || signal == SIGUSR2) {
		if (signal == SIGTSTP) {
			stop_for_a_while(s);
		} else {
			l->asked = true;
			switch_or_dump(l, clock_now());
		}
	}
	if (signal) {
		s->signal = signal;
		end_guest(l, UPF_REASON_SIGNAL, 0, NULL);
	}
	return due && !signal && !l->over;
}

/* A domain that --start created is paused until here. Somebody else may have let it run. */
static void let_run(struct loop *l, struct target *t)
{
	int rc = t->ops->watch.ends_with_recorder ? -EINVAL : t->ops->watch.unpause(t->guest);

	if (rc == 0 || rc == -EINVAL)
		t->held = false;
	else
		end_guest(l, UPF_REASON_ERROR, rc, "the new domain cannot be let run");
}

void loop_run(struct session *s)
{
	struct loop l = {.s = s, .told_mhz = s->options->rate_mhz, .traces = 1};
	uint64_t now = s->began_ns;

	for (uint32_t d = 0; d < s->ntargets; d++) {
		throttle_init(&s->targets[d]->throttle, s->options->max_overhead, s->seed + d);
		sample_warm(s->targets[d]);
		image_search(&s->targets[d]->image, s->targets[d]->pages, &s->targets[d]->stacks, UINT64_MAX);
	}
	throttle_init(&l.cpu, s->options->max_cpu, s->seed);
	l.cpu_ns = clock_cpu();
	/* The first deadline is now, when everything is ready. */
	timer_init(&l.pace, clock_now(), s->options->rate_mhz, s->seed);
	tell_schedule(&l);
	tell_start(&l, 0);
	for (uint32_t d = 0; d < s->ntargets; d++)
		image_tell_build(&s->targets[d]->image, &s->records, d, 0);
	for (uint32_t d = 0; d < s->ntargets; d++)
		if (s->targets[d]->held && !signals_ending())
			let_run(&l, s->targets[d]);
	while (!l.over) {
		if (wait_for_deadline(&l)) {
			l.kept++;
			count_late(&l, clock_now());
			all_rounds(&l);
			if (!any_left(s) && !l.over)
				end_guest(&l, UPF_REASON_DOMAIN, 0, NULL);
		}
		now = clock_now();
		atomic_store(&s->live.elapsed_ns, now - s->began_ns);
		if (l.over)
			break;
		follow_look(s, now);
		go_on_with_images(s, now);
		housekeeping(&l, now);
		switch_or_dump(&l, now);
		check_limits(&l, now);
		charge_cpu(&l);
	}
	s->records.totals.duration_ns = now - s->began_ns;
}

void loop_put_rest(struct session *s)
{
	const uint64_t end_ns = session_time(s, s->began_ns + s->records.totals.duration_ns);

	queue_wait(s->records.queue);
	for (uint32_t d = 0; d < s->ntargets; d++)
		record_stream_retry(&s->records, d, end_ns);
	record_stream_late(&s->records, end_ns, 0);
	record_stream_submit(&s->records);
}
