/* SPDX-License-Identifier: BSD-2-Clause */
/* parameters.h - what comes before the columns of a samples block (FORMAT.md, "Samples blocks"). */
#ifndef FORMAT_SAMPLES_PARAMETERS_H
#define FORMAT_SAMPLES_PARAMETERS_H

#include "format/bytes/wire.h"
#include "format/samples/schedule.h"

struct parameters {
	uint64_t period_ticks;
	uint64_t stacks;                /* that the block defines */
	unsigned time_shift, cpu_shift; /* units of times in rounds, and of CPU times: 1 << that, ticks */
	struct schedule_at due;         /* the deadline before the block's first round; rate_mhz 0: there is none */
};

/* Writes those of a block whose first record is at @first_tick. The bytes used. */
size_t parameters_put(const struct parameters *p, uint64_t first_tick, uint8_t *at);
/* @v1: of a trace of version 1. False: they are damaged. */
bool parameters_get(struct parameters *p, struct cursor *c, uint64_t first_tick, bool v1);

#endif
