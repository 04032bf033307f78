/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples with all registers: what they hold, and one look at a domain that does not run. */
#include "tests/unit/record/sampled.h"

#include <errno.h>

#define FP 0x7ff000000f00ull
#define SP (FP - 64)
#define CODE 0x401ff0ull /* its last bytes are on this page, the next ones on another, if there is one */

static const struct stack_choice choice = {
	.max_frames = 127, .window_words = 32, .copy_words = 512, .registers = true};
static const uint64_t returns[] = {0x10, 0x20, 0x30};

static void fill_code(struct fixture *f, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += 8)
		sim_poke(&f->d, f->root, at, at * UINT64_C(0x0101010101010101));
}

static void setup(struct fixture *f)
{
	f->d.info = (struct guest_info){.domid = 7, .vcpus = 2, .uuid = {1, 2, 3}};
	f->root = sim_space(&f->d);
	sim_stack(&f->d, f->root, FP, returns, 3);
	fill_code(f, CODE - 64, 0x402000);
	for (uint32_t v = 0; v < 2; v++)
		f->d.vcpu[v] = (struct vcpu_stop){
			.regs = {.ip = CODE,
		                 .fp = FP,
		                 .sp = SP,
		                 .root.cr3 = f->root << GUEST_PAGE_SHIFT,
		                 .valid = true},
			.online = true,
			.blocked = true,
		};
	open_target(f, &choice);
}

static void check_code(const struct register_set *set, unsigned behind)
{
	uint64_t first = CODE - set->code_before;

	assert_true(set->code_before >= 21);
	assert_int_equal(set->code_size, set->code_before + behind);
	for (unsigned i = 0; i < set->code_size; i++)
		assert_int_equal(set->code[i],
		                 (uint8_t)(((first + i) & ~7ull) * UINT64_C(0x0101010101010101) >> (i % 8 * 8)));
}

static void check_sample(const struct upf_sample *s)
{
	assert_int_equal(s->depth, 4);
	assert_memory_equal(s->frames + 1, returns, sizeof(returns));
	assert_true(s->tops == UPF_TOPS_COPY && s->nwords > (FP - SP) / 8 && s->nregs == UPF_REGS);
	assert_non_null(s->registers);
	assert_true(*upf_registers_find(s->registers, REGISTER_RIP) == CODE);
}

/* Frames, a copy of the stack, all registers, and the code on both sides of the instruction pointer, as far as it is. */
FIXTURE_TEST(all_of_it)
{
	struct round r;

	sample_warm(f->t);
	r = sample_round(f->t);
	assert_true(r.kind == ROUND_TAKEN && r.pauses == 1);
	check_sample(&f->t->stacks.samples[0]);
	check_sample(&f->t->stacks.samples[1]);
	check_code(f->t->stacks.samples[0].registers, 16);
	/* Now there is a page behind; the next pause finds that out, and another copies it. */
	fill_code(f, 0x402000, 0x402040);
	f->d.vcpu[0].blocked = false;
	for (int i = 0; i < 2; i++) {
		f->d.vcpu[0].cpu_ns += 1000000;
		f->d.info.cpu_ns += 1000000;
		assert_int_equal(sample_round(f->t).kind, ROUND_TAKEN);
	}
	check_code(f->t->stacks.samples[0].registers, 24);
}

/* Without a single page of code, nor of stack. */
FIXTURE_TEST(nothing_there)
{
	f->d.vcpu[0].regs.ip = f->d.vcpu[0].regs.fp = f->d.vcpu[0].regs.sp = 0x123456789000;
	f->d.vcpu[1].regs.valid = false;
	assert_int_equal(sample_round(f->t).kind, ROUND_TAKEN);
	assert_int_equal(f->t->stacks.samples[0].registers->code_size, 0);
	assert_true(*upf_registers_find(f->t->stacks.samples[0].registers, REGISTER_RIP) == 0x123456789000);
	assert_null(f->t->stacks.samples[1].registers);
}

/* One that sleeps is read all the same. */
FIXTURE_TEST(sleepers_are_read)
{
	f->d.vcpu[0].blocked = false;
	sample_warm(f->t);
	for (unsigned i = 1; i <= 10; i++) {
		f->d.vcpu[0].cpu_ns += 1000000;
		f->d.info.cpu_ns += 1000000;
		assert_int_equal(sample_round(f->t).kind, ROUND_TAKEN);
		assert_int_equal(f->d.contexts, 2 * i);
	}
}

/* Somebody else's pause is left as it is, whichever ends first. */
FIXTURE_TEST(look_at_paused)
{
	struct round r;

	f->d.foreign_pauses = 1;
	assert_int_equal(sample_round(f->t).kind, ROUND_PAUSED);
	f->t->look = true;
	sample_warm(f->t);
	r = sample_round(f->t);
	assert_true(r.kind == ROUND_TAKEN && r.pauses == 1 && !r.shutdown && f->t->last.foreign);
	check_sample(&f->t->stacks.samples[0]);
	assert_int_equal(f->d.foreign_pauses, 1);
}

static void lets_go(struct sim_domain *d, void *ctx)
{
	(void)ctx;
	d->foreign_pauses = 0;
}

FIXTURE_TEST(let_go_meanwhile)
{
	f->d.foreign_pauses = 1;
	f->d.on_resume = lets_go;
	f->t->look = true;
	sample_warm(f->t);
	assert_int_equal(sample_round(f->t).kind, ROUND_TAKEN);
	assert_int_equal(f->d.our_pauses + f->d.foreign_pauses, 0);
}

FIXTURE_TEST(look_at_crashed)
{
	struct round r;

	f->d.info.shutdown = true;
	f->d.info.shutdown_code = 3;
	f->t->look = true;
	sample_warm(f->t);
	assert_false(sample_ended(f->t, &r));
	r = sample_round(f->t);
	assert_true(r.kind == ROUND_TAKEN && r.shutdown && r.shutdown_code == 3);
	check_sample(&f->t->stacks.samples[0]);
	f->d.info.dying = true;
	assert_int_equal(sample_round(f->t).kind, ROUND_ENDED);
}

/* One whose registers are out of reach for a moment is looked at again; if they stay so, it has none. */
static void look_again(struct fixture *f, const struct vcpu_stop *out_of_reach)
{
	unsigned looks = 0;

	f->t->look = true;
	f->d.vcpu[1] = *out_of_reach;
	while (sample_round(f->t).kind == ROUND_AGAIN)
		looks++;
	assert_in_range(looks, 10, 1000);
	assert_int_equal(f->t->stacks.samples[1].end, UPF_END_NONE);
	f->t->last.looks = 0;
	assert_int_equal(sample_round(f->t).kind, ROUND_AGAIN);
	f->d.vcpu[1] = f->d.vcpu[0];
	assert_int_equal(sample_round(f->t).kind, ROUND_TAKEN);
	check_sample(&f->t->stacks.samples[1]);
}

FIXTURE_TEST(look_at_one_outside)
{
	look_again(f, &(struct vcpu_stop){.online = true, .running = true, .in_vmm = true});
}

/* Its thread waited for a processor. */
FIXTURE_TEST(look_at_one_that_did_not_stop)
{
	look_again(f, &(struct vcpu_stop){.online = true, .blocked = true});
}

FIXTURE_TEST(too_many_vcpus)
{
	struct guest_info info = {.domid = 7, .vcpus = UPF_ROUND_REGISTERS_MAX + 1};

	assert_null(target_open(&hypervisor_backend, f->x, &info, NULL, &choice));
	assert_int_equal(errno, E2BIG);
}
