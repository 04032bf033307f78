/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/load.h"
#include "report/profile/loader.h"
#include "common/thread_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_FROM (2u << 20) /* bytes of a file: smaller ones are read before threads have begun */
#define JOBS_EACH 2             /* blocks under way for each thread: one at work, one that waits */

/* --- several blocks at once -------------------------------------------------------------------------------------- */

/* A block, and a profile of it alone, which is added to the whole one when its turn comes. */
struct job {
	struct loader loader;
	struct profile profile;
	struct upf_block block;
	uint8_t *payload; /* the block's, which the reader reuses */
	size_t cap;
	bool hole; /* something is missing before it */
	int rc;
};

struct jobs {
	struct job *of;
	size_t n;
	pthread_mutex_t cfi_lock;
};

static void do_job(void *ctx, size_t slot)
{
	struct job *job = &((struct jobs *)ctx)->of[slot];

	job->rc = loader_block(&job->loader, &job->block);
}

static int take_result(struct loader *l, struct job *job)
{
	struct gaps *gaps = &job->loader.gaps;
	int rc = job->rc;

	if (job->hole)
		gaps_cut(&l->gaps);
	if (rc == 0)
		rc = gaps_settle(&l->gaps, gaps, &job->profile);
	if (job->loader.broken)
		gaps_cut(&l->gaps);
	if (rc == 0)
		rc = profile_add(l->profile, &job->profile);
	if (rc == 0)
		rc = loader_block_done(l, job->loader.block_walked, job->block.stored_size);
	profile_clear(&job->profile);
	gaps_reset(gaps);
	job->loader.broken = job->hole = false;
	job->loader.block_walked = 0;
	job->block.stored_size = 0;
	job->rc = 0;
	return rc;
}

static int fill_job(struct loader *l, struct job *job, const struct upf_block *b)
{
	int rc = array_room(&job->payload, &job->cap, b->raw_size, 1);

	if (rc != 0)
		return rc;
	memcpy(job->payload, b->payload, b->raw_size);
	job->block = *b;
	job->hole = l->hole;
	l->hole = false;
	job->block.payload = job->payload;
	return 0;
}

static int share_out(struct loader *l, struct upf_reader *r, struct jobs *jobs, struct thread_pool *pool)
{
	struct upf_block b;
	int rc;

	while ((rc = loader_next(l, r, &b)) > 0) {
		struct job *job;

		if (b.fault != UPF_OK || b.type != UPF_BLOCK_SAMPLES)
			continue;
		job = &jobs->of[thread_pool_turn(pool)];
		rc = take_result(l, job);
		if (rc == 0)
			rc = fill_job(l, job, &b);
		if (rc != 0)
			return rc;
		thread_pool_give(pool);
	}
	for (size_t i = 0; rc == 0 && i < jobs->n; i++) {
		rc = take_result(l, &jobs->of[thread_pool_turn(pool)]);
		thread_pool_pass(pool);
	}
	return rc;
}

static int open_jobs(struct jobs *jobs, const struct loader *l, struct upf_reader *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < jobs->n; i++) {
		struct job *job = &jobs->of[i];

		rc = profile_init(&job->profile);
		if (rc == 0)
			rc = loader_open(&job->loader, &job->profile, upf_reader_session(r), &l->options);
		job->profile.quantum_ns = l->profile->quantum_ns;
		job->profile.spaces = l->profile->spaces;
		job->profile.by_ns = l->profile->by_ns;
		job->loader.gaps.is_part = true;
		job->loader.stacks.cfi_lock = &jobs->cfi_lock;
		job->loader.stacks.alone = true;
	}
	return rc;
}

static void close_jobs(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++) {
		loader_close(&jobs->of[i].loader);
		profile_free(&jobs->of[i].profile);
		free(jobs->of[i].payload);
	}
	free(jobs->of);
	pthread_mutex_destroy(&jobs->cfi_lock);
}

/*
 * All that is left of @r by several threads: without hooks, filter and archived stacks. In the order of the blocks, so
 * that nothing depends on the number of threads.
 */
static int load_by_threads(struct loader *l, struct upf_reader *r, unsigned threads)
{
	struct jobs jobs = {.n = threads > 1 ? JOBS_EACH * (size_t)threads : 1};
	struct thread_pool *pool = NULL;
	int rc;

	jobs.of = calloc(jobs.n, sizeof(*jobs.of));
	if (!jobs.of)
		return -ENOMEM;
	pthread_mutex_init(&jobs.cfi_lock, NULL);
	rc = open_jobs(&jobs, l, r);
	if (rc == 0)
		pool = thread_pool_start(threads - 1, jobs.n, do_job, &jobs);
	if (pool)
		rc = share_out(l, r, &jobs, pool);
	else if (rc == 0)
		rc = loader_blocks(l, r);
	thread_pool_end(pool);
	close_jobs(&jobs);
	return rc;
}

/* --- a trace ----------------------------------------------------------------------------------------------------- */

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
		rc = by_sample(l) ? loader_blocks(l, r) : load_by_threads(l, r, threads_for(l));
	if (l->options.rounds)
		tell_rounds(l, upf_reader_session(r)->ndomains);
	p->counters.cpu_left_ns += gaps_cpu_left(&l->gaps);
	loader_close(l);
	free(l);
	return rc;
}
