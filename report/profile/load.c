/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/load.h"
#include "report/profile/repeats.h"
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

/*
 * Nor may it take all time: where repeated samples cannot be counted by multiplication, so many are gone through.
 */
#define REPEATS_FREE (4u << 20)
#define REPEATS_EACH 512u /* for a byte of a block */

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
	const struct upf_block *block;
	struct repeats repeats;
	uint64_t block_walked;   /* repeated samples of this block that were gone through */
	uint64_t walked, stored; /* of all blocks; their bytes */
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

static int put_chain(struct loader *l, const struct chain *c, uint32_t *node)
{
	int rc = 0;

	*node = 0;
	for (uint32_t i = c->n; rc == 0 && i-- > 0;)
		rc = calltree_child(&l->profile->tree, *node, c->frame[i].address, c->frame[i].flags, node);
	return rc;
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

/* A record that is in the scope. */
static int count_record(struct loader *l, const struct upf_record *rec, uint32_t node)
{
	const struct load_hooks *hooks = l->options.hooks;

	counters_record(&l->profile->counters, rec);
	return hooks && hooks->record ? hooks->record(hooks->ctx, l->block, rec, node) : 0;
}

/* rec->count samples, each as @s says; those that a filter leaves out by name are not heard of. */
static int count_samples(struct loader *l, const struct upf_record *rec, const struct repeated *s)
{
	struct counters *t = &l->profile->counters;
	int rc = profile_sample(l->profile, rec, s->node);

	if (rc <= 0)
		return rc;
	t->restored += s->restored * rec->count;
	t->doubtful += s->doubtful * rec->count;
	return count_record(l, rec, s->node);
}

/* Counts a repeated sample as gone through. */
static int walk_repeated(struct loader *l)
{
	return ++l->block_walked > REPEATS_FREE + REPEATS_EACH * (uint64_t)l->block->stored_size ? -EFBIG : 0;
}

static int load_sample(struct loader *l, struct upf_record *rec)
{
	const struct seen_stack *seen;
	struct repeated s = {0};
	int rc = stack_of(l, rec, &s.node, &seen);

	if (rc == 0 && rec->repeated)
		rc = walk_repeated(l);
	if (rc != 0)
		return rc;
	if (l->options.scope)
		scope_place(l->options.scope, rec);
	s.restored = seen && !rec->user && seen->restored;
	s.doubtful = seen && !rec->user && seen->doubtful;
	s.domain = rec->domain;
	s.vcpu = rec->vcpu;
	s.state = rec->state;
	s.end = rec->end;
	s.user = rec->user;
	s.has_stack = rec->stack != 0;
	if (rec->repeated && l->repeats.learning)
		rc = repeats_add(&l->repeats, &s);
	return rc == 0 ? count_samples(l, rec, &s) : rc;
}

/* --- repeated samples -------------------------------------------------------------------------------------------- */

/* Does whoever listens want each sample by itself? */
static bool each_by_itself(const struct loader *l)
{
	const struct load_hooks *hooks = l->options.hooks;

	return hooks && hooks->record && !hooks->slot_ns;
}

static bool same_slot(const struct loader *l, uint64_t a, uint64_t b)
{
	uint64_t slot = l->options.hooks ? l->options.hooks->slot_ns : 0, quantum = l->profile->quantum_ns;

	return (!slot || a / slot == b / slot) && (!quantum || a / quantum == b / quantum);
}

/* A remembered sample, with the number of SAME records that repeated it. */
static int count_repeated(void *ctx, const struct upf_record *rec, const struct repeated *s)
{
	struct loader *l = ctx;
	int rc = walk_repeated(l);

	return rc == 0 ? count_samples(l, rec, s) : rc;
}

static int count_repeats(struct loader *l, struct domain_repeats *d)
{
	l->profile->counters.out_of_scope += d->times * d->left_out;
	return repeats_end(&l->repeats, d, count_repeated, l);
}

/* Of all domains. */
static int count_all_repeats(struct loader *l)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->repeats.ndomains; i++)
		rc = count_repeats(l, &l->repeats.domains[i]);
	return rc;
}

