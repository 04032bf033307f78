/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/sample.h"

#include <errno.h>
#include <string.h>

#include "record/process/clock.h"
#include "record/sampling/code.h"
#include "record/sampling/top.h"

#define WARM_STEPS 64           /* pages mapped one after the other on the way to one stack's end */
#define NEIGHBOURS 256u         /* bytes to either side of the stack pointer that the next walk is likely to need */
#define DEEPER 1024u            /* bytes below it that the next copy is likely to need */
#define PATIENCE_MAX 63u        /* rounds */
#define AHEAD 16384u            /* bytes above it whose pages are mapped together */
#define LOOKS_MAX 100u          /* for a vCPU that runs, but outside the guest each time */
#define REMAP_NS 10000000000ull /* how long the pages of a guest stay mapped whose frames can move */

static struct stack_room room_of(const struct target *t, size_t i)
{
	return (struct stack_room){t->frames + i * t->stack.max_frames, t->words + i * stack_words(&t->stack)};
}

/* One vCPU's stack, as the target's choice asks. False: memory was missing that was noted for the next time. */
static bool walk_stack(struct target *t, size_t i, const struct vcpu_regs *regs, bool live)
{
	struct space space = space_of(regs, t->captures[i]);
	const struct stack_room room = room_of(t, i);
	bool complete = stack_read(&t->stack, &t->footings[i], &space, regs, &room, live, &t->samples[i]);
	/* A copy needs each word from the stack pointer up, frames only some. */
	uint64_t below = t->samples[i].tops == UPF_TOPS_COPY ? DEEPER : NEIGHBOURS;

	if (regs->valid && regs->sp >= below)
		space_want(&space, regs->sp - below, regs->sp + NEIGHBOURS);
	if (t->registers && regs->valid)
		complete &= code_read(&space, regs->ip, &t->registers[i]);
	return complete;
}

/* The round leaves this vCPU out: it sleeps, and its sample is what it was. */
static bool is_asleep(const struct target *t, size_t i)
{
	uint32_t vcpu = t->samples[i].vcpu;

	return t->asleep[vcpu / 64] >> vcpu % 64 & 1;
}

/* Every vCPU that is read, from the copies; @live: from the mapped pages themselves. False: memory was missing. */
static bool walk_stacks(struct target *t, bool live)
{
	bool complete = true;

	for (size_t i = 0; i < t->nsamples; i++) {
		struct upf_sample *s = &t->samples[i];
		const struct vcpu_stop *stop = &t->stops[s->vcpu];

		if (is_asleep(t, i))
			continue;
		s->depth = s->nwords = 0;
		s->end = UPF_END_NONE;
		if (!stop->online)
			continue;
		capture_set_live(t->captures[i], live);
		complete &= walk_stack(t, i, &stop->regs, live);
	}
	return complete;
}

/* With auto, after each walk: false if frame pointers have failed, and a stack must be read once more to be copied. */
static bool judge_stacks(struct target *t)
{
	bool fine = true;

	if (!t->returns)
		return true;
	returns_start(t->returns);
	for (size_t i = 0; i < t->nsamples; i++) {
		const struct vcpu_stop *stop = &t->stops[t->samples[i].vcpu];

		if (!is_asleep(t, i) && stop->online)
			fine &= stack_judge(&t->stack, &t->footings[i], t->returns, &stop->regs, &t->samples[i]);
	}
	return fine;
}

/*
 * One call copies the lines of all vCPUs, where memory is not mapped: what it is to copy is laid out before the
 * stop.
 */
static void lay_out_batch(struct target *t)
{
	if (!t->batch)
		return;
	capture_batch_clear(t->batch);
	for (size_t i = 0; i < t->nsamples; i++)
		if (!is_asleep(t, i))
			capture_batch_add(t->batch, t->captures[i]);
}

