/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds.h - the kinds of trace that mktrace makes. Each function makes a whole trace; maker.h's end() must follow.
 */
#ifndef TESTS_TOOLS_TRACES_KINDS_H
#define TESTS_TOOLS_TRACES_KINDS_H

#include "tests/tools/traces/maker.h"

/* small.c: a few samples each. tests/cli/report.syms names their functions, and kallsyms the Linux guest's kernel. */
void make_small(struct maker *m);
/* As small, but without a footer. */
void make_killed(struct maker *m);
void make_idle(struct maker *m);
void make_empty(struct maker *m);
void make_registers(struct maker *m);
void make_spaces(struct maker *m);
void make_windows(struct maker *m);
void make_domains(struct maker *m);
void make_lying(struct maker *m);
void make_linux(struct maker *m);
void make_badnames(struct maker *m);
void make_badsamples(struct maker *m);
void make_later(struct maker *m);
void make_elsewhere(struct maker *m);
void make_throttled(struct maker *m);

/* web.c: a made-up web server's minute, for pages and pictures; and after it was changed. tests/web/web.syms. */
void make_web(struct maker *m);
void make_web_after(struct maker *m);

/* large.c, for benchmarks and limits: a few bytes that stand for many samples; */
void make_repeats(struct maker *m);
void make_repeats_apart(struct maker *m);
/* @count samples of @unique stacks of @depth frames, in no order; */
void make_many(struct maker *m, uint64_t count, uint64_t unique, uint32_t depth);
/* @count samples, each at an address that no other has, below the same callers. */
void make_scattered(struct maker *m, uint64_t count, uint32_t depth);

/* lines.c: what standard input says. */
/* "DOMAIN VCPU COUNT LEAF CALLER...", "lost COUNT" and "late COUNT", of two domains. */
void make_counted(struct maker *m);
/* The same, of domains whose names want to be markup, fields, lines and commands to a terminal. */
void make_hostile(struct maker *m);
/*
 * Stacks, a line each: addresses in hexadecimal, leaf first; with copies, the instruction pointer, the stack pointer
 * and the words there. The domain runs @image, whose identity is @id, unless they are NULL.
 * "guest NAME KIND ARCH [IMAGE IDENTITY]", first: a guest, instead of that domain. "of N": what follows is of guest
 * number N; "entry ADDRESS": of its kernel's first exception; "build ADDRESS ID": of its build-id in memory; "block":
 * ends a block; "user" before a stack: it is one of user mode.
 */
void make_stacks(struct maker *m, bool copies, const char *image, const char *id);

/*
 * timed.c: a trace told record by record, a line each; numbers are decimal, addresses hexadecimal. First
 * "rate MHZ START_MS HOST", "guest NAME ID VCPUS UUID", of which the last is one byte, and "begin". Then records at
 * the time that "at US" gives: "sample VCPU STATE CPU_US USER EXIT LEAF CALLER...", as often as needed, before the
 * "round DOMAIN" that they are of; "same DOMAIN", "lost DOMAIN COUNT", "late DOMAIN COUNT", "throttle DOMAIN MHZ";
 * "block" ends a block.
 */
void make_timed(struct maker *m);

#endif
