/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/load.h"
#include "report/archive/archive_stacks.h"
#include "common/thread_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MAPPED UINT32_MAX
#define JOBS_EACH 2             /* blocks under way for each thread: one at work, one that waits */
#define THREADS_FROM (2u << 20) /* bytes of a file: smaller ones are read before threads have begun */

/*
 * A regular pattern compresses a hundredfold: no file of a few bytes may take all memory. Real ones need a few times
 * their size.
 */
#define MEMORY_FREE (512u << 20)
#define MEMORY_EACH 32u /* for a byte of the file */

struct loader {
	struct profile *profile;
	size_t bytes_before; /* what the profile took of memory */
	struct load_options options;
	pthread_mutex_t *rows_lock; /* NULL: nobody else uses the rows */
	struct upf_decoder *decoder;
	uint32_t *map; /* the block's nodes in the profile's tree, NOT_MAPPED until met */
	size_t mapped, cap;
	uint32_t path[UPF_DEPTH_MAX + 1];
	const struct upf_session *session;

	struct seen_stack *seen; /* of this block: what came out of a stack with a top */
	size_t nseen, seen_cap;
	struct hash_table by_stack;
	struct archive_stacks archived; /* of this block, what an archive knows of them */
	struct chain chain;
};

struct seen_stack {
	uint32_t stack, top, node;
	uint8_t end;
	bool restored, doubtful;
};

/* The map covers the first @n nodes afterwards. */
static int map_room(struct loader *l, uint32_t n)
{
	int rc;

	if (n <= l->mapped)
		return 0;
	rc = array_room(&l->map, &l->cap, n, sizeof(*l->map));
	if (rc != 0)
		return rc;
	memset(l->map + l->mapped, 0xff, (n - l->mapped) * sizeof(*l->map));
	l->mapped = n;
	return 0;
}

/* Finds the nearest caller that is mapped already, then maps from there to the leaf. */
static int map_path(struct loader *l, const struct upf_node *nodes, uint32_t leaf)
{
	size_t n = 0;
	uint32_t node = leaf;

	while (l->map[node] == NOT_MAPPED) {
		if (n > UPF_DEPTH_MAX || nodes[node].parent >= node)
			return -EBADMSG;
		l->path[n++] = node;
		node = nodes[node].parent;
	}
	while (n > 0) {
		uint32_t parent = l->map[node];
		int rc;

		node = l->path[--n];
		rc = calltree_child(&l->profile->tree, parent, nodes[node].address, 0, &l->map[node]);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int map_stack(struct loader *l, uint32_t leaf, uint32_t *node)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(l->decoder, &n);
	int rc = map_room(l, n);

	if (rc != 0)
		return rc;
	if (leaf >= n)
		return -EBADMSG;
	l->map[0] = 0;
	if (l->map[leaf] == NOT_MAPPED)
		rc = map_path(l, nodes, leaf);
	*node = l->map[leaf];
	return rc;
}

/* --- true stacks ------------------------------------------------------------------------------------------------- */

/* The frames of the block's stack that ends in @leaf, leaf first. */
static uint32_t frames_of(const struct upf_decoder *decoder, uint32_t leaf, uint64_t *frames)
{
	uint32_t all, n = 0;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &all);

	for (; leaf != 0 && leaf < all && n < UPF_DEPTH_MAX; leaf = nodes[leaf].parent)
		frames[n++] = nodes[leaf].address;
	return n;
}

static int put_chain(struct loader *l, const struct chain *c, uint32_t *node)
{
	int rc = 0;

	*node = 0;
	for (uint32_t i = c->n; rc == 0 && i-- > 0;)
		rc = calltree_child(&l->profile->tree, *node, c->frame[i].address, c->frame[i].flags, node);
	return rc;
}

bool load_may_differ(const struct upf_session *session, const struct upf_record *rec)
{
	return rec->tops != UPF_TOPS_NONE &&
	       (rec->domain >= session->ndomains || session->domains[rec->domain].arch == UPF_ARCH_X86_64);
}

