/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/sample.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "record/sampling/sleepers.h"
#include "record/sampling/vcpu_stacks.h"

#define LOOKS_MAX 100u          /* for a vCPU whose registers were out of reach each time */
#define REMAP_NS 10000000000ull /* how long the pages of a guest stay mapped whose frames can move */

void sample_warm(struct target *t)
{
	for (size_t i = 0; i < t->stacks.nsamples; i++) {
		uint32_t vcpu = t->stacks.samples[i].vcpu;

		memset(&t->stacks.stops[vcpu], 0, sizeof(t->stacks.stops[vcpu]));
		if (t->ops->pause.peek(t->guest, vcpu, &t->stacks.stops[vcpu].regs) == 0)
			t->stacks.stops[vcpu].online = true;
	}
	/* Until the first round much time may pass. */
	t->last.owned = t->info.pages;
	t->last.mapped_ns = clock_now();
	vcpu_stacks_map(&t->stacks);
}

/* --- a round ----------------------------------------------------------------------------------------------------- */

static bool is_same_domain(const struct target *t, const struct guest_info *info)
{
	return info->domid == t->info.domid && memcmp(info->uuid, t->info.uuid, sizeof(info->uuid)) == 0;
}

static bool is_over(const struct target *t, const struct guest_info *info)
{
	return !is_same_domain(t, info) || info->dying || (info->shutdown && !t->look);
}

/* A mapping would keep a dying domain as a zombie, so all is unmapped at once. */
static void end_target(struct target *t, struct round *r, const struct guest_info *info)
{
	target_let_go(t);
	t->ended = true;
	r->kind = ROUND_ENDED;
	if (info && is_same_domain(t, info) && !info->dying && info->shutdown) {
		r->shutdown = true;
		r->shutdown_code = info->shutdown_code;
	}
}

/* True: @info, from before any pause of ours, forbids sampling, and the round is settled. */
static bool forbidden(struct target *t, struct round *r, const struct guest_info *info)
{
	if (is_over(t, info)) {
		end_target(t, r, info);
		return true;
	}
	t->last.foreign = info->paused;
	r->shutdown = info->shutdown;
	r->shutdown_code = info->shutdown_code;
	if (t->look || !info->paused)
		return false;
	r->kind = ROUND_PAUSED;
	return true;
}

static void fail_round(struct target *t, struct round *r, int error)
{
	if (error == -ESRCH) {
		end_target(t, r, NULL);
		return;
	}
	if (error == -EAGAIN) {
		r->kind = ROUND_REFUSED;
		return;
	}
	r->kind = ROUND_FAILED;
	r->error = error;
}

/*
 * A vCPU's thread has been in the virtual machine monitor: where it waits for a CPU after the first pause of a round, that
 * is all that the second one sees. Or it did not stop in time, as on a busy host.
 */
static bool lacks_registers(const struct target *t)
{
	for (size_t i = 0; i < t->stacks.nsamples; i++) {
		const struct vcpu_stop *v = &t->stacks.stops[t->stacks.samples[i].vcpu];

		if (v->online && !v->regs.valid)
			return true;
	}
	return false;
}

/*
 * Asks before any pause, unless inquiry_make() has asked. True: the round is settled. Only worth a call if the last
 * round left reason to expect that: a busy guest costs two calls a round, a sleeping one a single call.
 */
