/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedule.h - when samples are due (FORMAT.md, "Schedule"): each period has one deadline, drawn uniformly from all of
 * it, by its number alone. So a trace need not hold the deadlines, only how late each round was.
 */
#ifndef FORMAT_SAMPLES_SCHEDULE_H
#define FORMAT_SAMPLES_SCHEDULE_H

#include "format/upf.h"

/* A place in a schedule: the period @k, from @from_ns on, and its deadline. */
struct schedule_at {
	struct upf_schedule schedule;
	uint64_t k, from_ns, length_ns, deadline_ns;
	uint64_t rest;        /* of from_ns, in parts of the rate */
	uint64_t whole, part; /* a period in ns, and what is left, in parts of the rate */
};

void schedule_seek(struct schedule_at *at, uint64_t k);
void schedule_step(struct schedule_at *at); /* to the next period */
/* To the period that contains @time_ns; to the first one if that is later. */
void schedule_find(struct schedule_at *at, uint64_t time_ns);

/* The last deadline that has passed, and the one after it. */
struct schedule_walk {
	struct schedule_at at, next;
};

/* Begins a period before @time_ns, of walk->at.schedule. */
void schedule_start(struct schedule_walk *walk, uint64_t time_ns);
/* Moves on to the last deadline that is not after @time_ns. By how many periods. */
uint64_t schedule_follow(struct schedule_walk *walk, uint64_t time_ns);

/* The deadline in whole ticks, rounded down; before time 0 modulo 2^64, too. */
static inline uint64_t schedule_tick(const struct schedule_at *at)
{
	int64_t ns = (int64_t)at->deadline_ns;

	return (uint64_t)(ns / (int64_t)UPF_TICK_NS - (ns % (int64_t)UPF_TICK_NS < 0));
}

#endif
