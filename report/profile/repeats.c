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
		if (array_room(&r->domains, &r->domains_cap, r->ndomains, sizeof(*r->domains)) != 0)
			return NULL;
		r->domains[r->ndomains++] = (struct domain_repeats){0};
	}
	return &r->domains[domain];
}

void repeats_learn(struct repeats *r, struct domain_repeats *d)
{
	*d = (struct domain_repeats){.known = true, .first = (uint32_t)r->n};
	r->learning = d;
}

int repeats_add(struct repeats *r, const struct repeated *s)
{
	int rc = array_room(&r->samples, &r->cap, r->n, sizeof(*r->samples));

	if (rc != 0)
		return rc;
	r->samples[r->n++] = *s;
	r->learning->n++;
	return 0;
}

/* @s as a record that stands for all SAME records of @d. */
static struct upf_record record_of(const struct domain_repeats *d, const struct repeated *s)
{
	return (struct upf_record){.kind = UPF_SAMPLE,
	                           .repeated = true,
	                           .domain = s->domain,
	                           .vcpu = s->vcpu,
	                           .time_ns = d->time_ns,
	                           .state = s->state,
	                           .end = s->end,
	                           .user = s->user,
	                           .stack = s->has_stack,
	                           .count = d->times};
}

int repeats_end(const struct repeats *r, struct domain_repeats *d,
                int (*count)(void *ctx, const struct upf_record *rec, const struct repeated *s), void *ctx)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && d->times && i < d->n; i++) {
		const struct repeated *s = &r->samples[d->first + i];
		const struct upf_record rec = record_of(d, s);

		rc = count(ctx, &rec, s);
	}
	d->times = 0;
	return rc;
}
