/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - a loaded trace: its unique stacks with their weights, and the counters. Memory grows with the number of
 * unique stacks, not of samples.
 */
#ifndef REPORT_PROFILE_PROFILE_H
#define REPORT_PROFILE_PROFILE_H

#include "common/hash_array.h"
#include "report/profile/calltree.h"
#include "report/input/selection.h"
#include "report/profile/counters.h"

/* How many samples a vCPU has in which run state. */
struct vcpu_states {
	uint32_t domain, vcpu;
	uint64_t state[COUNTERS_STATES]; /* samples */
	uint64_t time[COUNTERS_STATES];  /* that these stand for */
};

/* hash_array_free() of @by_vcpu at the end. */
struct vcpu_list {
	HASH_ARRAY(struct vcpu_states, v, n, by_vcpu);
};

/* One stack of one vCPU in one run state, and how often it was seen. */
struct stack {
	uint32_t node; /* the leaf, in the call tree */
	uint32_t domain;
	uint16_t vcpu;
	uint8_t state; /* below COUNTERS_STATES */
	bool user;
	uint32_t slot;  /* of time, p->quantum_ns each; 0 if all times are one */
	uint64_t space; /* the address space; 0 if it is not known, or all are one */
	uint64_t samples, cpu_ns;
	uint64_t time; /* that they stand for: periods, or ns if p->by_ns */
};

/* Without registers the mode is unknown. */
static inline bool stack_is_user(const struct stack *s)
{
	return s->user && s->node != 0;
}

static inline uint64_t stack_weight(const struct stack *s, enum weight weight)
{
	return weight == WEIGHT_CPU ? s->cpu_ns : weight == WEIGHT_TIME ? s->time : s->samples;
}

/* Nearly every node has one stack, or the one that it had last; only the others are looked up by hash. */
#define PROFILE_SEVERAL (UINT32_C(1) << 31) /* the node's stacks are in the index */

struct profile {
	uint64_t quantum_ns; /* 0: stacks of all times are one */
	uint64_t period_ns;  /* of the rate that was asked for; by_ns: of the last trace's */
	bool by_ns;          /* time is in ns: the traces, or those compared with, are of different rates */
	bool spaces;         /* false: stacks of all address spaces are one */
	struct calltree tree;
	struct stack *stacks;
	size_t nstacks, cap;
	struct hash_table index;
	uint32_t *latest; /* by node: its stack that was counted last, see profile_latest() */
	size_t nlatest;
	struct counters counters;
	double effective; /* so many independent samples are as good as those that count; 0: not measured */

	/* The stacks here are those that it kept, and their frames are shown as filter.h has them. NULL: all. */
	struct filter *filter;
	/* What it left out, by run state. */
	struct {
		uint64_t samples, cpu_ns, time;
	} left_out[COUNTERS_STATES];
	struct vcpu_list left_out_vcpus;
};

/* The address space of a sample, as its stack has it. */
static inline uint64_t profile_space(const struct profile *p, const struct upf_record *rec)
{
	return p->spaces ? rec->root : 0;
}

/* The time that a sample stands for, as stacks have it. */
static inline uint64_t profile_time(const struct profile *p, const struct upf_record *rec)
{
	return p->by_ns ? rec->period * p->period_ns : rec->period;
}
/* What a sample weighs. */
static inline uint64_t profile_sample_weight(const struct profile *p, const struct upf_record *rec, enum weight weight)
{
	return weight == WEIGHT_CPU ? rec->cpu_ns : weight == WEIGHT_TIME ? profile_time(p, rec) : rec->count;
}

/* The number of the stack that a sample of @node, which has some, counted for last. */
static inline uint32_t profile_latest(const struct profile *p, uint32_t node)
{
	return (p->latest[node] & ~PROFILE_SEVERAL) - 1;
}

int profile_init(struct profile *p); /* 0 or -ENOMEM */
void profile_free(struct profile *p);
void profile_clear(struct profile *p); /* forgets all that was counted, keeps the room */
/*
 * Counts rec->count samples whose leaf is @node, and that used rec->cpu_ns and stand for rec->period periods together.
 * *@stack, NULL: not asked for, is the number of their stack. 0 or -ENOMEM, -EOVERFLOW.
 */
int profile_sample(struct profile *p, const struct upf_record *rec, uint32_t node, uint32_t *stack);
/* Notes that the filter left out rec->count samples. 0 or -ENOMEM. */
int profile_leave_out(struct profile *p, const struct upf_record *rec);

size_t profile_bytes(const struct profile *p); /* of memory that it takes */
/* Stacks of all times become one. 0, -ENOMEM or -EOVERFLOW. */
int profile_forget_slots(struct profile *p);

/*
 * Adds @part, which has the same quantum and no filter: as if its samples had been counted here. 0, -ENOMEM or
 * -EOVERFLOW.
 */
int profile_add(struct profile *p, const struct profile *part);

/*
 * All vCPUs with samples, in order, whether filters by name left these out or not; to be freed on failure, too. It
 * cannot be searched by key. 0 or -ENOMEM.
 */
int profile_vcpus(const struct profile *p, struct vcpu_list *vcpus);

/* Samples in these states. */
uint64_t profile_count(const struct profile *p, unsigned states);
/* What the filter left out of these states weighs. */
uint64_t profile_left_out(const struct profile *p, unsigned states, enum weight weight);
/*
 * What weights are counted in, once all is loaded, where @old (NULL: nothing) is compared with @p. Samples, if time
 * was asked for and each stands for one period.
 */
enum unit profile_unit(const struct profile *p, const struct profile *old, enum weight weight);
/* So many ns is one of the unit; 0: it is not a time. */
uint64_t profile_unit_ns(const struct profile *p, enum unit unit);

#endif
