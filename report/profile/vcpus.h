/* SPDX-License-Identifier: BSD-2-Clause */
/* vcpus.h - how many samples each vCPU has in which run state. */
#ifndef REPORT_PROFILE_VCPUS_H
#define REPORT_PROFILE_VCPUS_H

#include "common/hash_array.h"
#include "report/profile/counters.h"

struct vcpu_states {
	uint32_t domain, vcpu;
	uint64_t state[COUNTERS_STATES]; /* samples */
	uint64_t time[COUNTERS_STATES];  /* that these stand for */
};

/* Zero-initialise, vcpu_list_free() at the end. */
struct vcpu_list {
	HASH_ARRAY(struct vcpu_states, v, n, by_vcpu);
};

/* Found, or added with no samples: valid until the next call. NULL: out of memory. */
struct vcpu_states *vcpu_list_find(struct vcpu_list *list, uint32_t domain, uint32_t vcpu);
int vcpu_list_add(struct vcpu_list *list, const struct vcpu_list *more); /* 0 or -ENOMEM */
void vcpu_list_sort(struct vcpu_list *list); /* by domain and vCPU; nothing is found or added afterwards */
void vcpu_list_free(struct vcpu_list *list);

#endif
