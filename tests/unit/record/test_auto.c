/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --call-graph auto over simulated guests that were compiled with frame pointers, without, or both: which stacks are
 * copied, and how often a round is taken twice for it.
 */
#include "tests/unit/record/sampled.h"

#include "guest/x86.h"

#define CODE 0x400000ull       /* a page of it, a call every 16 bytes */
#define SP 0x7ff000002e00ull   /* of the innermost function */
#define TOP 0x7ff000003000ull  /* of the stack, above which there is no page */
#define HEAP 0x7ff000500000ull /* mapped, and not far from the stack */
#define COPY_WORDS 2048u

#define VCPUS 4

static const struct stack_choice choice = {127, 32, COPY_WORDS};

/* The address behind the @n-th call. */
static uint64_t behind(unsigned n)
{
	return CODE + 16 * n + 16;
}

static void setup(struct fixture *f)
{
	f->d.info = (struct guest_info){.domid = 7, .vcpus = 1};
	f->root = sim_space(&f->d);
	for (unsigned n = 0; n < 200; n++) /* nops, and call rel32 */
		sim_poke(&f->d, f->root, behind(n) - 8, 0x00001000e8909090ull);
	for (uint64_t at = TOP - 0x3000; at < TOP; at += 4096)
		sim_page(&f->d, f->root, at);
	for (unsigned i = 0; i < 16; i++) /* what looks like frames, and is none */
		sim_poke(&f->d, f->root, HEAP + 8 * i, i % 2 ? CODE + 5 : HEAP + 8 * i + 16);
	f->d.vcpu[0] = (struct vcpu_stop){
		.regs = {.ip = CODE + 8,
	                 .sp = SP,
	                 .root.cr3 = f->root << GUEST_PAGE_SHIFT,
	                 .valid = true,
	                 .all = {[7] = SP}},
		.online = true,
		.running = true,
	};
	open_target(f, &choice);
}

/* Compiled with frame pointers: @n frames from @fp up, which the stack pointer is @below. */
static void with_frames(struct fixture *f, uint64_t fp, unsigned n, uint64_t below)
{
	uint64_t returns[100];

	for (unsigned i = 0; i < n; i++)
		returns[i] = behind(i);
	sim_stack(&f->d, f->root, fp, returns, n);
	f->d.vcpu[0].regs.fp = f->d.vcpu[0].regs.all[6] = fp;
	f->d.vcpu[0].regs.sp = f->d.vcpu[0].regs.all[7] = fp - below;
}

/* Compiled without: return addresses between other words, and anything in the register. */
static void without_frames(struct fixture *f, uint64_t rbp)
{
	for (uint64_t at = SP; at < TOP; at += 8)
		sim_poke(&f->d, f->root, at, at % 40 ? at * 3 : behind((unsigned)(at / 40 % 100)));
	f->d.vcpu[0].regs.sp = f->d.vcpu[0].regs.all[7] = SP;
	f->d.vcpu[0].regs.fp = f->d.vcpu[0].regs.all[6] = rbp;
}

/* One round in which the guest has run. */
static const struct upf_sample *take(struct fixture *f)
{
	struct round r;

	f->d.vcpu[0].cpu_ns += 1000000;
	f->d.info.cpu_ns += 1000000;
	r = sample_round(f->t);
	assert_int_equal(r.kind, ROUND_TAKEN);
	f->retaken += r.pauses > 1;
	return &f->t->stacks.samples[0];
}

static void is_copy(struct fixture *f, const struct upf_sample *s)
{
	uint64_t word;

	assert_int_equal(s->tops, UPF_TOPS_COPY);
	assert_int_equal(s->nwords, (TOP - s->sp) / 8);
	for (uint32_t i = 0; i < s->nwords; i++) {
		memcpy(&word, f->d.memory[sim_page(&f->d, f->root, s->sp + 8 * i)] + (s->sp + 8 * i) % 4096, 8);
		assert_int_equal(s->words[i], word);
	}
}

static void has_frames(const struct upf_sample *s, unsigned n)
{
	assert_int_equal(s->depth, n + 1);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(s->frames[i + 1], behind(i));
}

