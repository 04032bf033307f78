/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds over simulated domains: what is paused, what is called, what is taken. */
#include "tests/unit/record/sampled.h"

#include <errno.h>

#include "guest/arm.h"

#define FP 0x7ff000000f00ull

static const struct stack_choice choice = {127, 32, 0};

static const uint64_t returns[] = {0x10, 0x20, 0x30};

static void make_vcpu(struct sim_domain *d, uint32_t v, uint64_t root, bool running)
{
	d->vcpu[v] = (struct vcpu_stop){
		.regs = {.ip = 0x1000 + v, .fp = FP, .root.cr3 = root << GUEST_PAGE_SHIFT, .valid = true},
		.cpu_ns = 1000000,
		.online = true,
		.running = running,
		.blocked = !running,
	};
	d->info.cpu_ns += 1000000;
}

static void setup(struct fixture *f)
{
	f->d.info = (struct guest_info){.domid = 7, .vcpus = 2, .uuid = {1, 2, 3}};
	f->root = sim_space(&f->d);
	sim_stack(&f->d, f->root, FP, returns, 3);
	make_vcpu(&f->d, 0, f->root, true);
	make_vcpu(&f->d, 1, f->root, false);
	open_target(f, &choice);
}

static struct round take(struct fixture *f)
{
	return sample_round(f->t);
}

FIXTURE_TEST(warm_then_two_calls)
{
	unsigned long maps;
	struct round r;

	sample_warm(f->t);
	assert_int_equal(f->d.stops, 0);
	maps = f->d.maps;
	for (int i = 0; i < 10; i++) {
		f->d.vcpu[0].cpu_ns += 1000000;
		f->d.info.cpu_ns += 1000000;
		r = take(f);
		assert_int_equal(r.kind, ROUND_TAKEN);
		assert_int_equal(r.pauses, 1);
	}
	assert_int_equal(f->d.stops, 10);
	assert_int_equal(f->d.resumes, 10);
	assert_int_equal(f->d.infos, 0);
	assert_int_equal(f->d.maps, maps);
	assert_int_equal(f->t->stacks.samples[0].state, UPF_RUNNING);
	assert_int_equal(f->t->stacks.samples[0].end, UPF_END_ROOT);
	assert_int_equal(f->t->stacks.samples[0].depth, 4);
	assert_int_equal(f->t->stacks.samples[0].cpu_ns, 1000000);
	assert_int_equal(f->t->stacks.samples[1].state, UPF_BLOCKED);
	assert_int_equal(f->t->stacks.samples[1].cpu_ns, 0);
	assert_memory_equal(f->t->stacks.samples[1].frames + 1, returns, sizeof(returns));
}

/* Without warming, the first round maps outside its pause and is taken anew: nothing is lost. */
FIXTURE_TEST(cold_start)
{
	struct round r = take(f);

	assert_int_equal(r.kind, ROUND_TAKEN);
	assert_int_equal(r.pauses, 2);
	assert_true(r.again);
	assert_int_equal(f->t->stacks.samples[0].end, UPF_END_ROOT);
	assert_true(f->d.maps > 0);
	assert_int_equal(take(f).pauses, 1);
}

FIXTURE_TEST(idle_guest_is_left_alone)
{
	f->d.vcpu[0].running = false;
	f->d.vcpu[0].blocked = true;
	sample_warm(f->t);
	assert_int_equal(take(f).kind, ROUND_TAKEN);
	for (int i = 0; i < 100; i++) {
		struct round r = take(f);

		assert_int_equal(r.kind, ROUND_SAME);
		assert_int_equal(r.pauses, 0);
	}
	assert_int_equal(f->d.stops, 1);
	assert_int_equal(f->d.infos, 100);
	/* It ran a little: paused once more. */
	f->d.vcpu[1].cpu_ns += 5000;
	f->d.info.cpu_ns += 5000;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
	assert_int_equal(f->t->stacks.samples[1].cpu_ns, 5000);
	assert_int_equal(take(f).kind, ROUND_SAME);
	assert_int_equal(f->t->stacks.samples[1].cpu_ns, 0);
	assert_int_equal(f->d.stops, 2);
}

/* CPU time of fractions of the trace's tick adds up to the whole. */
FIXTURE_TEST(cpu_time_is_exact)
{
	uint64_t sum = 0;

	take(f);
	for (int i = 0; i < 1000; i++) {
		f->d.vcpu[0].cpu_ns += 1234567;
		take(f);
		assert_int_equal(f->t->stacks.samples[0].cpu_ns % UPF_TICK_NS, 0);
		sum += f->t->stacks.samples[0].cpu_ns;
	}
	assert_int_equal(sum, 1234567000);
	f->d.vcpu[0].cpu_ns -= 1000000; /* a clock that goes back gives nothing */
	take(f);
	assert_int_equal(f->t->stacks.samples[0].cpu_ns, 0);
}

