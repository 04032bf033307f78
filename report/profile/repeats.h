/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repeats.h - samples that SAME records repeat, counted by multiplication: a record of three bytes may repeat 4096
 * samples.
 *
 * The samples of a domain's first SAME after a round are remembered as they count; later ones are only counted, until
 * the domain's next round, the next slot of time or the end of the block, when the remembered samples count so often.
 */
#ifndef REPORT_PROFILE_REPEATS_H
#define REPORT_PROFILE_REPEATS_H

#include "report/profile/block_stacks.h"

/* A sample as it counts: its domain's number is mapped, and its end that of the true stack. */
struct repeated {
	struct upf_record rec;
	struct block_stack stack;
};

struct domain_repeats {
	bool known;        /* the samples of the domain's last round are remembered */
	uint32_t first, n; /* in samples[] */
	uint32_t left_out; /* samples of the round that the scope leaves out */
	uint64_t times;    /* SAME records that are not counted yet */
	uint64_t periods;  /* that they stand for, */
	uint64_t squares;  /* and the sum of that of each squared */
	uint64_t time_ns;  /* of the last one of them */
};

struct repeats {
	struct domain_repeats *domains; /* by the record's domain */
	size_t ndomains, domains_cap;
	struct repeated *samples; /* of this block: no more than it has in its rounds */
	size_t n, cap;
	uint64_t squares;                /* of those that are being counted */
	struct domain_repeats *learning; /* whose samples come now; NULL: no repeated ones */
};

void repeats_free(struct repeats *r);
void repeats_reset(struct repeats *r); /* a new block */
/* What is known of @domain, valid until the next call; NULL: no memory. */
struct domain_repeats *repeats_of(struct repeats *r, uint32_t domain);
/* The samples that follow are those a SAME of @d repeats. */
void repeats_learn(struct repeats *r, struct domain_repeats *d);
/* One of them; 0 or -ENOMEM. */
int repeats_add(struct repeats *r, const struct upf_record *rec, const struct block_stack *stack);
/*
 * Counts all of @d's SAME records that are not counted yet: @count gets each sample once, with their number in
 * rec->count. 0, or what @count returned.
 */
int repeats_end(const struct repeats *r, struct domain_repeats *d,
                int (*count)(void *ctx, const struct upf_record *rec, const struct block_stack *stack), void *ctx);

#endif
