/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/load.h"
#include "report/profile/loader.h"
#include "common/thread_pool.h"

#include <errno.h>
#include <stdlib.h>

#define THREADS_FROM (2u << 20) /* bytes of a file: smaller ones are read before threads have begun */

/*
 * Hooks need the records in order, filters by name share one symbolizer, and an archive's stacks come between the
 * blocks that they belong to: these add each sample to the whole profile. All others add a block after the other.
 */
static bool by_sample(const struct loader *l)
{
	return l->options.hooks || l->profile->filter || l->options.archived;
}

static unsigned threads_for(const struct loader *l)
{
	return l->options.threads ? l->options.threads : l->options.size >= THREADS_FROM ? thread_pool_cpus() : 1;
}

static void tell_rounds(const struct loader *l, size_t ndomains)
{
	for (size_t i = 0; i < l->gaps.ndomains; i++) {
		const struct gap_domain *d = &l->gaps.domains[i];

		if (d->begun && d->domain < ndomains)
			l->options.rounds[d->domain] = (struct scope_span){d->domain, d->first_ns, d->last_ns};
	}
}

int load_trace(struct profile *p, struct upf_reader *r, const struct load_options *options)
{
	struct loader *l = malloc(sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	rc = loader_open(l, p, upf_reader_session(r), options);
	if (rc == 0)
		rc = by_sample(l) ? loader_blocks(l, r) : loader_by_threads(l, r, threads_for(l));
	if (l->options.rounds)
		tell_rounds(l, upf_reader_session(r)->ndomains);
	p->counters.cpu_left_ns += gaps_cpu_left(&l->gaps);
	loader_close(l);
	free(l);
	return rc;
}
