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
#include "guest/arch.h"
#include "guest/pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW 32
#define COPY 2048
#define STEPS_MAX 1000000

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* --- the program's memory, as a guest's -------------------------------------------------------------------------- */

struct guest {
	pid_t pid;
};

static bool read_memory(pid_t pid, uint64_t address, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	for (size_t i = 0; i < n; i++) {
		void *page = malloc(GUEST_PAGE_SIZE);

		if (page && !read_memory(g->pid, frames[i] << GUEST_PAGE_SHIFT, page, GUEST_PAGE_SIZE)) {
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

static const struct hypervisor_ops memory_ops = {.map = map, .unmap = unmap};
static const struct arch process_arch = {
	.id = ARCH_X86_64,
	.word = 8,
	.return_offset = 8,
	.canonical = canonical,
	.translate = translate,
};

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

static void trace_open(struct trace *t, const char *prefix, const char *kind, enum upf_tops tops, uint32_t words)
{
	const struct upf_domain domain = {
		.id = 1, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 1, .name = kind};
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
	struct pages *pages;
	struct capture *capture;
	struct trace fp, dwarf, truth;
	uint64_t chain[UPF_DEPTH_MAX]; /* return addresses, the outermost first */
	uint32_t depth;
};

static struct vcpu_regs registers_of(const struct user_regs_struct *r)
{
	return (struct vcpu_regs){
		.arch = &process_arch,
		.ip = r->rip,
		.sp = r->rsp,
		.fp = r->rbp,
		.valid = true,
		.all = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11,
	                r->r12, r->r13, r->r14, r->r15},
	};
}

static void sample_fp(struct stepper *s, const struct vcpu_regs *regs, uint64_t step)
{
	uint64_t frames[UPF_DEPTH_MAX], words[WINDOW];
	struct upf_sample sample = {.frames = frames, .words = words, .sp = regs->sp, .fp = regs->fp};
	bool cold;

	pages_drop(s->pages);
	do {
		struct space space = space_of(regs, s->capture);

		cold = false;
		sample.end = (uint8_t)walk_frames(&space, regs, frames, UPF_DEPTH_MAX, &sample.depth);
		sample.nwords = top_window(&space, regs, words, WINDOW, &cold);
		cold |= sample.end == UPF_END_COLD;
	} while (cold && capture_extend(s->capture) > 0);
	top_filter(words, sample.nwords, frames, sample.depth, regs->fp, regs->arch->word);
	trace_put(&s->fp, step, &sample);
}

static void sample_dwarf(struct stepper *s, const struct vcpu_regs *regs, uint64_t step)
{
	static uint64_t words[COPY];
	struct upf_sample sample = {
		.frames = &regs->ip, .depth = 1, .words = words, .regs = regs->all, .sp = regs->sp, .fp = regs->fp};

	pages_drop(s->pages);
	do {
		struct space space = space_of(regs, s->capture);

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

enum kind { KIND_OTHER, KIND_CALL, KIND_RETURN };

/* Prefixes that change nothing here: segment, operand and address size, notrack, bnd, rep, REX. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0x3e || byte == 0xf2 || byte == 0xf3 || (byte & 0xf0) == 0x40;
}

static enum kind kind_at(pid_t pid, uint64_t ip)
{
	uint8_t code[15] = {0};
	unsigned i = 0;

	for (size_t size = sizeof(code); size && !read_memory(pid, ip, code, size); size--)
		;
	while (i < sizeof(code) - 2 && is_prefix(code[i]))
		i++;
	if (code[i] == 0xe8 || (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2))
		return KIND_CALL;
	return code[i] == 0xc3 || code[i] == 0xc2 ? KIND_RETURN : KIND_OTHER;
}

static void follow(struct stepper *s, enum kind kind, const struct user_regs_struct *after)
{
	if (kind == KIND_CALL) {
		if (s->depth == UPF_DEPTH_MAX - 1 || !read_memory(s->guest.pid, after->rsp, &s->chain[s->depth++], 8))
			fail("call");
	} else if (kind == KIND_RETURN) {
		if (s->depth == 0 || s->chain[--s->depth] != after->rip)
			fail("return to where no call was");
	}
}

static uint64_t run(struct stepper *s)
{
	struct user_regs_struct r;
	uint64_t step = 0;
	int status;

	while (step < STEPS_MAX) {
		struct vcpu_regs regs;
		enum kind kind;

		if (ptrace(PTRACE_GETREGS, s->guest.pid, NULL, &r) != 0)
			fail("registers");
		regs = registers_of(&r);
		step++;
		put_truth(s, regs.ip, step);
		sample_fp(s, &regs, step);
		sample_dwarf(s, &regs, step);
		kind = kind_at(s->guest.pid, regs.ip);
		if (ptrace(PTRACE_SINGLESTEP, s->guest.pid, NULL, NULL) != 0 || waitpid(s->guest.pid, &status, 0) < 0)
			fail("step");
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return step;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
		if (ptrace(PTRACE_GETREGS, s->guest.pid, NULL, &r) != 0)
			fail("registers");
		follow(s, kind, &r);
	}
	fprintf(stderr, "stepper: the program did not end as it should, after %llu steps\n", (unsigned long long)step);
	exit(2);
}

int main(int argc, char **argv)
{
	static struct stepper s;
	uint64_t steps;
	int status;

	if (argc != 3) {
		fprintf(stderr, "Usage: stepper PROGRAM PREFIX\n");
		return 2;
	}
	s.guest.pid = fork();
	if (s.guest.pid == 0) {
		char *const nothing[] = {NULL};

		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execve(argv[1], nothing, nothing);
		_exit(127);
	}
	if (s.guest.pid < 0 || waitpid(s.guest.pid, &status, 0) < 0 || !WIFSTOPPED(status))
		fail(argv[1]);
	s.pages = pages_new(&memory_ops, &s.guest, 1024);
	s.capture = s.pages ? capture_new(s.pages, 1024) : NULL;
	if (!s.capture)
		fail("capture");
	capture_set_live(s.capture, true);
	trace_open(&s.fp, argv[2], "fp", UPF_TOPS_WINDOW, WINDOW);
	trace_open(&s.dwarf, argv[2], "dwarf", UPF_TOPS_COPY, COPY);
	trace_open(&s.truth, argv[2], "truth", UPF_TOPS_NONE, 0);
	steps = run(&s);
	trace_close(&s.fp, steps);
	trace_close(&s.dwarf, steps);
	trace_close(&s.truth, steps);
	capture_free(s.capture);
	pages_free(s.pages);
	printf("%llu\n", (unsigned long long)steps);
	return 0;
}
