/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/stacks.h"
#include "report/trust.h"

#include <stdio.h>

#define MHZ_PERIOD 1000000000000u /* ns times mHz */
#define NO_DOMID 0x7fffu          /* above Xen's numbers: DOMID_FIRST_RESERVED is 0x7ff0, 0x7fff was never given a meaning */

int stacks_each(struct report *r, int (*each)(void *ctx, const struct stack *s, const struct callchain *c), void *ctx)
{
	struct rooted stacks = stacks_of(r);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->profile.nstacks; i++) {
		const struct stack *s = &r->profile.stacks[i];

		if (!stacks_counts(r, s->state))
			continue;
		rc = rooted_make(&stacks, s);
		if (rc == 0)
			rc = each(ctx, s, &stacks.chain);
	}
	rooted_free(&stacks);
	return rc;
}

int stacks_end(struct report *r, int rc)
{
	if (rc != 0)
		return rc;
	fflush(r->out);
	if (profile_count(&r->profile, r->states) == 0 && !r->quiet)
		view_no_samples(r, stderr);
	trust_print(r, NULL, stderr);
	return 0;
}

/* --- whose they are ------------------------------------------------------------------------------------------------ */

const struct upf_domain *stacks_domain(const struct report *r, uint32_t domain)
{
	return domain < r->session->ndomains ? &r->session->domains[domain] : NULL;
}

uint32_t stacks_domid(const struct report *r, uint32_t domain)
{
	const struct upf_domain *d = stacks_domain(r, domain);

	return d ? d->id : NO_DOMID;
}

int stacks_domain_name(struct report *r, uint32_t domain, const char **name)
{
	char text[256];
	uint32_t function;
	int rc;

	domain_text(r->session, domain, text, sizeof(text));
	rc = names_function(&r->names, text, &function);
	if (rc == 0)
		*name = r->names.functions[function].name;
	return rc;
}

uint64_t stacks_period(const struct report *r)
{
	uint64_t period = r->session->rate_mhz ? MHZ_PERIOD / r->session->rate_mhz : 0;

	return period ? period : 1;
}
