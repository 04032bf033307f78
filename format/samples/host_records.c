/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/host_records.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

#define FUNCTION_VMM 1u
/* The most bytes of a frame beside the texts of a new function: its number, flags, lengths and offset. */
#define FRAME_BYTES (3 + 1 + 2 + 2 + 1 + VARINT_MAX)

/* --- encoding ---------------------------------------------------------------------------------------------------- */

struct numbers {
	struct {
		uint32_t generation; /* of the block that has it; others are from before */
		uint32_t number;
	} of[HOST_NUMBERS_MAX];
	uint32_t n;
};

/* The system gives memory only to the pages that are written. */
struct host_writer {
	struct numbers stacks, functions;
	uint32_t generation;
	uint8_t item[VARINT_MAX + HOST_DEPTH_MAX * (FRAME_BYTES + 2 * HOST_TEXT_MAX + HOST_BUILD_ID_MAX)];
};

struct host_writer *host_writer_new(void)
{
	struct host_writer *w = calloc(1, sizeof(*w));

	if (w)
		w->generation = 1;
	return w;
}

void host_writer_free(struct host_writer *w)
{
	free(w);
}

void host_writer_reset(struct host_writer *w)
{
	if (!w)
		return;
	w->generation++;
	w->stacks.n = w->functions.n = 0;
}

bool host_writer_acceptable(const struct host_stack *s)
{
	if (!s)
		return true;
	if (s->id >= HOST_NUMBERS_MAX || s->depth == 0 || s->depth > HOST_DEPTH_MAX)
		return false;
	for (uint32_t i = 0; i < s->depth; i++)
		if (s->frames[i]->id >= HOST_NUMBERS_MAX || s->frames[i]->build_id_size > HOST_BUILD_ID_MAX)
			return false;
	return true;
}

static size_t text_size(const char *text)
{
	return strnlen(text, HOST_TEXT_MAX);
}

static bool has(const struct host_writer *w, const struct numbers *numbers, uint32_t id)
{
	return numbers->of[id].generation == w->generation;
}

size_t host_writer_need(const struct host_writer *w, const struct host_stack *s)
{
	size_t need = 1 + 2 * VARINT_MAX;

	if (!s || has(w, &w->stacks, s->id))
		return 0;
	for (uint32_t i = 0; i < s->depth; i++) {
		const struct host_function *f = s->frames[i];

		need += FRAME_BYTES;
		if (!has(w, &w->functions, f->id))
			need += text_size(f->name) + text_size(f->file) + f->build_id_size;
	}
	return need;
}

static size_t put_text(uint8_t *at, const void *text, size_t size)
{
	size_t n = put_varint(at, size);

	memcpy(at + n, text, size);
	return n + size;
}

static size_t put_function(uint8_t *at, const struct host_function *f)
{
	size_t n = 0;

	at[n++] = f->is_vmm ? FUNCTION_VMM : 0;
	n += put_text(at + n, f->name, text_size(f->name));
	n += put_text(at + n, f->file, text_size(f->file));
	n += put_text(at + n, f->build_id, f->build_id_size);
	return n + put_varint(at + n, f->build_id_size ? f->offset : 0);
}

void host_writer_put(struct host_writer *w, struct column_writer *columns, const struct host_stack *s)
{
	uint8_t *item = w->item;
	size_t n = put_varint(item, s->depth);

	for (uint32_t i = s->depth; i-- > 0;) {
		const struct host_function *f = s->frames[i];
		const bool is_new = !has(w, &w->functions, f->id);

		if (is_new) {
			w->functions.of[f->id].generation = w->generation;
			w->functions.of[f->id].number = w->functions.n++;
		}
		n += put_varint(item + n, w->functions.of[f->id].number);
		n += is_new ? put_function(item + n, f) : 0;
	}
	w->stacks.of[s->id].generation = w->generation;
	w->stacks.of[s->id].number = ++w->stacks.n;
	add_item(columns, item, n);
}

uint32_t host_writer_number(const struct host_writer *w, const struct host_stack *s)
{
	return s && has(w, &w->stacks, s->id) ? w->stacks.of[s->id].number : 0;
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

void host_reader_free(struct host_reader *r)
{
	free(r->functions);
	free(r->frames);
	free(r->ends);
}

void host_reader_reset(struct host_reader *r)
{
	r->nfunctions = r->nframes = r->nstacks = 0;
}

static const char *get_text(struct cursor *c, uint32_t *size)
{
	uint64_t n = get_varint(c);

	*size = (uint32_t)n;
	if (n > HOST_TEXT_MAX)
		c->bad = true;
	return (const char *)get_bytes(c, n);
}

static int get_function(struct host_reader *r, struct cursor *c)
{
	struct upf_host_function f;
	uint64_t size;

	f.is_vmm = get_u8(c) & FUNCTION_VMM;
	f.name = get_text(c, &f.name_size);
	f.file = get_text(c, &f.file_size);
	size = get_varint(c);
	f.build_id_size = (uint32_t)size;
	f.build_id = get_bytes(c, size);
	f.offset = get_varint(c);
	if (c->bad || size > HOST_BUILD_ID_MAX)
		return -EBADMSG;
	return array_add(r->functions, r->function_room, r->nfunctions, f);
}

static int get_frame(struct host_reader *r, struct cursor *c)
{
	uint64_t number = get_varint(c);
	int rc = 0;

	if (c->bad || number > r->nfunctions || number >= HOST_NUMBERS_MAX)
		return -EBADMSG;
	if (number == r->nfunctions)
		rc = get_function(r, c);
	return rc == 0 ? array_add(r->frames, r->frame_room, r->nframes, (uint32_t)number) : rc;
}

int host_reader_get(struct host_reader *r, struct cursor item)
{
	uint64_t depth = get_varint(&item);
	int rc = 0;

	if (item.bad || depth == 0 || depth > HOST_DEPTH_MAX)
		return -EBADMSG;
	for (; rc == 0 && depth; depth--)
		rc = get_frame(r, &item);
	return rc == 0 ? array_add(r->ends, r->stack_room, r->nstacks, r->nframes) : rc;
}
