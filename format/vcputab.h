/* SPDX-License-Identifier: BSD-2-Clause */
/* vcputab.h - a map from (domain, vCPU) to what its last stack was, as encoder and decoder both keep it. */
#ifndef FORMAT_VCPUTAB_H
#define FORMAT_VCPUTAB_H

#include <stddef.h>
#include <stdint.h>

struct vcpu_slot {
	uint32_t key; /* 0: empty */
	uint32_t last;
};

struct vcputab {
	struct vcpu_slot *slots;
	size_t mask, used;
};

int vcputab_init(struct vcputab *t, size_t slots); /* a power of two; 0 or -ENOMEM */
void vcputab_clear(struct vcputab *t);
/* Clears a table that may grow: one that was mostly empty gets smaller, so that one large block does not make every small
 * one after it pay. */
void vcputab_shrink(struct vcputab *t);
void vcputab_free(struct vcputab *t);
/* Makes sure @more new pairs find room. 0 or -ENOMEM. */
int vcputab_grow(struct vcputab *t, size_t more);
/* The pair's slot, made with last = 0 if there was none; there must be room. */
struct vcpu_slot *vcputab_get(struct vcputab *t, uint32_t domain, uint32_t vcpu);

#endif
