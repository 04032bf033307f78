/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/loader.h"
#include "report/profile/filter.h"

#include <errno.h>
#include <stdlib.h>

/*
 * A regular pattern compresses a hundredfold: no file of a few bytes may take all memory. Real ones need a few times
 * their size.
 */
#define MEMORY_FREE (512u << 20)
#define MEMORY_EACH 32u /* for a byte of the file */

/* --- records ----------------------------------------------------------------------------------------------------- */

/* 1: it counts; 0: it is left out by name. */
static int load_sample(struct loader *l, struct upf_record *rec, uint32_t *node)
{
	struct profile *p = l->profile;
	struct block_stack stack;
	int rc = block_stacks_find(&l->stacks, rec, &stack);

	if (rc != 0)
		return rc;
	*node = stack.node;
	rec->end = stack.end;
	if (l->options.scope)
		scope_place(l->options.scope, rec);
	rc = p->filter ? filter_keeps(p->filter, &p->tree, *node, rec->user && *node) : 1;
	if (rc == 0)
		profile_leave_out(p, rec);
	if (rc <= 0)
		return rc;
	rc = profile_sample(p, rec, *node);
	if (rc == 0 && !rec->user) {
		p->counters.restored += stack.restored;
		p->counters.doubtful += stack.doubtful;
	}
	return rc == 0 ? 1 : rc;
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

int loader_block(struct loader *l, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(l->decoder, b);
	struct upf_record rec = {0};
	int rc;

	block_stacks_start(&l->stacks);
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

int loader_next(struct loader *l, struct upf_reader *r, struct upf_block *b)
{
	int rc = out_of_proportion(l, r) ? -EFBIG : upf_reader_next(r, b);

	if (rc > 0 && b->fault != UPF_OK)
		counters_fault(&l->profile->counters, b->fault, b->offset);
	if (rc > 0)
		progress_at(l->options.progress, upf_reader_bytes(r), l->options.size);
	return rc;
}

static int load_archived(struct loader *l, const struct upf_block *b)
{
	int rc = archive_stacks_add(&l->stacks.archived, b);

	return rc == -EBADMSG ? broken_block(l, b, 0) : rc;
}

static int load_any(struct loader *l, const struct upf_block *b)
{
	if (b->type == UPF_BLOCK_STACKS && l->options.archived)
		return load_archived(l, b);
	if (b->type != UPF_BLOCK_SAMPLES)
		return 0;
	archive_stacks_of(&l->stacks.archived, b);
	return loader_block(l, b);
}

int loader_blocks(struct loader *l, struct upf_reader *r)
{
	const struct load_hooks *hooks = l->options.hooks;
	struct upf_block b;
	int rc;

	while ((rc = loader_next(l, r, &b)) > 0) {
		rc = hooks && hooks->block ? hooks->block(hooks->ctx, &b) : 0;
		if (rc == 0 && b.fault == UPF_OK)
			rc = load_any(l, &b);
		if (rc != 0)
			break;
	}
	return rc;
}

int loader_open(struct loader *l, struct profile *p, const struct upf_session *session,
                const struct load_options *options)
{
	*l = (struct loader){.profile = p, .bytes_before = profile_bytes(p), .decoder = upf_decoder_new()};
	if (options)
		l->options = *options;
	l->stacks.tree = &p->tree;
	l->stacks.session = session;
	l->stacks.decoder = l->decoder;
	l->stacks.cfi = l->options.cfi;
	l->stacks.is_archive = l->options.archived;
	return l->decoder ? 0 : -ENOMEM;
}

void loader_close(struct loader *l)
{
	upf_decoder_free(l->decoder);
	block_stacks_free(&l->stacks);
}
