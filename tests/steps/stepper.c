/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stepper.c - runs a program one instruction at a time and takes a sample before each, by the recorder's own code:
 * stepper PROGRAM PREFIX makes PREFIX.fp.upf and PREFIX.dwarf.upf, and PREFIX.truth.upf with the chains as they are.
 *
 * The truth is kept from the call and return instructions themselves: what a call pushes is on the chain until the
 * return that pops it.
 */
#include "format/upf.h"
#include "record/sampling/top.h"
#include "record/sampling/walk.h"
#include "guest/pages.h"
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

static int translate(struct capture *capture, uint64_t root, uint64_t address, uint64_t *frame)
{
	(void)capture, (void)root;
	*frame = address >> GUEST_PAGE_SHIFT;
	return 0;
}

static const struct hypervisor_ops memory_ops = {.map = map, .unmap = unmap};
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

static void trace_open(struct trace *t, const char *prefix, const char *kind, uint8_t arch, enum upf_tops tops,
                       uint32_t words)
{
	const struct upf_domain domain = {.id = 1, .kind = UPF_KIND_PV, .arch = arch, .vcpus = 1, .name = kind};
	const struct upf_session session = {.trace_id = {1, (uint8_t)tops},
	                                    .rate_mhz = 1000000000,
	                                    .max_stack = UPF_DEPTH_MAX,
	                                    .tops = (uint8_t)tops,
	                                    .tops_size = words * UPF_WORD,
	                                    .domains = &domain,
	                                    .ndomains = 1};
	char path[4096];

	snprintf(path, sizeof(path), "%s.%s.upf", prefix, kind);
	t->file = fopen(path, "w");
	if (!t->file)
		fail(path);
	t->writer = upf_writer_new(&session, put, t->file);
	t->encoder = upf_encoder_new(tops, 1, words);
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

struct stepper {
	struct guest guest;
	struct arch arch;
	struct pages *pages;
	struct capture *capture;
	struct trace fp, dwarf, truth;
	uint64_t chain[UPF_DEPTH_MAX]; /* return addresses, the outermost first */
	uint32_t depth;
};

static void sample_fp(struct stepper *s, const struct step_registers *all, uint64_t step)
{
	const struct vcpu_regs *regs = &all->regs;
	uint64_t frames[UPF_DEPTH_MAX], words[WINDOW];
	struct upf_sample sample = {
		.frames = frames, .words = words, .sp = regs->sp, .fp = regs->fp, .link = all->link};
	bool cold;

	pages_drop(s->pages);
	do {
		struct space space = space_of(&s->arch, s->capture, 0);

		cold = false;
		sample.end = (uint8_t)walk_frames(&space, regs, frames, UPF_DEPTH_MAX, &sample.depth);
		sample.nwords = top_window(&space, regs, words, WINDOW, &cold);
		cold |= sample.end == UPF_END_COLD;
	} while (cold && capture_extend(s->capture) > 0);
	top_filter(words, sample.nwords, frames, sample.depth, regs->fp, s->arch.word);
	trace_put(&s->fp, step, &sample);
}

static void sample_dwarf(struct stepper *s, const struct step_registers *all, uint64_t step)
{
	const struct vcpu_regs *regs = &all->regs;
	static uint64_t words[COPY];
	struct upf_sample sample = {.frames = &regs->ip,
	                            .depth = 1,
	                            .words = words,
	                            .regs = all->all,
	                            .nregs = s->guest.process.machine->nregs,
	                            .sp = regs->sp,
	                            .fp = regs->fp};

	pages_drop(s->pages);
	do {
		struct space space = space_of(&s->arch, s->capture, 0);

		sample.end = (uint8_t)top_copy(&space, regs, words, COPY, &sample.nwords);
	} while (sample.end == UPF_END_COLD && capture_extend(s->capture) > 0);
	trace_put(&s->dwarf, step, &sample);
}

static void put_truth(struct stepper *s, uint64_t ip, uint64_t step)
{
	uint64_t frames[UPF_DEPTH_MAX + 1] = {ip};
	struct upf_sample sample = {.frames = frames, .depth = s->depth + 1};

	for (uint32_t i = 0; i < s->depth; i++)
		frames[1 + i] = s->chain[s->depth - 1 - i];
	trace_put(&s->truth, step, &sample);
}

static enum kind kind_at(const struct process *p, uint64_t ip)
{
	uint8_t code[15] = {0};

	for (size_t size = sizeof(code); size && !read_memory(p, ip, code, size); size--)
		;
	return p->machine->kind(code);
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

static uint64_t run(struct stepper *s)
{
	struct process *p = &s->guest.process;
	struct step_registers now;
	uint64_t before;

	p->machine->registers(p, &now);
	for (uint64_t step = 1; step < STEPS_MAX; step++) {
		enum kind kind = kind_at(p, now.regs.ip);

		put_truth(s, now.regs.ip, step);
		sample_fp(s, &now, step);
		sample_dwarf(s, &now, step);
		before = now.regs.ip;
		if (!p->machine->step(p))
			return step;
		p->machine->registers(p, &now);
		/* ARM's instructions may not be executed. */
		follow(s, now.regs.ip == before + 4 && s->arch.word == 4 && now.link ? KIND_OTHER : kind, &now);
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
	if (!s.capture)
		fail("capture");
	capture_set_live(s.capture, true);
	trace_open(&s.fp, argv[2], "fp", p->machine->upf, UPF_TOPS_WINDOW, WINDOW);
	trace_open(&s.dwarf, argv[2], "dwarf", p->machine->upf, UPF_TOPS_COPY, COPY);
	trace_open(&s.truth, argv[2], "truth", p->machine->upf, UPF_TOPS_NONE, 0);
	steps = run(&s);
	trace_close(&s.fp, steps);
	trace_close(&s.dwarf, steps);
	trace_close(&s.truth, steps);
	capture_free(s.capture);
	pages_free(s.pages);
	printf("%llu\n", (unsigned long long)steps);
	return 0;
}