void load_chain(struct cfi *rows, const struct upf_session *session, const struct upf_decoder *decoder,
                const struct upf_record *rec, struct chain *chain)
{
	const struct upf_domain *domain = rec->domain < session->ndomains ? &session->domains[rec->domain] : NULL;
	bool pv = !domain || domain->kind <= UPF_KIND_PV;
	uint64_t frames[UPF_DEPTH_MAX];
	uint32_t depth = frames_of(decoder, rec->stack, frames);

	chain->n = 0;
	chain->restored = chain->doubtful = false;
	if (rec->tops == UPF_TOPS_COPY && depth)
		unwind_copy(rows, rec, frames[0], pv, chain);
	else if (rec->tops == UPF_TOPS_WINDOW)
		repair_chain(rows, rec, frames, depth, pv, chain);
}

static void chain_by_rows(struct loader *l, const struct upf_record *rec)
{
	if (l->rows_lock)
		pthread_mutex_lock(l->rows_lock);
	load_chain(l->options.rows, l->session, l->decoder, rec, &l->chain);
	if (l->rows_lock)
		pthread_mutex_unlock(l->rows_lock);
}

/* What the sample's stack is in truth. */
static int make_true(struct loader *l, const struct upf_record *rec, struct seen_stack *s)
{
	if (l->options.rows)
		chain_by_rows(l, rec);
	else
		archive_stacks_chain(&l->archived, rec->stack, rec->top, &l->chain);
	s->end = l->chain.n ? l->chain.end : rec->end;
	s->restored = l->chain.restored;
	s->doubtful = l->chain.doubtful;
	return l->chain.n ? put_chain(l, &l->chain, &s->node) : map_stack(l, rec->stack, &s->node);
}

