/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * returns.h - which addresses can be return addresses: those behind a call. Reads the guest's code where it is, maps
 * it as needed, and remembers what it found. Not to be used while the guest is paused.
 */
#ifndef RECORD_STACK_RETURNS_H
#define RECORD_STACK_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/arch.h"
#include "guest/pages.h"

#define RETURNS_ABOVE 128u /* words */

struct returns;
/* @pages must outlive it. NULL: errno. */
struct returns *returns_new(struct pages *pages);
void returns_free(struct returns *r); /* NULL is fine */

/* A new round: so many addresses may be looked up anew as a round may cost. */
void returns_start(struct returns *r);
/*
 * Of a vCPU with @regs, which choose the address space. Can @saved[0] be a return address of what it runs? Where the
 * code cannot be read, if it is not far from there. The other ones of all @n are to be asked about next.
 */
bool returns_to(struct returns *r, const struct vcpu_regs *regs, const uint64_t *saved, uint32_t n);
/* Is one of the @n @words behind a call, for certain? */
bool returns_among(struct returns *r, const struct vcpu_regs *regs, const uint64_t *words, uint32_t n);
/*
 * The same of the RETURNS_ABOVE words that lie at @address, or fewer up to the first missing page. Reads them where
 * they are, while the guest changes them; that there was none is remembered for a while.
 */
bool returns_above(struct returns *r, const struct vcpu_regs *regs, uint64_t address);

#endif