/* A guest with frame pointers pays nothing: what is captured, and what is recorded, is as with fp alone. */
FIXTURE_TEST(frames_everywhere)
{
	static const struct stack_choice fp = {127, 32, 0};
	struct target *other = target_open(&hypervisor_backend, f->x, &f->d.info, NULL, &fp);
	struct watch watch = {.mark = &(struct pause_mark){{0}}};

	target_watch(other, &watch);
	with_frames(f, SP - 0x800, 10, 64);
	sample_warm(f->t);
	sample_warm(other);
	for (int i = 0; i < 1000; i++) {
		const struct upf_sample *s = take(f);

		sample_round(other);
		assert_int_equal(s->tops, UPF_TOPS_WINDOW);
		assert_int_equal(s->end, UPF_END_ROOT);
		has_frames(s, 10);
		assert_int_equal(s->nwords, other->stacks.samples[0].nwords);
		assert_int_equal(capture_lines(f->t->stacks.captures[0]), capture_lines(other->stacks.captures[0]));
	}
	assert_int_equal(f->retaken, 0);
	target_close(other);
}

/* A frame on each of three pages, each function in a page of its own; in an address space of this vCPU's own. */
static void spread_out(struct sim_domain *d, uint32_t vcpu)
{
	uint64_t root = sim_space(d), fp = SP - 0x2000;

	d->vcpu[vcpu] = d->vcpu[0];
	d->vcpu[vcpu].regs.root.cr3 = root << GUEST_PAGE_SHIFT;
	d->vcpu[vcpu].regs.fp = d->vcpu[vcpu].regs.all[6] = fp;
	d->vcpu[vcpu].regs.sp = d->vcpu[vcpu].regs.all[7] = fp - 64;
	for (unsigned i = 0; i < 3; i++, fp += 0x1000) {
		sim_poke(d, root, fp, i < 2 ? fp + 0x1000 : 0);
		sim_poke(d, root, fp + 8, behind(256 * i));
		sim_poke(d, root, behind(256 * i) - 8, 0x00001000e8909090ull);
	}
}

/* A call that maps costs more than many pages do, so whatever is missing at once is mapped at once, of all vCPUs. */
FIXTURE_TEST(mapped_together)
{
	f->d.info.vcpus = VCPUS;
	for (uint32_t v = 0; v < VCPUS; v++)
		spread_out(&f->d, v);
	open_target(f, &choice);
	sample_warm(f->t);
	assert_int_equal(f->d.maps, 5); /* four levels of page tables, and the stacks */
	take(f);
	for (uint32_t v = 0; v < VCPUS; v++) {
		assert_int_equal(f->t->stacks.samples[v].end, UPF_END_ROOT);
		assert_int_equal(f->t->stacks.samples[v].depth, 4);
	}
	assert_int_equal(f->d.maps, 5 + 4); /* and of the code, whose highest table is theirs */
}

/* Whatever the register holds: the first round is taken twice, for the copy; no later one is. */
FIXTURE_TEST(no_frames)
{
	const uint64_t held[] = {0,    1,       77,     ~0ull,     0x8000000000000000ull,
	                         CODE, SP,      SP + 8, SP + 40,   TOP - 16,
	                         TOP,  SP - 64, HEAP,   HEAP + 16, SP + 0x100};

	for (size_t i = 0; i < COUNT(held); i++)
		for (int n = 0; n < 50; n++) {
			without_frames(f, held[i]);
			is_copy(f, take(f));
			assert_int_equal(f->t->stacks.samples[0].depth, 1);
		}
	assert_in_range(f->retaken, 1, 3);
}

/* Return addresses that no call has left, and one frame alone, prove nothing. */
FIXTURE_TEST(what_looks_like_frames)
{
	with_frames(f, SP, 5, 64);
	sim_poke(&f->d, f->root, SP + 32 * 2 + 8, behind(3) + 1);
	is_copy(f, take(f));
	assert_int_equal(f->t->stacks.samples[0].depth, 1);
	with_frames(f, SP, 1, 64);
	sim_poke(&f->d, f->root, SP + 8, 0);
	is_copy(f, take(f));
	/* The root's may have been put there by hand. */
	with_frames(f, SP, 5, 64);
	sim_poke(&f->d, f->root, SP + 32 * 4 + 8, behind(3) + 1);
	take(f);
	assert_int_equal(f->t->stacks.samples[0].depth, 6);
}

/*
 * The frame pointer is right, but of a caller far up: functions without a frame lie between, more than the window
 * shows.
 */
FIXTURE_TEST(frames_far_up)
{
	with_frames(f, SP, 5, 0x400);
	assert_int_equal(take(f)->tops, UPF_TOPS_WINDOW); /* large, but a single function's */
	assert_int_equal(take(f)->nwords, 32);
	sim_poke(&f->d, f->root, SP - 0x80, behind(50) + 3);
	assert_int_equal(take(f)->tops, UPF_TOPS_WINDOW);
	sim_poke(&f->d, f->root, SP - 0x80, behind(50));
	is_copy(f, take(f));
	has_frames(&f->t->stacks.samples[0], 0);
}