/* A stack with a top comes again and again in a block: it is looked at once. */
static int true_stack(struct loader *l, const struct upf_record *rec, const struct seen_stack **seen)
{
	uint32_t hash, id;
	int rc = hash_table_reserve(&l->by_stack);

	if (rc == 0)
		rc = array_room(&l->seen, &l->seen_cap, l->nseen, sizeof(*l->seen));
	if (rc != 0)
		return rc;
	hash = hash_table_hash(&l->by_stack, rec->stack, rec->top);
	for (size_t at = hash_table_first(&l->by_stack, hash); hash_table_id(&l->by_stack, &at, hash, &id);
	     at = hash_table_next(&l->by_stack, at)) {
		*seen = &l->seen[id];
		if (l->seen[id].stack == rec->stack && l->seen[id].top == rec->top)
			return 0;
	}
	l->seen[l->nseen] = (struct seen_stack){.stack = rec->stack, .top = rec->top};
	rc = make_true(l, rec, &l->seen[l->nseen]);
	*seen = &l->seen[l->nseen];
	if (rc == 0)
		hash_table_add(&l->by_stack, hash, (uint32_t)l->nseen++);
	return rc;
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static int stack_of(struct loader *l, struct upf_record *rec, uint32_t *node, const struct seen_stack **seen)
{
	int rc;

	*seen = NULL;
	if (!(l->options.rows || l->options.archived) || !load_may_differ(l->session, rec))
		return map_stack(l, rec->stack, node);
	rc = true_stack(l, rec, seen);
	if (rc == 0) {
		*node = (*seen)->node;
		rec->end = (*seen)->end;
	}
	return rc;
}

/* 1: it counts; 0: it is left out by name. */
static int load_sample(struct loader *l, struct upf_record *rec, uint32_t *node)
{
	struct counters *t = &l->profile->counters;
	const struct seen_stack *seen;
	int rc = stack_of(l, rec, node, &seen);

	if (rc == 0 && l->options.scope)
		scope_place(l->options.scope, rec);
	if (rc == 0)
		rc = profile_sample(l->profile, rec, *node);
	if (rc > 0 && seen && !rec->user) {
		t->restored += seen->restored;
		t->doubtful += seen->doubtful;
	}
	return rc;
}

/* Records that do not count are as if they were not there. */
static int load_record(struct loader *l, const struct upf_block *b, struct upf_record *rec)
{
	const struct load_hooks *hooks = l->options.hooks;
	uint32_t node = 0;
	int rc = 1;

	if (l->options.scope && !scope_has(l->options.scope, rec)) {
		l->profile->counters.out_of_scope += rec->kind == UPF_SAMPLE;
		return 0;
	}
	if (rec->kind == UPF_SAMPLE)
		rc = load_sample(l, rec, &node);
	else if (l->options.scope)
		scope_place(l->options.scope, rec);
	if (rc <= 0)
		return rc;
	counters_record(&l->profile->counters, rec);
	return hooks && hooks->record ? hooks->record(hooks->ctx, b, rec, node) : 0;
}

/* A block that breaks the format midway costs its rest. */
static int broken_block(struct loader *l, const struct upf_block *b, uint32_t index)
{
	const struct load_hooks *hooks = l->options.hooks;

	l->profile->counters.bad_blocks++;
	counters_fault(&l->profile->counters, UPF_FAULT_RECORD, b->offset);
	return hooks && hooks->broken ? hooks->broken(hooks->ctx, b, index) : 0;
}

static int load_block(struct loader *l, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(l->decoder, b);
	struct upf_record rec = {0};
	int rc;

	l->mapped = 0;
	l->nseen = 0;
	hash_table_clear(&l->by_stack);
	if (fault == UPF_FAULT_MEMORY)
		return -ENOMEM;
	if (fault != UPF_OK)
		return broken_block(l, b, 0);
	while ((rc = upf_decoder_next(l->decoder, &rec)) > 0) {
		rc = load_record(l, b, &rec);
		if (rc != 0)
			break;
	}
	return rc == -EBADMSG ? broken_block(l, b, rec.index) : rc;
}

static bool out_of_proportion(const struct loader *l, const struct upf_reader *r)
{
	uint64_t allowed = (l->options.memory ? l->options.memory : MEMORY_FREE) + MEMORY_EACH * upf_reader_bytes(r);

	return profile_bytes(l->profile) > l->bytes_before + allowed;
}

/* Whatever block comes next, sound or not. What upf_reader_next() returns, or -EFBIG. */
static int next_block(struct loader *l, struct upf_reader *r, struct upf_block *b)
{
	int rc = out_of_proportion(l, r) ? -EFBIG : upf_reader_next(r, b);

	if (rc > 0 && b->fault != UPF_OK)
		counters_fault(&l->profile->counters, b->fault, b->offset);
	if (rc > 0)
		progress_at(l->options.progress, upf_reader_bytes(r), l->options.size);
	return rc;
}

static int load_stacks(struct loader *l, const struct upf_block *b)
{
	int rc = archive_stacks_add(&l->archived, b);

	return rc == -EBADMSG ? broken_block(l, b, 0) : rc;
}

static int load_any(struct loader *l, const struct upf_block *b)
{
	if (b->type == UPF_BLOCK_STACKS && l->options.archived)
		return load_stacks(l, b);
	if (b->type != UPF_BLOCK_SAMPLES)
		return 0;
	archive_stacks_of(&l->archived, b);
	return load_block(l, b);
}

static int load_blocks(struct loader *l, struct upf_reader *r)
{
	const struct load_hooks *hooks = l->options.hooks;
	struct upf_block b;
	int rc;

	while ((rc = next_block(l, r, &b)) > 0) {
		rc = hooks && hooks->block ? hooks->block(hooks->ctx, &b) : 0;
		if (rc == 0 && b.fault == UPF_OK)
			rc = load_any(l, &b);
		if (rc != 0)
			break;
	}
	return rc;
}

static int open_loader(struct loader *l, struct profile *p, struct upf_reader *r, const struct load_options *options)
{
	*l = (struct loader){.profile = p,
	                     .bytes_before = profile_bytes(p),
	                     .session = upf_reader_session(r),
	                     .decoder = upf_decoder_new()};
	if (options)
		l->options = *options;
	return l->decoder ? 0 : -ENOMEM;
}

static void close_loader(struct loader *l)
{
	upf_decoder_free(l->decoder);
	free(l->map);
	free(l->seen);
	hash_table_free(&l->by_stack);
	archive_stacks_free(&l->archived);
}

/* --- several blocks at once -------------------------------------------------------------------------------------- */

/* A block, and a profile of it alone, which is added to the whole one when its turn comes. */
struct job {
	struct loader loader;
	struct profile profile;
	struct upf_block block;
	uint8_t *payload; /* the block's, which the reader reuses */
	size_t cap;
	int rc;
};

struct jobs {
	struct job *of;
	size_t n;
	pthread_mutex_t rows_lock;
};

static void do_job(void *ctx, size_t slot)
{
	struct job *job = &((struct jobs *)ctx)->of[slot];

	job->rc = load_block(&job->loader, &job->block);
}

static int take_result(struct loader *l, struct job *job)
{
	int rc = job->rc == 0 ? profile_add(l->profile, &job->profile) : job->rc;

	profile_clear(&job->profile);
	job->rc = 0;
	return rc;
}

static int fill_job(struct job *job, const struct upf_block *b)
{
	int rc = array_room(&job->payload, &job->cap, b->raw_size, 1);

	if (rc != 0)
		return rc;
	memcpy(job->payload, b->payload, b->raw_size);
	job->block = *b;
	job->block.payload = job->payload;
	return 0;
}

static int share_out(struct loader *l, struct upf_reader *r, struct jobs *jobs, struct thread_pool *thread_pool)
{
	struct upf_block b;
	int rc;

	while ((rc = next_block(l, r, &b)) > 0) {
		struct job *job;

		if (b.fault != UPF_OK || b.type != UPF_BLOCK_SAMPLES)
			continue;
		job = &jobs->of[thread_pool_turn(thread_pool)];
		rc = take_result(l, job);
		if (rc == 0)
			rc = fill_job(job, &b);
		if (rc != 0)
			return rc;
		thread_pool_give(thread_pool);
	}
	for (size_t i = 0; rc == 0 && i < jobs->n; i++) {
		rc = take_result(l, &jobs->of[thread_pool_turn(thread_pool)]);
		thread_pool_pass(thread_pool);
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
			rc = open_loader(&job->loader, &job->profile, r, &l->options);
		job->profile.quantum_ns = l->profile->quantum_ns;
		job->loader.rows_lock = &jobs->rows_lock;
	}
	return rc;
}

static void close_jobs(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++) {
		close_loader(&jobs->of[i].loader);
		profile_free(&jobs->of[i].profile);
		free(jobs->of[i].payload);
	}
	free(jobs->of);
	pthread_mutex_destroy(&jobs->rows_lock);
}

