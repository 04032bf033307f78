/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/load.h"
#include "report/profile/loader.h"
#include "common/thread_pool.h"

#include <errno.h>
#include <stdlib.h>

#define THREADS_FROM (2u << 20) /* bytes of a file: smaller ones are read before threads have begun */

/*
 * Hooks need the records in order, filters by name share one symbolizer, and an archive's stacks come between the
 * blocks that they belong to: for these there is one thread.
 */
static unsigned threads_for(const struct loader *l)
{
	if (l->options.hooks || l->profile->filter || l->options.archived)
		return 1;
	return l->options.threads ? l->options.threads : l->options.size >= THREADS_FROM ? thread_pool_cpus() : 1;
}

int load_trace(struct profile *p, struct upf_reader *r, const struct load_options *options)
{
	struct loader *l = malloc(sizeof(*l));
	unsigned threads;
	int rc;

	if (!l)
		return -ENOMEM;
	rc = loader_open(l, p, upf_reader_session(r), options);
	threads = threads_for(l);
	if (rc == 0)
		rc = threads > 1 ? loader_by_threads(l, r, threads) : loader_blocks(l, r);
	loader_close(l);
	free(l);
	return rc;
}
