/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally.h - what a trace holds besides stacks, counted from the records themselves: a trace without a footer has the same
 * figures as one with it.
 */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "format/upf.h"

#define TALLY_STATES 4u
#define TALLY_ENDS 24u /* enum upf_end, enum chain_end, room for later ones; the last slot takes all that do not fit */
#define TALLY_LOST 8u

struct tally {
	uint64_t rounds, samples, events;
	uint64_t out_of_scope; /* samples that are not in here: of other times, vCPUs and domains than asked for */
	uint64_t state[TALLY_STATES];
	uint64_t end[TALLY_STATES][TALLY_ENDS]; /* why walks ended, by run state; of user mode's stacks: below */
	uint64_t user_end[TALLY_STATES][TALLY_ENDS];
	uint64_t lost[TALLY_LOST];              /* by enum upf_lost */
	uint64_t restored; /* samples whose leaf's caller was put back */
	uint64_t doubtful; /* samples that lack it, as what is on the stack is not sure */
	uint64_t late;
	uint64_t last_ns; /* time of the last record */
	struct upf_hist pause;
	/* Sound blocks whose records break the format, beside what struct upf_health counts. */
	uint64_t bad_blocks;
	enum upf_fault first_fault;   /* the first damage met, UPF_OK: none */
	uint64_t first_fault_offset;
};

void tally_record(struct tally *t, const struct upf_record *rec);
void tally_add(struct tally *t, const struct tally *other); /* of another part of the same traces */
void tally_fault(struct tally *t, enum upf_fault fault, uint64_t offset);
uint64_t tally_lost(const struct tally *t); /* every reason */
/* Run state and end of a sample as indices of the arrays above, whatever a later version writes. */
static inline unsigned tally_state(unsigned state)
{
	return state < TALLY_STATES ? state : UPF_OFFLINE;
}
static inline unsigned tally_end(unsigned end)
{
	return end < TALLY_ENDS ? end : TALLY_ENDS - 1;
}

#endif
