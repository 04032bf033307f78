/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/frame_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INLINE_DEPTH_MAX UINT16_MAX

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static int add_function(struct frame_table *t, const struct table_function *f, uint32_t *id)
{
	uint64_t file;
	uint32_t hash;
	int rc = hash_table_reserve(&t->by_function);

	if (rc != 0)
		return rc;
	file = f->file ? hash_table_hash_text(&t->by_function, f->file, strlen(f->file)) : 0;
	hash = hash_table_hash(&t->by_function, f->function, file);
	for (size_t at = hash_table_first(&t->by_function, hash); hash_table_id(&t->by_function, &at, hash, id);
	     at = hash_table_next(&t->by_function, at))
		if (t->functions[*id].function == f->function && same_text(t->functions[*id].file, f->file))
			return 0;
	rc = t->nfunctions < UINT32_MAX - 1 ? 0 : -EOVERFLOW;
	if (rc == 0)
		rc = array_room(&t->functions, &t->functions_cap, t->nfunctions, sizeof(*t->functions));
	if (rc != 0)
		return rc;
	*id = (uint32_t)t->nfunctions++;
	t->functions[*id] = *f;
	hash_table_add(&t->by_function, hash, *id);
	return 0;
}

static bool same_frame(const struct table_frame *a, const struct table_frame *b)
{
	return a->address == b->address && a->function == b->function && a->line == b->line &&
	       a->offset == b->offset && a->inline_depth == b->inline_depth && a->caller == b->caller;
}

static int add_frame(struct frame_table *t, const struct table_frame *f, uint32_t *id)
{
	uint32_t hash;
	int rc = hash_table_reserve(&t->by_frame);

	if (rc != 0)
		return rc;
	hash = hash_table_hash(&t->by_frame, f->address,
	                       (uint64_t)f->function << 32 | (uint64_t)f->inline_depth << 1 | f->caller);
	for (size_t at = hash_table_first(&t->by_frame, hash); hash_table_id(&t->by_frame, &at, hash, id);
	     at = hash_table_next(&t->by_frame, at))
		if (same_frame(&t->frames[*id], f))
			return 0;
	rc = t->nframes < UINT32_MAX - 1 ? 0 : -EOVERFLOW;
	if (rc == 0)
		rc = array_room(&t->frames, &t->frames_cap, t->nframes, sizeof(*t->frames));
	if (rc != 0)
		return rc;
	*id = (uint32_t)t->nframes++;
	t->frames[*id] = *f;
	hash_table_add(&t->by_frame, hash, *id);
	return 0;
}

int frame_table_chain(struct frame_table *t, const struct callchain *c)
{
	struct table_frame frame = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		const struct callchain_frame *f = &c->frames[i];
		struct table_function function = {f->function, f->file};
		bool deeper =
			f->inlined && i > 0 && f[-1].address == f->address && frame.inline_depth < INLINE_DEPTH_MAX;

		frame = (struct table_frame){.line = f->line,
		                             .address = f->address,
		                             .offset = f->offset,
		                             .caller = f->caller,
		                             .inline_depth = deeper ? frame.inline_depth + 1 : 0};
		rc = add_function(t, &function, &frame.function);
		if (rc == 0)
			rc = array_room(&t->ids, &t->ids_cap, i, sizeof(*t->ids));
		if (rc == 0)
			rc = add_frame(t, &frame, &t->ids[i]);
	}
	return rc;
}

void frame_table_free(struct frame_table *t)
{
	free(t->functions);
	free(t->frames);
	free(t->ids);
	hash_table_free(&t->by_function);
	hash_table_free(&t->by_frame);
	*t = (struct frame_table){0};
}
