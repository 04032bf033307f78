/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * returns.h - which addresses can be return addresses: those behind a call. Reads the guest's code where it is, maps it
 * as needed, and remembers what it found. Not to be used while the guest is paused.
 */
#ifndef RECORD_SAMPLING_RETURNS_H
#define RECORD_SAMPLING_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/arch.h"
#include "guest/pages.h"

enum behind_call {
	BEHIND_UNKNOWN, /* the code cannot be read, or too much was asked for in this round */
	BEHIND_NO_CALL,
	BEHIND_CALL,
};

struct returns;
/* @pages must outlive it. NULL: errno. */
struct returns *returns_new(struct pages *pages);
void returns_free(struct returns *r); /* NULL is fine */

/* A new round: so many addresses may be looked up anew as a round may cost. */
void returns_start(struct returns *r);
/* What lies before @address, in the address space that @regs belong to. */
enum behind_call returns_find(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs,
                              uint64_t address);

#endif
