/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - counts of everything in a trace but stacks. They come from the records, not from the footer, so that a
 * trace without a footer has the same figures.
 */
#ifndef REPORT_PROFILE_COUNTERS_H
#define REPORT_PROFILE_COUNTERS_H

#include "format/upf.h"

#define COUNTERS_STATES 5u
/* enum upf_end, enum chain_end, and room for later ones; the last slot takes all that do not fit. */
#define COUNTERS_ENDS 24u
#define COUNTERS_LOST 8u

struct counters {
	uint64_t rounds, samples;
	uint64_t out_of_scope; /* samples that are not in here: of other times, vCPUs and domains than asked for */
	uint64_t state[COUNTERS_STATES];
	uint64_t time[COUNTERS_STATES];             /* that samples of these stand for: as struct stack has it */
	unsigned __int128 squares[COUNTERS_STATES]; /* of what each of them stands for: for noise.h */
	uint64_t cpu_ns[COUNTERS_STATES];           /* that these have used */
	unsigned __int128 cpu_squares[COUNTERS_STATES];
	uint64_t unsampled_ns; /* of domains, in which the recorder did not look at them: longer than a gap may be */
	uint64_t covered;      /* samples that are not in here: of time that another trace has of the same guest */
	uint64_t cpu_left_ns;  /* CPU time that no later sample of its vCPU took over */
	uint64_t throttled;    /* events that tell of a lower rate than was asked for */
	uint64_t end[COUNTERS_STATES][COUNTERS_ENDS]; /* why walks ended, by run state; of user mode's stacks: below */
	uint64_t user_end[COUNTERS_STATES][COUNTERS_ENDS];
	uint64_t lost[COUNTERS_LOST]; /* by enum upf_lost */
	/* Samples by run state, not of user mode: */
	uint64_t restored[COUNTERS_STATES];  /* whose leaf's caller was put back */
	uint64_t uncertain[COUNTERS_STATES]; /* that lack it, as what is on the stack is not sure */
	uint64_t copied[COUNTERS_STATES];    /* whose stack was copied */
	uint64_t late;
	uint64_t last_ns; /* time of the last record */
	struct upf_hist pause;
	/* Sound blocks whose records break the format, beside what struct upf_health counts. */
	uint64_t bad_blocks;
};

void counters_record(struct counters *t, const struct upf_record *rec);
void counters_add(struct counters *t, const struct counters *other); /* of another part of the same traces */
/* The sum over the run states @states, bit n being state n; @by_state has the counts that are so many apart. */
uint64_t counters_sum(const uint64_t *by_state, size_t apart, unsigned states);
uint64_t counters_lost(const struct counters *t); /* every reason */
/* Run state and end of a sample as indices of the arrays above, whatever a later version writes. */
static inline unsigned counters_state(unsigned state)
{
	return state < COUNTERS_STATES ? state : UPF_OFFLINE;
}
/* Is the run state @state of a record one of @states? */
static inline bool counters_among(unsigned states, unsigned state)
{
	return states & 1u << counters_state(state);
}
static inline unsigned counters_end(unsigned end)
{
	return end < COUNTERS_ENDS ? end : COUNTERS_ENDS - 1;
}

static inline void counters_sample(struct counters *t, const struct upf_record *rec)
{
	unsigned state = counters_state(rec->state), end = counters_end(rec->end);

	t->samples += rec->count;
	t->state[state] += rec->count;
	if (rec->user && rec->stack != 0)
		t->user_end[state][end] += rec->count;
	else
		t->end[state][end] += rec->count;
	if (rec->time_ns > t->last_ns)
		t->last_ns = rec->time_ns;
}

#endif