static bool settled_unpaused(struct target *t, struct round *r)
{
	struct guest_info info;
	int rc = 0;

	if (t->last.answer)
		info = *t->last.answer;
	else
		rc = t->ops->guest.info(&t->guest, 1, &info);

	if (rc != 0) {
		fail_round(t, r, rc);
		return true;
	}
	if (forbidden(t, r, &info))
		return true;
	if (!t->last.started || info.cpu_ns != t->last.total_cpu_ns || (t->look && lacks_registers(t)))
		return false;
	for (size_t i = 0; i < t->stacks.nsamples; i++)
		t->stacks.samples[i].cpu_ns = 0;
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
 * mapped anew now and then. The copies count as missing then, and the round is taken again: not the first one, before
 * which a search for the build-id may take longer than that.
 */
static void forget_moved(struct target *t, const struct round *r, const struct guest_info *info)
{
	const bool is_old = t->last.started && r->began_ns - t->last.mapped_ns >= REMAP_NS;

	if (!frames_can_move(t) || (info->pages == t->last.owned && !is_old))
		return;
	if (t->last.mapped_ns)
		pages_drop(t->pages);
	t->last.owned = info->pages;
	t->last.mapped_ns = r->began_ns;
}

/* Clocks are known to stand still for a moment; a pause is never nothing. */
static void add_pause(struct round *r, uint64_t began_ns, uint64_t ended_ns)
{
	uint64_t ns = ended_ns > began_ns ? ended_ns - began_ns : 1;

	r->paused_ns[r->pauses++] = ns;
	r->pause_ns += ns;
}

/* What a pause was like. */
struct pause {
	int stopped;            /* by stop(): 0, or why there is nothing to read */
	struct pause_span span; /* by stop() */
	int undone;             /* by resume() or, later, end_pause(); 0, too, if stop() did not pause the guest */
	bool copied;            /* false: memory has moved */
	uint64_t ended_ns;      /* when resume() was called */
	struct guest_info before;
};

/*
 * The watchdog may have ended the pause, or be about to. p->undone is 0 then if our pause was in force until now;
 * -EINVAL: it was undone before; another negative errno: it may still be in force.
 */
static void end_pause(struct target *t, struct round *r, struct pause *p)
{
	uint64_t began_ns = r->began_ns, ended_ns = p->ended_ns;

	switch (watch_end(t->watch, &began_ns, &ended_ns)) {
	case WATCH_OURS:
		break;
	case WATCH_KICKED:
		r->overruns++;
		break;
	case WATCH_STUCK:
		if (p->undone == -ECANCELED)
			p->undone = -ETIMEDOUT;
		break;
	case WATCH_UNDONE:
		t->mark_spent = true;
		if (p->undone != -ECANCELED)
			break;
		p->undone = -EINVAL;
		r->overruns++;
	}
	if (p->span.until_ns)
		add_pause(r, began_ns, p->span.until_ns == UINT64_MAX ? ended_ns : p->span.until_ns);
}

static void prepare_stop(struct target *t)
{
	/* A spent mark would say that the next pause is in force before it is. */
	if (t->mark_spent)
		target_watch(t, t->watch);
	t->mark_spent = false;
	t->ops->pause.prepare(t->guest, t->stacks.asleep);
	if (t->ops->pause.wait_until)
		t->ops->pause.wait_until(t->guest, t->until_ns);
	vcpu_stacks_lay_out(&t->stacks);
}

/* Another error ends the recording of this guest. */
static void end_failed_stop(struct target *t, struct round *r, const struct pause *p)
{
	uint64_t ended_ns = p->stopped == -EAGAIN ? p->span.until_ns : 0;
	const bool was_held = ended_ns != 0;

	watch_end(t->watch, &r->began_ns, &ended_ns);
	if (was_held)
		add_pause(r, r->began_ns, ended_ns);
}

struct hold {
	struct target *t;
	struct round *r;
	struct pause *p;
	bool live;
};

/* From before the pause until the guest goes on. */
static void hold(void *ctx)
{
	const struct hold *h = ctx;
	struct target *t = h->t;
	struct pause *p = h->p;

	h->r->began_ns = watch_begin(t->watch);
	p->stopped = t->ops->pause.stop(t->guest, &p->span);
	if (p->span.from_ns > h->r->began_ns)
		h->r->began_ns = p->span.from_ns;
	if (p->stopped < 0)
		return;
	/* Where memory is read by calls, a live walk finds most in the copies. */
	if (p->stopped == 0 && (!h->live || t->stacks.batch))
		p->copied = vcpu_stacks_copy(&t->stacks);
	if (p->stopped == 0 && h->live) {
		t->ops->pause.collect(t->guest, &p->before, t->stacks.stops);
		vcpu_stacks_walk(&t->stacks, true);
	}
	p->undone = watch_claim(t->watch) ? t->ops->pause.resume(t->guest) : -ECANCELED;
	p->ended_ns = clock_now();
}

/* Pauses, copies, unpauses. @live: the walk itself is in the pause, and so needs no list. */
static void read_paused(struct target *t, struct round *r, bool live, struct pause *p)
{
	struct hold h = {t, r, p, live};

	if (t->ops->pause.run(t->guest, hold, &h, &r->cpu_ns) != 0) {
		p->stopped = -EAGAIN; /* no memory for a thread */
		return;
	}
	if (p->stopped < 0) {
		end_failed_stop(t, r, p);
		return;
	}
	end_pause(t, r, p);
	if (p->stopped == 0 && !live)
		t->ops->pause.collect(t->guest, &p->before, t->stacks.stops);
}

/* False: the round is settled without samples. */
static bool has_samples(struct target *t, struct round *r, const struct pause *p)
{
	/* No pause of ours is left if it was undone, or with the domain gone. */
	r->stuck = p->undone != 0 && p->undone != -EINVAL && p->undone != -ESRCH;
	if (r->stuck || p->undone == -ESRCH)
		fail_round(t, r, p->undone);
	else if (p->stopped != 0)
		fail_round(t, r, p->stopped < 0 ? p->stopped : -p->stopped);
	else if (!forbidden(t, r, &p->before) && p->undone == -EINVAL)
		r->kind = ROUND_VOID;
	return r->kind == ROUND_TAKEN;
}

/*
 * One pause, and the walks in the copies that it left. 1: the samples are new; 0: what a walk cannot do without was
 * missing; -1: the round is settled without samples.
 */
static int take_samples(struct target *t, struct round *r, bool live)
{
	struct pause p = {.copied = true};

	prepare_stop(t);
	read_paused(t, r, live, &p);
	if (!p.copied)
		pages_drop(t->pages);
	if (!has_samples(t, r, &p))
		return -1;
	if (!live)
		forget_moved(t, r, &p.before);
	return (live || (sleepers_all_slept(&t->stacks) && vcpu_stacks_walk(&t->stacks, false))) &&
	       vcpu_stacks_judge(&t->stacks);
}

static uint8_t vcpu_run_state(const struct vcpu_stop *v)
{
	if (!v->online)
		return UPF_OFFLINE;
	if (v->blocked)
		return UPF_BLOCKED;
	if (!v->running)
		return UPF_RUNNABLE;
	return v->in_vmm ? UPF_VMM : UPF_RUNNING;
}

/* All registers of sample @i, if they are asked for. */
static void read_registers(struct target *t, size_t i)
{
	struct upf_sample *s = &t->stacks.samples[i];
	const struct vcpu_regs *regs = &t->stacks.stops[s->vcpu].regs;

	s->registers = t->stacks.registers && s->end != UPF_END_NONE ? &t->stacks.registers[i] : NULL;
	if (!s->registers)
		return;
	s->nregs = regs->arch->registers ? regs->arch->registers : UPF_REGS;
	t->stacks.registers[i].n = 0;
	t->ops->pause.registers(t->guest, s->vcpu, &t->stacks.registers[i]);
}

/* Its live samples have no stack pointer, and its code needs one to be unwound. */
static void check_footings(struct target *t)
{
	for (size_t i = 0; i < t->stacks.nsamples; i++)
		if (stack_needs_sp(&t->stacks.footings[i]) && target_is_live(t))
			t->ops->guest.stop_instead(
				t->guest, "its code has no frame pointers, and live samples no stack pointer");
}

/* Completes the samples, after the guest was resumed. */
static void finish_samples(struct target *t)
{
	bool active = false;

	t->last.total_cpu_ns = 0;
	for (uint32_t v = 0; v < t->info.vcpus; v++) {
		t->last.total_cpu_ns += t->stacks.stops[v].cpu_ns;
		active |= t->stacks.stops[v].online && !t->stacks.stops[v].blocked;
	}
	for (size_t i = 0; i < t->stacks.nsamples; i++) {
		struct upf_sample *s = &t->stacks.samples[i];
		const struct vcpu_stop *v = &t->stacks.stops[s->vcpu];
		uint64_t now = v->cpu_ns - v->cpu_ns % UPF_TICK_NS;

		s->state = vcpu_run_state(v);
		s->exit = (uint8_t)v->exit;
		s->host = v->host;
		s->user = v->regs.user;
		s->mode = v->regs.valid && v->regs.arch->id != t->arch ? v->regs.arch->id : 0;
		s->root = v->regs.root.cr3;
		s->link = v->regs.link;
		s->nregs = s->tops == UPF_TOPS_COPY && v->regs.valid ? v->regs.arch->registers : 0;
		s->sp = v->regs.sp;
		s->fp = v->regs.fp;
		read_registers(t, i);
		vcpu_stacks_filter(&t->stacks, i);
		sleepers_count(&t->stacks, i);
		s->cpu_ns = t->last.started && now > t->stacks.last_cpu_ns[i] ? now - t->stacks.last_cpu_ns[i] : 0;
		t->stacks.last_cpu_ns[i] = now;
	}
	vcpu_stacks_renew_lists(&t->stacks);
	check_footings(t);
	t->last.quiet = !active;
	t->last.started = true;
}

static void note_seen(struct target *t, const struct round *r)
{
	if (!t->ended)
		t->comeback.seen_ns = r->time_ns;
}

bool sample_ended(struct target *t, struct round *r)
{
	struct guest_info info;
	int rc;

	*r = (struct round){.time_ns = clock_now()};
	rc = t->ops->guest.info(&t->guest, 1, &info);
	if (rc == -ESRCH)
		end_target(t, r, NULL);
	else if (rc == 0 && is_over(t, &info))
		end_target(t, r, &info);
	note_seen(t, r);
	return t->ended;
}

bool sample_asks_first(const struct target *t)
{
	return t->last.quiet || t->last.foreign;
}

/*
 * The lists lacked memory that a walk cannot do without, frame pointers have failed, or a vCPU that was left out has
 * run: what is missing is mapped and listed while the guest runs, then the round is taken again. The stack may be
 * another one by then; so the last time the walk itself is in the pause. False: the round is settled without samples.
 */
static bool take_until_complete(struct target *t, struct round *r)
{
	/* A guest that is not paused changes what is walked. */
	const bool can_walk = !target_is_live(t);
	int taken = take_samples(t, r, false);

	for (unsigned again = 1; taken == 0 && again < ROUND_PAUSES; again++) {
		r->again = true;
		sleepers_choose_none(&t->stacks);
		vcpu_stacks_map(&t->stacks);
		taken = take_samples(t, r, can_walk && again == ROUND_PAUSES - 1);
	}
	return taken >= 0;
}

static struct round take_round(struct target *t)
{
	struct round r = {.kind = ROUND_TAKEN, .time_ns = clock_now()};

	if (sample_asks_first(t) && settled_unpaused(t, &r))
		return r;
	sleepers_choose(&t->stacks);
	if (!take_until_complete(t, &r))
		return r;
	finish_samples(t);
	if (t->look && lacks_registers(t) && t->last.looks++ < LOOKS_MAX)
		r.kind = ROUND_AGAIN;
	return r;
}

struct round sample_round(struct target *t)
{
	struct round r = take_round(t);

	note_seen(t, &r);
	return r;
}
