/* SPDX-License-Identifier: BSD-2-Clause */
/* register_list.h - the record of all registers of the sample behind it (FORMAT.md, "All registers"). */
#ifndef FORMAT_SAMPLES_REGISTER_LIST_H
#define FORMAT_SAMPLES_REGISTER_LIST_H

#include "common/registers.h"
#include "format/samples/columns.h"

/* The most bytes of a record in EXT: length, vCPU, count; numbers, which differ by 3 bytes, and values; code. */
#define REGISTER_LIST_MAX (2 + 2 + 2 + REGISTERS_MAX * (3 + VARINT_MAX) + 2 + REGISTERS_CODE)

/* NULL is. */
bool register_list_acceptable(const struct register_set *set);
/* All but the record's kind. */
void register_list_put(struct column_writer *columns, uint32_t vcpu, const struct register_set *set);

/* Reads one item of EXT. 0, or -EBADMSG. */
int register_list_get(const uint8_t *item, size_t size, uint32_t *vcpu, struct register_set *set);

/* --- decoding a block -------------------------------------------------------------------------------------------- */

/* The records of a block so far. */
struct register_lists {
	struct register_list { /* as it is in the block */
		const uint8_t *at;
		uint32_t size, vcpu;
	} * of;
	uint32_t n;
	size_t room;
	bool waiting; /* the last one for its sample, which is the next record */
};

void register_lists_free(struct register_lists *l);
void register_lists_reset(struct register_lists *l); /* a new block */
/* Reads a record, an item of EXT, and tells it. 0, -EBADMSG or -ENOMEM. */
int register_lists_get(struct register_lists *l, struct cursor item, struct upf_record *rec);
/* A sample of @vcpu comes behind it: the record's number, from 1. 0; -EBADMSG: it is of another vCPU. */
int register_lists_take(struct register_lists *l, uint32_t vcpu, uint32_t *number);
void register_lists_tell(const struct register_lists *l, uint32_t number, struct upf_record *rec);

#endif