/* Between stop and resume this is all that happens. False: memory has moved. */
static bool copy_stacks(struct target *t)
{
	if (t->batch)
		return capture_batch_copy(t->batch) == 0;
	for (size_t i = 0; i < t->nsamples; i++)
		if (!is_asleep(t, i))
			capture_copy(t->captures[i]);
	return true;
}

/* What walks noted goes on the lists. How many lines are new; 0, too, if nothing can be mapped. */
static int extend_lists(struct target *t)
{
	int added = 0;

	for (size_t i = 0; i < t->nsamples; i++)
		capture_request(t->captures[i]);
	for (size_t i = 0; i < t->nsamples; i++) {
		int rc = capture_extend(t->captures[i]);

		added += rc > 0 ? rc : 0;
	}
	return added;
}

/* A walk meets the pages of a stack one after the other; one call maps them all. Needless where nothing is mapped. */
static void expect_stacks(struct target *t)
{
	for (size_t i = 0; i < t->nsamples && !t->batch; i++) {
		const struct vcpu_stop *stop = &t->stops[t->samples[i].vcpu];
		struct space space = space_of(&stop->regs, t->captures[i]);

		if (stop->online && stop->regs.valid && space.arch->translate)
			space_expect(&space, stop->regs.sp, stop->regs.sp + AHEAD);
	}
}

/*
 * Follows the stacks from the registers last read while the guest runs, only to learn which memory they need: what is
 * read may be torn and is thrown away. Each step finds one page more of each stack.
 */
