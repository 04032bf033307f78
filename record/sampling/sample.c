/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/sample.h"

#include <errno.h>
#include <string.h>

#include "record/sampling/timer.h"
#include "record/sampling/top.h"
#include "record/sampling/walk.h"

#define WARM_STEPS 64 /* how often more pages are mapped to get to the end of each stack */

/* Reads one vCPU's stack, by frame pointers or as a copy. True: a page was missing that we have not mapped yet. */
static bool read_stack(struct target *t, size_t i, const struct vcpu_regs *regs)
{
	struct upf_sample *s = &t->samples[i];
	uint64_t *frames = t->frames + i * t->stack.max_frames, *words = t->words + i * t->stack.top_words;
	struct space space = space_of(t->arch, t->pages, regs->root);
	bool cold = false;

	if (t->stack.tops == UPF_TOPS_COPY) {
		frames[0] = regs->ip;
		s->depth = regs->valid;
		s->end = (uint8_t)top_copy(&space, regs, words, t->stack.top_words, &s->nwords);
	} else {
		s->end = (uint8_t)walk_frames(&space, regs, frames, t->stack.max_frames, &s->depth);
		s->nwords = top_window(&space, regs, words, t->stack.top_words, &cold);
	}
	return cold || s->end == UPF_END_COLD;
}

/*
 * Reads the stacks of all sampled vCPUs. This is all that happens during a pause: loads, and stores to our own arrays.
 */
static bool read_stacks(struct target *t)
{
	bool cold = false;

	for (size_t i = 0; i < t->nsamples; i++) {
		struct upf_sample *s = &t->samples[i];
		const struct vcpu_stop *stop = &t->stops[s->vcpu];

		s->depth = s->nwords = 0;
		s->end = UPF_END_NONE;
		if (stop->online)
			cold |= read_stack(t, i, &stop->regs);
	}
	return cold;
}

/*
 * Follows the stacks from the registers last read, while the guest runs, only to map the pages they are on: what is
 * read may be torn and is discarded. Each step finds one more page of each stack.
 */
static void map_stacks(struct target *t)
{
	for (int i = 0; i < WARM_STEPS && read_stacks(t); i++)
		if (pages_fill(t->pages) <= 0)
			break;
}

void sample_warm(struct target *t)
{
	for (size_t i = 0; i < t->nsamples; i++) {
		uint32_t vcpu = t->samples[i].vcpu;

		memset(&t->stops[vcpu], 0, sizeof(t->stops[vcpu]));
		if (t->ops->peek(t->guest, vcpu, &t->stops[vcpu].regs) == 0)
			t->stops[vcpu].online = true;
	}
	map_stacks(t);
}

static bool same_domain(const struct target *t, const struct guest_info *info)
{
	return info->domid == t->info.domid && memcmp(info->uuid, t->info.uuid, sizeof(info->uuid)) == 0;
}

static bool is_over(const struct target *t, const struct guest_info *info)
{
	return !same_domain(t, info) || info->dying || info->shutdown;
}

/* A mapping would keep a dying domain as a zombie, so all pages are unmapped at once. */
static void end(struct target *t, struct round *r, const struct guest_info *info)
{
	pages_drop(t->pages);
	t->ended = true;
	r->kind = ROUND_ENDED;
	if (info && same_domain(t, info) && !info->dying && info->shutdown) {
		r->shutdown = true;
		r->shutdown_code = info->shutdown_code;
	}
}

/* True: @info, from before any pause of ours, forbids sampling, and the round is settled. */
static bool forbidden(struct target *t, struct round *r, const struct guest_info *info)
{
	if (is_over(t, info)) {
		end(t, r, info);
		return true;
	}
	t->foreign = info->paused;
	if (info->paused)
		r->kind = ROUND_PAUSED;
	return info->paused;
}

static void fail(struct target *t, struct round *r, int error)
{
	if (error == -ESRCH) {
		end(t, r, NULL);
		return;
	}
	r->kind = ROUND_FAILED;
	r->error = error;
}

/*
 * Asks before any pause. True: the round is settled. Only worth a call if the last round left reason to expect that: a
 * busy guest costs two calls a round, a sleeping one a single call.
 */
static bool settled_unpaused(struct target *t, struct round *r)
{
	struct guest_info info;
	int rc = t->ops->info(t->guest, &info);

	if (rc != 0) {
		fail(t, r, rc);
		return true;
	}
	if (forbidden(t, r, &info))
		return true;
	if (!t->started || info.cpu_ns != t->total_cpu_ns)
		return false;
	for (size_t i = 0; i < t->nsamples; i++)
		t->samples[i].cpu_ns = 0;
	r->kind = ROUND_SAME;
	return true;
}