/* Goes from one style to the other: what is recorded is right all the time, and copies end when they are of no use. */
FIXTURE_TEST(both_styles)
{
	unsigned copies = 0;

	for (int i = 0; i < 4000; i++) {
		const struct upf_sample *s;

		if (i / 1000 % 2) {
			without_frames(f, HEAP);
			is_copy(f, take(f));
			continue;
		}
		with_frames(f, TOP - 16 - 6 * 32, 7, 64); /* no word is above the root */
		s = take(f);
		has_frames(s, 7);
		copies += s->tops == UPF_TOPS_COPY;
	}
	assert_in_range(copies, 100, 200); /* after the change to frames, once */
	assert_in_range(f->retaken, 1, 8);
}

/* A few functions only use the register otherwise: at any share of the samples under 1 % are taken twice. */
FIXTURE_TEST(now_and_then)
{
	srand(1);
	for (unsigned share = 1; share <= 1000; share *= 3) {
		f->retaken = 0;
		for (int i = 0; i < 10000; i++) {
			bool other = (unsigned)rand() % 1000 < share;

			with_frames(f, SP, 7, 64);
			if (other)
				f->d.vcpu[0].regs.fp = HEAP + 3;
			take(f);
			if (other)
				is_copy(f, &f->t->stacks.samples[0]);
			else
				has_frames(&f->t->stacks.samples[0], 7);
		}
		assert_in_range(f->retaken, 0, 80);
	}
}

/* Without a stack pointer there are frames or nothing, and no round is taken twice for more. */
FIXTURE_TEST(no_stack_pointer)
{
	const struct upf_sample *s = &f->t->stacks.samples[0];

	for (int i = 0; i < 100; i++) {
		with_frames(f, SP, 7, 64);
		f->d.vcpu[0].regs.sp = 0;
		take(f);
		has_frames(s, 7);
		assert_true(s->tops == UPF_TOPS_WINDOW && s->nwords == 0 && s->sp == 0 && s->end == UPF_END_ROOT);
	}
	assert_false(stack_needs_sp(&f->t->stacks.footings[0]));
	for (int i = 0; i < 30; i++) {
		with_frames(f, SP, 7, 64);
		sim_poke(&f->d, f->root, SP + 32 * 2 + 8, behind(3) + 1);
		f->d.vcpu[0].regs.sp = 0;
		take(f);
		assert_true(s->depth == 1 && s->end == UPF_END_DESCENDING);
	}
	assert_true(stack_needs_sp(&f->t->stacks.footings[0]));
	assert_in_range(f->retaken, 0, 3);
}

TEST(calls_of_x86)
{
	static const struct {
		const char *code;
		bool ends_call;
	} known[] = {
		{"\x90\x90\x90\xe8\x01\x02\x03\x04", true},  /* call rel32 */
		{"\x90\x90\x90\x90\x90\x90\xff\xd0", true},  /* call *%rax */
		{"\x90\x90\x90\x90\x90\x41\xff\xd3", true},  /* call *%r11 */
		{"\x90\x90\x90\x90\x90\x90\xff\x13", true},  /* call *(%rbx) */
		{"\x90\x90\x90\x90\x90\xff\x50\x08", true},  /* call *8(%rax) */
		{"\x90\x90\x90\x90\x90\xff\x14\xc3", true},  /* call *(%rbx,%rax,8) */
		{"\x90\x90\x90\x90\xff\x54\x24\x08", true},  /* call *8(%rsp) */
		{"\x90\x90\xff\x15\x01\x02\x03\x04", true},  /* call *x(%rip) */
		{"\x90\x90\xff\x90\x01\x02\x03\x04", true},  /* call *x(%rax) */
		{"\x90\xff\x14\xc5\x01\x02\x03\x04", true},  /* call *x(,%rax,8) */
		{"\x90\xff\x94\x24\x01\x02\x03\x04", true},  /* call *x(%rsp) */
		{"\x90\x90\x90\x90\x90\x90\xff\xe0", false}, /* jmp *%rax */
		{"\x90\x90\x90\xe9\x01\x02\x03\x04", false}, /* jmp rel32 */
		{"\x90\x90\x90\x90\x90\x90\x0f\x05", false}, /* syscall */
		{"\x90\x90\x90\x90\x90\x90\xff\x14", false}, /* cut */
		{"\x90\x90\x90\x90\x90\x90\xff\x50", false}, /* cut */
		{"\x90\x90\x90\x90\x90\xff\xd0\x90", false}, /* not the last */
		{"\x90\x90\x90\x90\x90\x90\x90\x90", false},
	};

	for (size_t i = 0; i < COUNT(known); i++)
		assert_int_equal(x86_ends_call((const uint8_t *)known[i].code), known[i].ends_call);
}