static void map_stacks(struct target *t)
{
	for (int i = 0; i < WARM_STEPS && !walk_stacks(t, true); i++) {
		expect_stacks(t);
		if (extend_lists(t) == 0)
			return;
	}
	extend_lists(t);
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

/* --- vCPUs that sleep -------------------------------------------------------------------------------------------- */

/*
 * A vCPU that has slept for a while is expected to sleep on: its registers and stack are not read again. With all
 * registers, each is read in each round.
 */
static void choose_sleepers(struct target *t)
{
	memset(t->asleep, 0, sizeof(t->asleep));
	for (size_t i = 0; i < t->nsamples; i++) {
		const struct sleeper *s = &t->sleepers[i];
		uint32_t vcpu = t->samples[i].vcpu;

		if (s->rounds > s->patience && !t->registers)
			t->asleep[vcpu / 64] |= 1ull << vcpu % 64;
	}
}

/* Has it used CPU time since the last round, or does it want some? One that is offline sleeps. */
static bool has_run(const struct sleeper *s, const struct vcpu_stop *stop)
{
	return stop->online != s->online || (stop->online && !stop->blocked) || stop->cpu_ns != s->cpu_ns;
}

/*
 * False: a vCPU that was left out has run after all. From then on it must sleep for longer before it is left out: so a
 * vCPU that wakes often costs few rounds that are taken twice.
 */
static bool all_slept(struct target *t)
{
	bool all = true;

	for (size_t i = 0; i < t->nsamples; i++) {
		struct sleeper *s = &t->sleepers[i];

		if (!is_asleep(t, i) || !has_run(s, &t->stops[t->samples[i].vcpu]))
			continue;
		s->rounds = 0;
		s->patience = s->patience < PATIENCE_MAX ? 2 * s->patience + 1 : PATIENCE_MAX;
		all = false;
	}
	return all;
}

static void count_sleep(struct sleeper *s, const struct vcpu_stop *stop)
{
	if (has_run(s, stop))
		s->rounds = 0;
	else if (++s->rounds > 2 * PATIENCE_MAX)
		s->patience = 0;
	s->cpu_ns = stop->cpu_ns;
	s->online = stop->online;
}

/* --- a round ----------------------------------------------------------------------------------------------------- */

static bool same_domain(const struct target *t, const struct guest_info *info)
{
	return info->domid == t->info.domid && memcmp(info->uuid, t->info.uuid, sizeof(info->uuid)) == 0;
}

static bool is_over(const struct target *t, const struct guest_info *info)
{
	return !same_domain(t, info) || info->dying || (info->shutdown && !t->look);
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
	r->shutdown = info->shutdown;
	r->shutdown_code = info->shutdown_code;
	if (t->look || !info->paused)
		return false;
	r->kind = ROUND_PAUSED;
	return true;
}

static void fail(struct target *t, struct round *r, int error)
{
	if (error == -ESRCH) {
		end(t, r, NULL);
		return;
	}
	if (error == -EAGAIN) {
		r->kind = ROUND_VOID;
		r->overruns++;
		return;
	}
	r->kind = ROUND_FAILED;
	r->error = error;
}

/*
 * Asks before any pause, unless inquiry_make() has asked. True: the round is settled. Only worth a call if the last
 * round left reason to expect that: a busy guest costs two calls a round, a sleeping one a single call.
 */
static bool settled_unpaused(struct target *t, struct round *r)
{
	struct guest_info info;
	int rc = 0;

	if (t->answer)
		info = *t->answer;
	else
		rc = t->ops->info(t->guest, &info);

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

/* PV guests name the host's frames, and our mappings keep these; others name frames of their own. */
static bool frames_can_move(const struct target *t)
{
	return t->info.kind == GUEST_PVH || t->info.kind == GUEST_HVM || t->info.kind == GUEST_ARM;
}

/*
 * A guest that gives pages back and gets others may have other memory at the same frames, while our mappings stay what
 * they were. Its amount of memory changes with that; for other ways to move a frame, which are rare, all pages are
 * mapped anew now and then. The copies count as missing then, and the round is taken again.
 */
static void forget_moved(struct target *t, const struct round *r, const struct guest_info *info)
{
	if (!frames_can_move(t) || (info->pages == t->owned && r->began_ns - t->mapped_ns < REMAP_NS))
		return;
	if (t->mapped_ns)
		pages_drop(t->pages);
	t->owned = info->pages;
	t->mapped_ns = r->began_ns;
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
	case WATCH_URGED:
		r->overruns++;
		break;
	case WATCH_STUCK:
		if (rc == -ECANCELED)
			rc = -ETIMEDOUT;
		break;
	case WATCH_UNDONE:
		t->mark_spent = true;
		if (rc != -ECANCELED)
			break;
		rc = -EINVAL;
		r->overruns++;
	}
	add_pause(r, began_ns, ended_ns);
	return rc;
}

/*
 * Pause, copy, unpause; then walk in the copies. @live: the walk itself is in the pause, and so needs no list. False:
 * the round is settled without samples.
 */
static bool take(struct target *t, struct round *r, bool live, bool *complete)
{
	struct guest_info before;
	bool copied = true;
	int rc, undone;

	/* A spent mark would say that the next pause is in force before it is. */
	if (t->mark_spent)
		t->ops->mark_at(t->guest, t->watch->mark);
	t->mark_spent = false;
	t->ops->prepare(t->guest, t->asleep);
	lay_out_batch(t);
	r->began_ns = watch_begin(t->watch);
	rc = t->ops->stop(t->guest);
	if (rc < 0) {
		watch_end(t->watch, &r->began_ns, &(uint64_t){0});
		fail(t, r, rc);
		return false;
	}
	/* Where memory is read by calls, a live walk finds most in the copies. */
	if (rc == 0 && (!live || t->batch))
		copied = copy_stacks(t);
	if (live && rc == 0) {
		t->ops->collect(t->guest, &before, t->stops);
		walk_stacks(t, true);
	}
	undone = unpause(t, r);
	if (!live && rc == 0)
		t->ops->collect(t->guest, &before, t->stops);
	if (!copied)
		pages_drop(t->pages);
	/* No pause of ours is left if it was undone, or with the domain gone. */
	r->stuck = undone != 0 && undone != -EINVAL && undone != -ESRCH;
	if (r->stuck || undone == -ESRCH)
		fail(t, r, undone);
	else if (rc > 0)
		fail(t, r, -rc);
	else if (!forbidden(t, r, &before) && undone == -EINVAL)
		r->kind = ROUND_VOID;
	if (r->kind != ROUND_TAKEN)
		return false;
	if (!live)
		forget_moved(t, r, &before);
	*complete = (live || (all_slept(t) && walk_stacks(t, false))) && judge_stacks(t);
	return true;
}

static uint8_t state_of(const struct vcpu_stop *v)
{
	if (!v->online)
		return UPF_OFFLINE;
	if (v->in_vmm)
		return UPF_VMM;
	if (v->blocked)
		return UPF_BLOCKED;
	return v->running ? UPF_RUNNING : UPF_RUNNABLE;
}

/* All registers of sample @i, if they are asked for. */
static void read_registers(struct target *t, size_t i)
{
	struct upf_sample *s = &t->samples[i];
	const struct vcpu_regs *regs = &t->stops[s->vcpu].regs;

	s->registers = t->registers && s->end != UPF_END_NONE ? &t->registers[i] : NULL;
	if (!s->registers)
		return;
	s->nregs = regs->arch->registers ? regs->arch->registers : UPF_REGS;
	t->registers[i].n = 0;
	if (t->ops->registers)
		t->ops->registers(t->guest, s->vcpu, &t->registers[i]);
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
		s->mode = v->regs.valid && v->regs.arch->id != t->arch ? v->regs.arch->id : 0;
		s->root = v->regs.root.cr3;
		s->link = v->regs.link;
		s->nregs = s->tops == UPF_TOPS_COPY && v->regs.valid ? v->regs.arch->registers : 0;
		s->sp = v->regs.sp;
		s->fp = v->regs.fp;
		read_registers(t, i);
		if (s->tops == UPF_TOPS_WINDOW && v->regs.valid && !is_asleep(t, i))
			top_filter(room_of(t, i).words, s->nwords, s->frames, s->depth, s->fp, v->regs.arch->word);
		count_sleep(&t->sleepers[i], v);
		s->cpu_ns = t->started && now > t->last_cpu_ns[i] ? now - t->last_cpu_ns[i] : 0;
		t->last_cpu_ns[i] = now;
	}
	for (size_t i = 0; i < t->nsamples; i++)
		if (!is_asleep(t, i))
			capture_age(t->captures[i]);
	extend_lists(t);
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

bool sample_asks_first(const struct target *t)
{
	return t->quiet || t->foreign;
}

/*
 * Its thread has been in the virtual machine monitor: where it waits for a CPU after the first pause of a round, that is
 * all that the second one sees.
 */
static bool was_outside(const struct target *t)
{
	for (size_t i = 0; i < t->nsamples; i++)
		if (t->stops[t->samples[i].vcpu].in_vmm)
			return true;
	return false;
}

struct round sample_round(struct target *t)
{
	struct round r = {.kind = ROUND_TAKEN, .time_ns = clock_now()};
	bool complete;

	if (sample_asks_first(t) && settled_unpaused(t, &r))
		return r;
	choose_sleepers(t);
	if (!take(t, &r, false, &complete))
		return r;
	/*
	 * The lists lacked memory that the walk cannot do without, frame pointers have failed, or a vCPU that was left
	 * out has run. Map and list what is missing while the guest runs, then take this round again. The stack may be
	 * another one by then; so the last time the walk itself is in the pause.
	 */
	for (unsigned again = 1; !complete && again < ROUND_PAUSES; again++) {
		memset(t->asleep, 0, sizeof(t->asleep));
		map_stacks(t);
		if (!take(t, &r, again == ROUND_PAUSES - 1, &complete))
			return r;
	}
	finish(t);
	if (t->look && was_outside(t) && t->looks++ < LOOKS_MAX)
		r.kind = ROUND_AGAIN;
	return r;
}
