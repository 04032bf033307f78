/* SPDX-License-Identifier: BSD-2-Clause */
/* vcpus.h - how many samples each vCPU has in which run state. */
#ifndef REPORT_VCPUS_H
#define REPORT_VCPUS_H

#include "report/profile.h"

struct vcpu_states {
	uint32_t domain;
	uint16_t vcpu;
	uint64_t state[TALLY_STATES];
};

/* All vCPUs with samples, in order, for the caller to free. NULL: out of memory, or *n is 0. */
struct vcpu_states *vcpus_make(const struct profile *p, size_t *n);

#endif