/* Clocks are known to stand still for a moment; a pause is never nothing. */
static void add_pause(struct round *r, uint64_t began_ns, uint64_t ended_ns)
{
	uint64_t ns = ended_ns > began_ns ? ended_ns - began_ns : 1;

	r->paused_ns[r->pauses++] = ns;
	r->pause_ns += ns;
}

/*
 * Unpauses, unless the watchdog has done so or is about to. 0: our pause was in force until now; -EINVAL: it was
 * undone before; another negative errno: it may still be in force.
 */
static int unpause(struct target *t, struct round *r)
{
	uint64_t began_ns = r->began_ns, ended_ns;
	int rc = watch_claim(t->watch) ? t->ops->resume(t->guest) : -ECANCELED;

	ended_ns = clock_now();
	switch (watch_end(t->watch, &began_ns, &ended_ns)) {
	case WATCH_OURS:
		break;
	case WATCH_STUCK:
		if (rc == -ECANCELED)
			rc = -ETIMEDOUT;
		break;
	case WATCH_UNDONE:
		/* Clear the mark, which else would say that the next pause is in force before it is. */
		t->ops->mark_at(t->guest, t->watch->mark);
		if (rc != -ECANCELED)
			break;
		rc = -EINVAL;
		r->overruns++;
	}
	add_pause(r, began_ns, ended_ns);
	return rc;
}

/* Pauses, reads, unpauses. False: the round is settled without samples. */
static bool take(struct target *t, struct round *r, bool *cold)
{
	struct guest_info before;
	int rc, undone;

	r->began_ns = clock_now();
	watch_begin(t->watch, r->began_ns);
	rc = t->ops->stop(t->guest, &before, t->stops);
	if (rc < 0) {
		watch_end(t->watch, &r->began_ns, &(uint64_t){0});
		fail(t, r, rc);
		return false;
	}
	*cold = rc == 0 && read_stacks(t);
	undone = unpause(t, r);
	/* No pause of ours is left if it was undone, or with the domain gone. */
	r->stuck = undone != 0 && undone != -EINVAL && undone != -ESRCH;
	if (r->stuck || undone == -ESRCH)
		fail(t, r, undone);
	else if (rc > 0)
		fail(t, r, -rc);
	else if (!forbidden(t, r, &before) && undone == -EINVAL)
		r->kind = ROUND_VOID;
	return r->kind == ROUND_TAKEN;
}

static uint8_t state_of(const struct vcpu_stop *v)
{
	if (!v->online)
		return UPF_OFFLINE;
	if (v->blocked)
		return UPF_BLOCKED;
	return v->running ? UPF_RUNNING : UPF_RUNNABLE;
}

/* Completes the samples, after the guest was resumed. */
static void finish(struct target *t)
{
	bool active = false;

	t->total_cpu_ns = 0;
	for (uint32_t v = 0; v < t->info.vcpus; v++) {
		t->total_cpu_ns += t->stops[v].cpu_ns;
		active |= t->stops[v].online && !t->stops[v].blocked;
	}
	for (size_t i = 0; i < t->nsamples; i++) {
		struct upf_sample *s = &t->samples[i];
		const struct vcpu_stop *v = &t->stops[s->vcpu];
		uint64_t now = v->cpu_ns - v->cpu_ns % UPF_TICK_NS;

		s->state = state_of(v);
		s->user = v->regs.user;
		s->sp = v->regs.sp;
		s->fp = v->regs.fp;
		if (t->stack.tops == UPF_TOPS_WINDOW)
			top_filter(t->words + i * t->stack.top_words, s->nwords, s->frames, s->depth, s->fp);
		s->cpu_ns = t->started && now > t->last_cpu_ns[i] ? now - t->last_cpu_ns[i] : 0;
		t->last_cpu_ns[i] = now;
	}
	t->quiet = !active;
	t->started = true;
}

bool sample_ended(struct target *t, struct round *r)
{
	struct guest_info info;
	int rc = t->ops->info(t->guest, &info);

	*r = (struct round){.time_ns = clock_now()};
	if (rc == -ESRCH)
		end(t, r, NULL);
	else if (rc == 0 && is_over(t, &info))
		end(t, r, &info);
	return t->ended;
}

struct round sample_round(struct target *t)
{
	struct round r = {.kind = ROUND_TAKEN, .time_ns = clock_now()};
	bool cold;

	if ((t->quiet || t->foreign) && settled_unpaused(t, &r))
		return r;
	if (!take(t, &r, &cold))
		return r;
	/* A page was missing: map it while the guest runs, then take this round again, once. */
	if (cold) {
		map_stacks(t);
		if (!take(t, &r, &cold))
			return r;
	}
	finish(t);
	return r;
}
