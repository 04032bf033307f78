/* SPDX-License-Identifier: BSD-2-Clause */
/* host_records.h - the records of what the host did for a vCPU (FORMAT.md, "Host stacks"). */
#ifndef FORMAT_SAMPLES_HOST_RECORDS_H
#define FORMAT_SAMPLES_HOST_RECORDS_H

#include "common/host_stack.h"
#include "format/samples/columns.h"

/* --- encoding ---------------------------------------------------------------------------------------------------- */

/* Which stacks and functions a block has. */
struct host_writer;
struct host_writer *host_writer_new(void);     /* of half a megabyte each for stacks and functions; NULL: no memory */
void host_writer_free(struct host_writer *w);  /* NULL is fine */
void host_writer_reset(struct host_writer *w); /* a new block; NULL is fine */
bool host_writer_acceptable(const struct host_stack *s); /* NULL is */
/* The most bytes that @s takes in this block, its record's kind included; 0: the block has it. */
size_t host_writer_need(const struct host_writer *w, const struct host_stack *s);
/* All but the record's kind. */
void host_writer_put(struct host_writer *w, struct column_writer *columns, const struct host_stack *s);
/* The number of a stack that the block has, from 1; of NULL, 0. */
uint32_t host_writer_number(const struct host_writer *w, const struct host_stack *s);

/* --- decoding ---------------------------------------------------------------------------------------------------- */

/* Those of a block so far. */
struct host_reader {
	struct upf_host_function *functions;
	uint32_t nfunctions;
	size_t function_room;
	uint32_t *frames; /* of all stacks, one after the other, root first */
	uint32_t nframes;
	size_t frame_room;
	uint32_t *ends; /* each stack's, in @frames */
	uint32_t nstacks;
	size_t stack_room;
};

void host_reader_free(struct host_reader *r);
void host_reader_reset(struct host_reader *r); /* a new block */
/* Reads a record, an item of EXT. 0, -EBADMSG or -ENOMEM. */
int host_reader_get(struct host_reader *r, struct cursor item);

#endif
