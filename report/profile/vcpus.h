/* SPDX-License-Identifier: BSD-2-Clause */
/* vcpus.h - how many samples each vCPU has in which run state. */
#ifndef REPORT_PROFILE_VCPUS_H
#define REPORT_PROFILE_VCPUS_H

#include "report/profile/profile.h"

struct vcpu_states {
	uint32_t domain;
	uint16_t vcpu;
	uint64_t state[COUNTERS_STATES]; /* samples */
	uint64_t time[COUNTERS_STATES];  /* that these stand for */
};

/* All vCPUs with samples, in order, for the caller to free. NULL: out of memory, or *n is 0. */
struct vcpu_states *vcpus_make(const struct profile *p, size_t *n);

#endif
