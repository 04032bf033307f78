/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/export_stacks.h"

#include <string.h>

#define MHZ_PERIOD 1000000000000u /* ns times mHz */
#define PIDS_MADE_UP 0x400000u    /* above all domains' numbers: of Xen they have 15 bits, process IDs of Linux 22 */

int stacks_each(struct recording *r, unsigned states,
                int (*each)(void *ctx, const struct stack *s, const struct callchain *c), void *ctx)
{
	struct display_stacks stacks = stacks_of(r);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->profile.nstacks; i++) {
		const struct stack *s = &r->profile.stacks[i];

		if (!counters_among(states, s->state))
			continue;
		rc = display_stack_make(&stacks, s);
		if (rc == 0)
			rc = each(ctx, s, &stacks.chain);
	}
	display_stacks_free(&stacks);
	return rc;
}

/* --- whose they are ---------------------------------------------------------------------------------------------- */

const struct upf_domain *stacks_domain(const struct upf_session *session, uint32_t domain)
{
	return domain < session->ndomains ? &session->domains[domain] : NULL;
}

uint32_t stacks_pid(const struct upf_session *session, uint32_t domain)
{
	const struct upf_domain *d = stacks_domain(session, domain);
	uint32_t before = 0;

	while (d && before < domain && session->domains[before].id != d->id)
		before++;
	return d && before == domain ? d->id : PIDS_MADE_UP + domain;
}

/* Kept among the names of functions. */
static int keep_name(struct recording *r, const char *text, const char **name)
{
	uint32_t function;
	int rc = symbolizer_function(&r->names, text, &function);

	if (rc == 0)
		*name = r->names.functions[function].name;
	return rc;
}

int stacks_domain_name(struct recording *r, uint32_t domain, const char **name)
{
	char text[256];

	domain_text(&r->traces.session, domain, text, sizeof(text));
	return keep_name(r, text, name);
}

int stacks_image(struct recording *r, uint32_t domain, const char **name)
{
	const struct upf_domain *d = stacks_domain(&r->traces.session, domain);
	char text[256];

	if (d && d->image && *d->image)
		return keep_name(r, d->image, name);
	text[0] = '[';
	domain_text(&r->traces.session, domain, text + 1, sizeof(text) - 2);
	strcat(text, "]");
	return keep_name(r, text, name);
}

uint64_t stacks_period(const struct upf_session *session)
{
	uint64_t period = session->rate_mhz ? MHZ_PERIOD / session->rate_mhz : 0;

	return period ? period : 1;
}

uint64_t stacks_span(const struct recording *r, const struct selection *selection, const struct upf_record *rec)
{
	return selection->weight == WEIGHT_SAMPLES ? rec->count * stacks_period(&r->traces.session)
	                                           : rec->period * r->profile.period_ns;
}