FIXTURE_TEST(somebody_elses_pause)
{
	unsigned long stops;

	take(f);
	f->d.info.paused = true;
	assert_int_equal(take(f).kind, ROUND_PAUSED);
	stops = f->d.stops;
	for (int i = 0; i < 10; i++)
		assert_int_equal(take(f).kind, ROUND_PAUSED);
	assert_int_equal(f->d.stops, stops); /* only asked, not paused on top */
	f->d.info.paused = false;
	assert_int_equal(take(f).kind, ROUND_SAME); /* it has not run since */
	f->d.info.cpu_ns += 1000;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
}

FIXTURE_TEST(stolen_pause)
{
	take(f);
	f->d.steal_pause = true;
	assert_int_equal(take(f).kind, ROUND_VOID);
	assert_int_equal(take(f).kind, ROUND_TAKEN);
}

FIXTURE_TEST(the_domain_ends)
{
	struct round r;

	take(f);
	f->d.info.dying = true;
	r = take(f);
	assert_int_equal(r.kind, ROUND_ENDED);
	assert_false(r.shutdown);
	assert_true(f->t->ended);
	assert_int_equal(f->d.mapped, 0); /* no zombie */
}

FIXTURE_TEST(the_domain_crashes)
{
	struct round r;

	take(f);
	f->d.info.shutdown = true;
	f->d.info.shutdown_code = 3;
	r = take(f);
	assert_int_equal(r.kind, ROUND_ENDED);
	assert_true(r.shutdown);
	assert_int_equal(r.shutdown_code, 3);
}

/* Looked at between rounds: nothing is paused for it. */
FIXTURE_TEST(the_end_is_seen_without_a_pause)
{
	struct round r;

	take(f);
	f->d.stops = 0;
	assert_false(sample_ended(f->t, &r));
	assert_true(f->d.mapped > 0);
	f->d.info.shutdown = true;
	f->d.info.shutdown_code = 1;
	assert_true(sample_ended(f->t, &r));
	assert_int_equal(r.kind, ROUND_ENDED);
	assert_true(r.shutdown);
	assert_int_equal(r.shutdown_code, 1);
	assert_int_equal(f->d.mapped, 0);
	assert_int_equal(f->d.stops, 0);
}

/* The number was given to a new domain. */
FIXTURE_TEST(the_domid_is_reused)
{
	take(f);
	f->d.info.uuid[0]++;
	assert_int_equal(take(f).kind, ROUND_ENDED);
	f->d.info.uuid[0]--;
}

FIXTURE_TEST(the_hypervisor_refuses)
{
	struct round r;

	f->d.stop_error = -ESRCH;
	assert_int_equal(take(f).kind, ROUND_ENDED);
	f->d.stop_error = -EPERM;
	r = take(f);
	assert_int_equal(r.kind, ROUND_FAILED);
	assert_int_equal(r.error, -EPERM);
}

/* The pause was carried out and reading the registers failed: it is undone. */
FIXTURE_TEST(paused_and_not_read)
{
	struct round r;

	f->d.stop_error = EFAULT;
	r = take(f);
	assert_int_equal(r.kind, ROUND_FAILED);
	assert_int_equal(r.error, -EFAULT);
	assert_false(r.stuck);
	assert_int_equal(r.pauses, 1);
	assert_int_equal(f->d.resumes, 1);
	assert_int_equal(f->d.our_pauses, 0);
}

/* As the watchdog would at any moment of the pause; here before the registers are read. */
static void undo_by_watchdog(struct sim_domain *d, void *ctx)
{
	struct fixture *f = ctx;

	(void)d;
	atomic_store(&f->watch.undone_ns, f->watch.began_ns + 5);
	atomic_fetch_add(&f->watch.state, 3); /* from held to undone */
}

/*
 * Something transient: the next round may succeed. In time would have been only if the watchdog had not kicked. How long
 * vCPUs were held is counted all the same.
 */
FIXTURE_TEST(a_stop_that_does_not_succeed_is_tried_again)
{
	struct round r;

	f->d.held_ns = 50000000;
	f->d.stop_error = -EAGAIN;
	r = take(f);
	assert_int_equal(r.kind, ROUND_REFUSED);
	assert_int_equal(r.overruns, 0);
	assert_int_equal(r.pauses, 1);
	assert_true(r.pause_ns >= f->d.held_ns);
	f->d.stop_error = 0;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
}

