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

#include "common/hash_table.h"
#include "format/upf.h"

/* A sample as it counts, after its stack was unwound and the domain's number mapped. */
struct repeated {
	uint32_t node, domain, vcpu;
	uint8_t state, end;
	bool user, has_stack, restored, doubtful, copied;
};

struct domain_repeats {
	bool known;        /* the samples of the domain's last round are remembered */
	uint32_t first, n; /* in samples[] */
	uint32_t left_out; /* samples of the round that the scope leaves out */
	uint64_t times;    /* SAME records that are not counted yet */
	uint64_t time_ns;  /* of the last one of them */
};

struct repeats {
	struct domain_repeats *domains; /* by the record's domain */
	size_t ndomains, domains_cap;
	struct repeated *samples; /* of this block: no more than it has in its rounds */
	size_t n, cap;
	struct domain_repeats *learning; /* whose samples come now; NULL: no repeated ones */
};

void repeats_free(struct repeats *r);
void repeats_reset(struct repeats *r); /* a new block */
/* What is known of @domain, valid until the next call; NULL: no memory. */
struct domain_repeats *repeats_of(struct repeats *r, uint32_t domain);
/* The samples that follow are those a SAME of @d repeats. */
void repeats_learn(struct repeats *r, struct domain_repeats *d);
int repeats_add(struct repeats *r, const struct repeated *s); /* one of them; 0 or -ENOMEM */
/*
 * Counts all of @d's SAME records that are not counted yet: @count gets each sample once, with their number in
 * rec->count. 0, or what @count returned.
 */
int repeats_end(const struct repeats *r, struct domain_repeats *d,
                int (*count)(void *ctx, const struct upf_record *rec, const struct repeated *s), void *ctx);

#endif
