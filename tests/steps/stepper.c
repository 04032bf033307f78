/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stepper.c - runs a program one instruction at a time and takes a sample before each, by the recorder's own code:
 * stepper PROGRAM PREFIX makes PREFIX.fp.upf, .dwarf.upf, .auto.upf and .live.upf, and PREFIX.truth.upf with the
 * chains as they are.
 *
 * The truth is kept from the call and return instructions themselves: what a call pushes is on the chain until the
 * return that pops it.
 */
#include "format/upf.h"
#include "guest/pages.h"
#include "record/stack/stack.h"
#include "record/stack/top.h"
#include "tests/steps/process.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW 32
#define COPY 2048
#define STEPS_MAX 1000000

_Noreturn void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* --- the program's memory, as a guest's -------------------------------------------------------------------------- */

struct guest {
	struct process process;
};

bool process_wait(const struct process *p)
{
	int status;

	if (waitpid(p->pid, &status, 0) < 0)
		fail("wait");
	if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return false;
	fprintf(stderr, "stepper: the program did not end as it should: status 0x%x\n", (unsigned)status);
	exit(2);
}

static bool read_memory(const struct process *p, uint64_t address, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)(p->base + address), size};

	return process_vm_readv(p->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	for (size_t i = 0; i < n; i++) {
		void *page = malloc(GUEST_PAGE_SIZE);

		if (page && !read_memory(&g->process, frames[i] << GUEST_PAGE_SHIFT, page, GUEST_PAGE_SIZE)) {
			free(page);
			page = NULL;
		}
		pages[i] = page;
	}
	return 0;
}

static void unmap(struct guest *g, const void *page)
{
	(void)g;
	free((void *)page);
}

static bool canonical(uint64_t address)
{
	return address >> 47 == 0;
}

static int translate(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	(void)capture, (void)root;
	*frame = address >> GUEST_PAGE_SHIFT;
	return 0;
}

static const struct memory_ops memory_ops = {.map = map, .unmap = unmap};
/* --- traces ------------------------------------------------------------------------------------------------------ */

struct trace {
	FILE *file;
	struct upf_writer *writer;
	struct upf_encoder *encoder;
};

