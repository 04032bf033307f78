/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * archive.h - what an archive stores from the images: for each address in its stacks the symbol, lines and inlined
 * functions, and the code of functions (FORMAT.md, "Archives"). So the images are not needed to read it.
 */
#ifndef REPORT_ARCHIVE_ARCHIVE_H
#define REPORT_ARCHIVE_ARCHIVE_H

#include "format/upf.h"
#include "report/archive/archive_code.h"
#include "common/hash_table.h"
#include "report/symbols/resolver.h"

/* What images there were when the archive was made; reports mention it. */
#define ARCHIVE_TABLES 1u   /* there were images to unwind by */
#define ARCHIVE_NO_DWARF 2u /* there were images, but none had DWARF */

#define ARCHIVE_MEMORY_MAX (256u << 20) /* bytes, of all archives together: a small file can ask for gigabytes */

/* --- reading --- */

struct archive;

struct archive *archive_new(void);    /* NULL: no memory */
void archive_free(struct archive *a); /* NULL is fine */
/*
 * Of a session by program, takes the program's number off the front of a block of names or code. 0, or -EBADMSG: it is
 * too short.
 */
int archive_program(struct upf_block *b, uint64_t *program);
/*
 * Adds the contents of a block of names or code; functions with code are added to @symbols as well. *@left, bytes of
 * memory that archives may still take, becomes less. 0; -EBADMSG: it is damaged, or needs more memory, and what
 * precedes that was added; -ENOMEM.
 */
int archive_add(struct archive *a, struct symbols *symbols, const struct upf_block *b, size_t *left);
/*
 * Call it after the last archive_add() and before the first look-up. Of an address that was added twice, the first one
 * counts.
 */
void archive_sort(struct archive *a);
bool archive_any(const struct archive *a);       /* has any block of names been added, be it empty? */
unsigned archive_flags(const struct archive *a); /* ARCHIVE_... */
/* What is at @address, as resolve() tells it; false: the archive does not have the address. */
bool archive_find(const struct archive *a, uint64_t address, struct resolution *out);
/* The code of the function that begins at @start, *left bytes of *isa; NULL: none. */
const uint8_t *archive_code(const struct archive *a, uint64_t start, size_t *left, const struct isa **isa);

/* --- writing --- */

/* A payload being made. Set what comes first and zero the rest; archive_names_end() at the end. */
struct archive_names_payload {
	const uint32_t *program; /* NULL: of a session that is not by program */
	unsigned flags;
	struct buf texts, addresses;
	struct hash_table index;
	size_t *offsets; /* of the texts */
	size_t ntexts, cap;
	size_t naddresses;
	uint64_t last;
};

/* Add addresses in ascending order. 0; -ENOSPC: it is full; or -ENOMEM. */
int archive_names_put(struct archive_names_payload *p, uint64_t address, const struct resolution *r);
/* Appends the payload to @out, and empties it. 0 or -ENOMEM. */
int archive_names_finish(struct archive_names_payload *p, struct buf *out);
void archive_names_end(struct archive_names_payload *p);

#endif
