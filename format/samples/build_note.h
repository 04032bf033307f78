/* SPDX-License-Identifier: BSD-2-Clause */
/* build_note.h - the record of the build-id that a domain's memory has (FORMAT.md, "Build-ids"). */
#ifndef FORMAT_SAMPLES_BUILD_NOTE_H
#define FORMAT_SAMPLES_BUILD_NOTE_H

#include "format/samples/columns.h"
#include "format/upf.h"

/* The most bytes of a record in EXT: length, domain, address, size of the build-id; these. */
#define BUILD_NOTE_MAX (1 + 2 + VARINT_MAX + 1 + UPF_BUILD_ID_MAX)

/* All but the record's kind. @size must be from UPF_BUILD_ID_MIN to UPF_BUILD_ID_MAX. */
void build_note_put(struct column_writer *columns, uint32_t domain, uint64_t address, const uint8_t *id, size_t size);
/* Reads an item of EXT: r->domain, count, build_id, registers_size. 0, or -EBADMSG. */
int build_note_get(struct cursor *ext, struct upf_record *r);

#endif
