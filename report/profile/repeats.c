/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/repeats.h"

#include <stdlib.h>

void repeats_free(struct repeats *r)
{
	free(r->domains);
	free(r->samples);
	*r = (struct repeats){0};
}

void repeats_reset(struct repeats *r)
{
	r->ndomains = r->n = 0;
	r->learning = NULL;
}

struct domain_repeats *repeats_of(struct repeats *r, uint32_t domain)
{
	while (r->ndomains <= domain) {
		if (array_add(r->domains, r->domains_cap, r->ndomains, (struct domain_repeats){0}) != 0)
			return NULL;
	}
	return &r->domains[domain];
}

void repeats_learn(struct repeats *r, struct domain_repeats *d)
{
	*d = (struct domain_repeats){.known = true, .first = (uint32_t)r->n};
	r->learning = d;
}

int repeats_add(struct repeats *r, const struct upf_record *rec, const struct block_stack *stack)
{
	int rc = array_add(r->samples, r->cap, r->n, (struct repeated){*rec, *stack});

	if (rc != 0)
		return rc;
	r->samples[r->n - 1].rec.tops = UPF_TOPS_NONE; /* they do not last */
	r->learning->n++;
	return 0;
}

int repeats_end(const struct repeats *r, struct domain_repeats *d,
                int (*count)(void *ctx, const struct upf_record *rec, const struct block_stack *stack), void *ctx)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && d->times && i < d->n; i++) {
		struct repeated *s = &r->samples[d->first + i];

		s->rec.time_ns = d->time_ns;
		s->rec.count = d->times;
		s->rec.period = d->periods;
		rc = count(ctx, &s->rec, &s->stack);
	}
	d->times = d->periods = d->squares = 0;
	return rc;
}