FIXTURE_TEST(the_watchdog_undoes_the_pause)
{
	unsigned long resumes;
	struct round r;

	take(f);
	resumes = f->d.resumes;
	f->d.tick = undo_by_watchdog;
	f->d.ctx = f;
	r = take(f);
	assert_int_equal(r.kind, ROUND_VOID);
	assert_int_equal(r.overruns, 1);
	assert_int_equal(r.pause_ns, 5);
	assert_int_equal(f->d.resumes, resumes); /* not ours to undo any more */
	f->d.our_pauses = 0;
	f->d.tick = NULL;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
}

/* The recorder has claimed the pause when the watchdog takes over; its own call still ends the pause. */
static void take_over(struct sim_domain *d, void *ctx)
{
	struct fixture *f = ctx;

	(void)d;
	atomic_store(&f->watch.undone_ns, f->watch.began_ns + 5);
	atomic_fetch_add(&f->watch.state, 2); /* from ending to undone */
}

FIXTURE_TEST(the_watchdog_takes_over_while_we_resume)
{
	take(f);
	f->d.on_resume = take_over;
	f->d.ctx = f;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
	assert_int_equal(f->t->stacks.samples[0].state, UPF_RUNNING);
	assert_int_equal(f->t->stacks.samples[0].depth, 4);
	f->d.on_resume = NULL;
	assert_int_equal(take(f).kind, ROUND_TAKEN);
}

static void run_first(struct fixture *f)
{
	f->d.vcpu[0].cpu_ns += 1000000;
	f->d.info.cpu_ns += 1000000;
}

/* A vCPU that sleeps is not read again, its sample stays; when it runs after all the round is taken once more. */
FIXTURE_TEST(a_sleeper_is_not_read)
{
	unsigned long contexts;
	struct round r;

	sample_warm(f->t);
	for (int i = 0; i < 4; i++, run_first(f))
		take(f);
	contexts = f->d.contexts;
	for (int i = 0; i < 10; i++, run_first(f)) {
		assert_int_equal(take(f).pauses, 1);
		assert_int_equal(f->t->stacks.samples[1].state, UPF_BLOCKED);
		assert_int_equal(f->t->stacks.samples[1].depth, 4);
		assert_int_equal(f->t->stacks.samples[1].cpu_ns, 0);
	}
	assert_int_equal(f->d.contexts - contexts, 10); /* the first vCPU's */
	f->d.vcpu[1].cpu_ns += 3000;
	f->d.vcpu[1].regs.ip = 0x5555;
	r = take(f);
	assert_int_equal(r.kind, ROUND_TAKEN);
	assert_int_equal(r.pauses, 2);
	assert_int_equal(f->t->stacks.samples[1].frames[0], 0x5555);
	assert_int_equal(f->t->stacks.samples[1].cpu_ns, 3000);
}

/* One that wakes every few rounds makes few of them be taken twice. */
FIXTURE_TEST(a_light_sleeper_is_read)
{
	unsigned again = 0;

	sample_warm(f->t);
	for (int i = 0; i < 1000; i++, run_first(f)) {
		if (i % 5 == 0) {
			f->d.vcpu[1].cpu_ns += 1000;
			f->d.vcpu[1].regs.ip++;
		}
		again += take(f).pauses == 2;
		assert_int_equal(f->t->stacks.samples[1].frames[0], f->d.vcpu[1].regs.ip);
	}
	assert_in_range(again, 1, 10);
}

/* The stack moves by more than the lists reach: the round is taken once more, right, and found at once later. */
FIXTURE_TEST(a_stack_that_moves)
{
	unsigned again = 0;

	for (int i = 0; i < 16; i++)
		sim_stack(&f->d, f->root, FP - 0x10000 * (i + 1), returns, 3);
	sample_warm(f->t);
	for (int i = 0; i < 64; i++, run_first(f)) {
		f->d.vcpu[0].regs.fp = FP - 0x10000 * (uint64_t)(i % 16 + 1);
		f->d.vcpu[0].regs.sp = f->d.vcpu[0].regs.fp - 32;
		again += take(f).pauses == 2;
		assert_int_equal(f->t->stacks.samples[0].end, UPF_END_ROOT);
		assert_int_equal(f->t->stacks.samples[0].depth, 4);
	}
	assert_in_range(again, 15, 16);
}