static int put(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

static void trace_open(struct trace *t, const char *prefix, const char *kind, uint8_t arch,
                       const struct stack_choice *choice)
{
	const struct upf_domain domain = {.id = 1, .kind = UPF_KIND_PV, .arch = arch, .vcpus = 1, .name = kind};
	enum upf_tops tops = stack_tops(choice);
	const struct upf_session session = {.trace_id = {1, (uint8_t)tops},
	                                    .rate_mhz = 1000000000,
	                                    .max_stack = UPF_DEPTH_MAX,
	                                    .tops = (uint8_t)tops,
	                                    .tops_size = stack_words(choice) * UPF_WORD,
	                                    .copy_size = choice->copy_words * UPF_WORD,
	                                    .domains = &domain,
	                                    .ndomains = 1};
	char path[4096];

	snprintf(path, sizeof(path), "%s.%s.upf", prefix, kind);
	t->file = fopen(path, "w");
	if (!t->file)
		fail(path);
	t->writer = upf_writer_new(&session, put, t->file);
	t->encoder = upf_encoder_new(tops, 1, choice->copy_words);
	if (!t->writer || !t->encoder)
		fail("trace");
	upf_encoder_reset(t->encoder, 1000);
}

static void trace_put(struct trace *t, uint64_t step, const struct upf_sample *s)
{
	int rc = upf_encode_round(t->encoder, 0, step * 1000, 0, s, 1);

	if (rc == -ENOSPC) {
		rc = upf_writer_block(t->writer, t->encoder);
		upf_encoder_reset(t->encoder, 1000);
		if (rc == 0)
			rc = upf_encode_round(t->encoder, 0, step * 1000, 0, s, 1);
	}
	errno = -rc;
	if (rc != 0)
		fail("sample");
}

static void trace_close(struct trace *t, uint64_t steps)
{
	const struct upf_totals totals = {.rounds = steps, .samples = steps, .duration_ns = steps * 1000};

	if (upf_writer_block(t->writer, t->encoder) != 0 ||
	    upf_writer_finish(t->writer, &totals, UPF_REASON_DOMAIN) != 0 || fclose(t->file) != 0)
		fail("trace");
	upf_writer_free(t->writer);
	upf_encoder_free(t->encoder);
}

/* --- one step ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct stack_choice choice;
	bool without_sp; /* as from a processor of Intel's, live */
} kinds[] = {
	{"fp", {UPF_DEPTH_MAX, WINDOW, 0}, false},
	{"dwarf", {1, 0, COPY}, false},
	{"auto", {UPF_DEPTH_MAX, WINDOW, COPY}, false},
	{"live", {UPF_DEPTH_MAX, WINDOW, COPY}, true},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct stepper {
	struct guest guest;
	struct arch arch;
	struct pages *pages;
	struct capture *capture;
	struct returns *returns;
	struct trace by[KINDS], truth;
	uint64_t chain[UPF_DEPTH_MAX]; /* return addresses, the outermost first */
	uint32_t depth;
};

/*
 * As the recorder reads it: with auto once more, if frame pointers have failed. What other samples told does not
 * count.
 */
static void sample(struct stepper *s, struct trace *t, const struct stack_choice *choice,
                   const struct step_registers *all, uint64_t step)
{
	static uint64_t frames[UPF_DEPTH_MAX], words[COPY];
	const struct stack_room room = {frames, words};
	struct vcpu_regs regs = all->regs;
	struct upf_sample taken = {
		.frames = frames, .words = words, .regs = all->all, .sp = regs.sp, .fp = regs.fp, .link = all->link};
	struct footing footing = {0};

	regs.arch = &s->arch;

	pages_drop(s->pages);
	returns_start(s->returns);
	do {
		struct space space = space_of(&regs, s->capture);

		while (!stack_read(choice, &footing, &space, &regs, &room, false, &taken) &&
		       capture_extend(s->capture) > 0)
			;
	} while (stack_tops(choice) == UPF_TOPS_MIXED && !stack_judge(choice, &footing, s->returns, &regs, &taken));
	if (taken.tops == UPF_TOPS_WINDOW)
		top_filter(words, taken.nwords, frames, taken.depth, regs.fp, s->arch.word);
	if (taken.tops == UPF_TOPS_COPY)
		taken.nregs = s->guest.process.machine->nregs;
	trace_put(t, step, &taken);
}

static void put_truth(struct stepper *s, uint64_t ip, uint64_t step)
{
	uint64_t frames[UPF_DEPTH_MAX + 1] = {ip};
	struct upf_sample sample = {.frames = frames, .depth = s->depth + 1};

	for (uint32_t i = 0; i < s->depth; i++)
		frames[1 + i] = s->chain[s->depth - 1 - i];
	trace_put(&s->truth, step, &sample);
}

static enum kind kind_at(const struct process *p, const struct step_registers *now)
{
	uint8_t code[15] = {0};

	for (size_t size = sizeof(code); size && !read_memory(p, now->regs.ip, code, size); size--)
		;
	return (now->thumb ? p->machine->kind_thumb : p->machine->kind)(code);
}

/* Where the call that was just made returns to. */
static uint64_t pushed(const struct process *p, const struct step_registers *after)
{
	uint64_t address = 0;

	if (after->link)
		return after->link;
	if (!read_memory(p, after->regs.sp, &address, p->machine->arch.word))
		fail("call");
	return address;
}

static void follow(struct stepper *s, enum kind kind, const struct step_registers *after)
{
	if (kind == KIND_CALL) {
		if (s->depth == UPF_DEPTH_MAX - 1)
			fail("call");
		s->chain[s->depth++] = pushed(&s->guest.process, after);
	} else if (kind == KIND_RETURN) {
		if (s->depth == 0 || s->chain[--s->depth] != after->regs.ip)
			fail("return to where no call was");
	}
}

/* ARM's calls and returns may be conditional. */
static bool is_skipped(const struct stepper *s, const struct step_registers *before,
                       const struct step_registers *after)
{
	uint64_t size = after->regs.ip - before->regs.ip;

	return s->arch.word == 4 && after->link && (size == 4 || (size == 2 && before->thumb));
}

static uint64_t run(struct stepper *s)
{
	struct process *p = &s->guest.process;
	struct step_registers now, before;

	p->machine->registers(p, &now);
	for (uint64_t step = 1; step < STEPS_MAX; step++) {
		enum kind kind = kind_at(p, &now);

		put_truth(s, now.regs.ip, step);
		for (size_t i = 0; i < KINDS; i++) {
			struct step_registers seen = now;

			seen.regs.sp = kinds[i].without_sp ? 0 : now.regs.sp;
			sample(s, &s->by[i], &kinds[i].choice, &seen, step);
		}
		before = now;
		if (!p->machine->step(p))
			return step;
		p->machine->registers(p, &now);
		follow(s, is_skipped(s, &before, &now) ? KIND_OTHER : kind, &now);
	}
	fail("the program does not end");
}

static const struct machine *machine_of(const char *path)
{
	static const struct machine *const all[] = {&machine_x86_64, &machine_i386, &machine_arm64, &machine_arm};
	FILE *file = fopen(path, "r");
	Elf32_Ehdr h = {0}; /* as long as the machine, all ELF files begin alike */

	if (!file || fread(&h, sizeof(h), 1, file) != 1)
		fail(path);
	fclose(file);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->elf == h.e_machine)
			return all[i];
	fprintf(stderr, "stepper: %s: another machine's\n", path);
	exit(2);
}

int main(int argc, char **argv)
{
	static struct stepper s;
	struct process *p = &s.guest.process;
	uint64_t steps;

	if (argc != 3) {
		fprintf(stderr, "Usage: stepper PROGRAM PREFIX\n");
		return 2;
	}
	p->machine = machine_of(argv[1]);
	s.arch = p->machine->arch;
	s.arch.canonical = canonical;
	s.arch.translate = translate;
	p->machine->start(p, argv[1], argv[2]);
	s.pages = pages_new(&memory_ops, &s.guest, 1024);
	s.capture = s.pages ? capture_new(s.pages, 1024) : NULL;
	s.returns = s.capture ? returns_new(s.pages) : NULL;
	if (!s.returns)
		fail("capture");
	capture_set_live(s.capture, true);
	for (size_t i = 0; i < KINDS; i++)
		trace_open(&s.by[i], argv[2], kinds[i].name, p->machine->upf, &kinds[i].choice);
	trace_open(&s.truth, argv[2], "truth", p->machine->upf, &(struct stack_choice){.max_frames = UPF_DEPTH_MAX});
	steps = run(&s);
	for (size_t i = 0; i < KINDS; i++)
		trace_close(&s.by[i], steps);
	trace_close(&s.truth, steps);
	returns_free(s.returns);
	capture_free(s.capture);
	pages_free(s.pages);
	printf("%llu\n", (unsigned long long)steps);
	return 0;
}
