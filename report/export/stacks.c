/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/stacks.h"
#include "report/trust.h"

#include <stdio.h>
#include <string.h>

#define MHZ_PERIOD 1000000000000u /* ns times mHz */
#define NO_DOMID 0x7fffu          /* above Xen's numbers: DOMID_FIRST_RESERVED is 0x7ff0, 0x7fff was never given a meaning */

/* --- one stack ----------------------------------------------------------------------------------------------------- */

/* As in fold.c: what has no name in user mode, or lies in the kernel's half, tells nothing. */
static bool is_hidden(const struct report *r, const struct callchain_frame *f)
{
	return f->address >> 63 || !r->names.functions[f->function].named;
}

static void drop_hidden(const struct report *r, struct callchain *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!is_hidden(r, &c->frames[i]))
			c->frames[kept++] = c->frames[i];
	c->n = kept;
}

/* A frame without code becomes the root. */
static int put_root(struct report *r, struct callchain *c, const char *name)
{
	struct callchain_frame root = {.caller = c->n > 0};
	int rc = names_function(&r->names, name, &root.function);

	if (rc == 0)
		rc = array_room(&c->frames, &c->cap, c->n, sizeof(*c->frames));
	if (rc != 0)
		return rc;
	if (c->n)
		memmove(c->frames + 1, c->frames, c->n * sizeof(*c->frames));
	c->frames[0] = root;
	c->n++;
	return 0;
}

int stacks_chain(struct report *r, struct callchain *c, uint32_t node, bool user)
{
	int rc = callchain_make(c, &r->profile, &r->names, node);

	if (rc != 0)
		return rc;
	if (c->n == 0)
		return put_root(r, c, "[no stack]");
	if (!user)
		return 0;
	drop_hidden(r, c);
	return put_root(r, c, "[user]");
}

/* --- all stacks ---------------------------------------------------------------------------------------------------- */

int stacks_each(struct report *r, int (*each)(void *ctx, const struct stack *s, const struct callchain *c), void *ctx)
{
	struct callchain chain = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->profile.nstacks; i++) {
		const struct stack *s = &r->profile.stacks[i];

		if (!stacks_counts(r, s->state))
			continue;
		rc = stacks_chain(r, &chain, s->node, stack_is_user(s));
		if (rc == 0)
			rc = each(ctx, s, &chain);
	}
	callchain_free(&chain);
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
	const struct upf_domain *d = stacks_domain(r, domain);
	char made_up[32];
	uint32_t function;
	int rc;

	snprintf(made_up, sizeof(made_up), d ? "[domain %u]" : "[unknown domain %u]", d ? d->id : domain);
	rc = names_function(&r->names, d && d->name && *d->name ? d->name : made_up, &function);
	if (rc == 0)
		*name = r->names.functions[function].name;
	return rc;
}

uint64_t stacks_period(const struct report *r)
{
	uint64_t period = r->session->rate_mhz ? MHZ_PERIOD / r->session->rate_mhz : 0;

	return period ? period : 1;
}