/* The stack's frame is given back, and is other memory when the guest gets it again. */
static void make_frames_move(struct fixture *f, enum guest_kind kind)
{
	const uint64_t word = 0x999;

	f->d.info.kind = kind;
	open_target(f, &choice);
	sample_warm(f->t);
	assert_int_equal(take(f).pauses, 1);
	assert_int_equal(f->t->stacks.samples[0].frames[1], 0x10);
	f->d.moved = sim_page(&f->d, f->root, FP);
	f->d.moved_to = sim_space(&f->d);
	memcpy(f->d.memory[f->d.moved_to], f->d.memory[f->d.moved], GUEST_PAGE_SIZE);
	memcpy(f->d.memory[f->d.moved_to] + FP % GUEST_PAGE_SIZE + 8, &word, sizeof(word));
	f->d.info.pages++;
}

FIXTURE_TEST(frames_that_move)
{
	make_frames_move(f, GUEST_PVH);
	assert_int_equal(take(f).pauses, 2);
	assert_int_equal(f->t->stacks.samples[0].end, UPF_END_ROOT);
	assert_int_equal(f->t->stacks.samples[0].frames[1], 0x999);
	assert_int_equal(take(f).pauses, 1);
}

/* The same by no change of the amount: seen when all pages are mapped anew. */
FIXTURE_TEST(frames_that_move_unseen)
{
	make_frames_move(f, GUEST_HVM);
	f->d.info.pages--;
	assert_int_equal(take(f).pauses, 1);
	assert_int_equal(f->t->stacks.samples[0].frames[1], 0x10);
	f->t->last.mapped_ns -= 11000000000;
	assert_int_equal(take(f).pauses, 2);
	assert_int_equal(f->t->stacks.samples[0].frames[1], 0x999);
}

/* A PV guest's frames are the host's, and do not move. */
FIXTURE_TEST(frames_that_stay)
{
	make_frames_move(f, GUEST_PV);
	assert_int_equal(take(f).pauses, 1);
}

/* The mode's registers: the link register with every stack, all of them with a copy of one. */
FIXTURE_TEST(registers_of_arm)
{
	const uint64_t fp = (sim_space(&f->d) << GUEST_PAGE_SHIFT) + 0x100, caller = 0x4321;
	const struct arm_state arm = {.cpsr = 5, .pc = 0x4000, .sp_el1 = fp - 64, .x = {[29] = fp, [30] = 0x4242}};

	memcpy(f->d.memory[fp >> GUEST_PAGE_SHIFT] + 0x108, &caller, sizeof(caller));
	arm_mode(&arm, &f->d.vcpu[0].regs);
	for (int copy = 0; copy < 2; copy++) {
		const struct stack_choice with = {127, copy ? 0 : 32, copy ? 32 : 0};
		const struct upf_sample *s;

		open_target(f, &with);
		assert_int_equal(take(f).kind, ROUND_TAKEN);
		s = &f->t->stacks.samples[0];
		assert_int_equal(s->mode, UPF_ARCH_ARM64);
		assert_int_equal(s->link, 0x4242);
		assert_int_equal(s->depth, copy ? 1 : 2);
		assert_int_equal(s->frames[s->depth - 1], copy ? 0x4000 : caller);
		assert_int_equal(s->nregs, copy ? UPF_REGS_ARM64 : 0);
		assert_int_equal(s->regs[30], 0x4242);
		assert_int_equal(s->regs[31], fp - 64);
		assert_int_equal(f->t->stacks.samples[1].mode, 0);
		assert_int_equal(f->t->stacks.samples[1].link, 0);
	}
}

FIXTURE_TEST(offline_vcpu)
{
	f->d.vcpu[1].online = false;
	take(f);
	assert_int_equal(f->t->stacks.samples[1].state, UPF_OFFLINE);
	assert_int_equal(f->t->stacks.samples[1].end, UPF_END_NONE);
	assert_int_equal(f->t->stacks.samples[1].depth, 0);
}

FIXTURE_TEST(some_vcpus)
{
	static const uint64_t second[UPF_VCPUS_MAX / 64] = {2}, none[UPF_VCPUS_MAX / 64] = {4};

	target_close(f->t);
	f->t = target_open(&hypervisor_backend, f->x, &f->d.info, none, &choice);
	assert_null(f->t);
	assert_int_equal(errno, ENODEV);
	f->t = target_open(&hypervisor_backend, f->x, &f->d.info, second, &choice);
	assert_int_equal(f->t->stacks.nsamples, 1);
	take(f);
	assert_int_equal(f->t->stacks.samples[0].vcpu, 1);
	assert_int_equal(f->t->stacks.samples[0].frames[0], 0x1001);
}