/* A ROUND of @domain: its samples are others from now on. */
static int begin_round(struct loader *l, uint32_t domain)
{
	struct domain_repeats *d = repeats_of(&l->repeats, domain);

	if (!d)
		return -ENOMEM;
	d->known = false;
	return count_repeats(l, d);
}

/* A SAME of @domain, which is in the scope, at its place in time. */
static int load_same(struct loader *l, const struct upf_record *rec, uint32_t domain)
{
	struct domain_repeats *d;
	int rc = 0;

	if (each_by_itself(l))
		return 0;
	d = repeats_of(&l->repeats, domain);
	if (!d)
		return -ENOMEM;
	if (!d->known) {
		repeats_learn(&l->repeats, d);
		return 0;
	}
	upf_decoder_pass_repeated(l->decoder);
	if (d->times && !same_slot(l, d->time_ns, rec->time_ns))
		rc = count_repeats(l, d);
	d->time_ns = rec->time_ns;
	d->times++;
	return rc;
}

/* Records that do not count are as if they were not there. */
static int leave_out(struct loader *l, const struct upf_record *rec)
{
	if (rec->kind != UPF_SAMPLE && rec->kind != UPF_SAME)
		return 0;
	l->profile->counters.out_of_scope += rec->count;
	if (rec->kind == UPF_SAME)
		upf_decoder_pass_repeated(l->decoder);
	else if (rec->repeated && l->repeats.learning)
		l->repeats.learning->left_out++;
	return 0;
}

static int load_record(struct loader *l, struct upf_record *rec)
{
	uint32_t domain = rec->domain;
	int rc = 0;

	if (!rec->repeated)
		l->repeats.learning = NULL;
	if (rec->kind == UPF_ROUND)
		rc = begin_round(l, domain);
	if (rc != 0)
		return rc;
	if (l->options.scope && !scope_has(l->options.scope, rec))
		return leave_out(l, rec);
	if (rec->kind == UPF_SAMPLE)
		return load_sample(l, rec);
	if (l->options.scope)
		scope_place(l->options.scope, rec);
	if (rec->kind == UPF_SAME)
		rc = load_same(l, rec, domain);
	return rc == 0 ? count_record(l, rec, 0) : rc;
}

/* A block that breaks the format midway costs its rest. */
static int broken_block(struct loader *l, const struct upf_block *b, uint32_t index)
{
	const struct load_hooks *hooks = l->options.hooks;

	l->profile->counters.bad_blocks++;
	counters_fault(&l->profile->counters, UPF_FAULT_RECORD, b->offset);
	return hooks && hooks->broken ? hooks->broken(hooks->ctx, b, index) : 0;
}

/* How many repeated samples were gone through is judged over all blocks in their order, too. */
static int end_block(struct loader *l, uint64_t walked, uint64_t stored)
{
	l->walked += walked;
	l->stored += stored;
	return l->walked > REPEATS_FREE + REPEATS_EACH * l->stored ? -EFBIG : 0;
}

static int load_block(struct loader *l, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(l->decoder, b);
	struct upf_record rec = {0};
	int rc, last;

	l->block = b;
	l->mapped = 0;
	l->block_walked = 0;
	repeats_reset(&l->repeats);
	l->nseen = 0;
	hash_table_clear(&l->by_stack);
	if (fault == UPF_FAULT_MEMORY)
		return -ENOMEM;
	if (fault != UPF_OK)
		return broken_block(l, b, 0);
	while ((rc = upf_decoder_next(l->decoder, &rec)) > 0) {
		rc = load_record(l, &rec);
		if (rc != 0)
			break;
	}
	last = rc == 0 || rc == -EBADMSG ? count_all_repeats(l) : 0;
	if (last != 0)
		return last;
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
	int rc;

	if (b->type == UPF_BLOCK_STACKS && l->options.archived)
		return load_stacks(l, b);
	if (b->type != UPF_BLOCK_SAMPLES)
		return 0;
	archive_stacks_of(&l->archived, b);
	rc = load_block(l, b);
	return rc == 0 ? end_block(l, l->block_walked, b->stored_size) : rc;
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
	repeats_free(&l->repeats);
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

	if (rc == 0)
		rc = end_block(l, job->loader.block_walked, job->block.stored_size);
	profile_clear(&job->profile);
	job->loader.block_walked = 0;
	job->block.stored_size = 0;
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