/* In the order of the blocks, so that nothing depends on the number of threads. */
static int load_by_threads(struct loader *l, struct upf_reader *r, unsigned threads)
{
	struct jobs jobs = {.n = JOBS_EACH * (size_t)threads};
	struct thread_pool *thread_pool = NULL;
	int rc;

	jobs.of = calloc(jobs.n, sizeof(*jobs.of));
	if (!jobs.of)
		return -ENOMEM;
	pthread_mutex_init(&jobs.rows_lock, NULL);
	rc = open_jobs(&jobs, l, r);
	if (rc == 0)
		thread_pool = thread_pool_start(threads - 1, jobs.n, do_job, &jobs);
	if (thread_pool)
		rc = share_out(l, r, &jobs, thread_pool);
	else if (rc == 0)
		rc = load_blocks(l, r);
	thread_pool_end(thread_pool);
	close_jobs(&jobs);
	return rc;
}

/* Hooks want to hear of records in their order, a filter by name has all names in one place, archived stacks stand
 * between the blocks they are of. */
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
	rc = open_loader(l, p, r, options);
	threads = threads_for(l);
	if (rc == 0)
		rc = threads > 1 ? load_by_threads(l, r, threads) : load_blocks(l, r);
	close_loader(l);
	free(l);
	return rc;
}
