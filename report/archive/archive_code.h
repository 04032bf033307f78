/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * archive_code.h - the functions that an archive stores for annotated source: their addresses and code (FORMAT.md,
 * "Archives").
 */
#ifndef REPORT_ARCHIVE_ARCHIVE_CODE_H
#define REPORT_ARCHIVE_ARCHIVE_CODE_H

#include "report/symbols/symbols.h"
#include "report/isa/isa.h"

#define ARCHIVE_CODE_MAX (512u << 10) /* bytes of one function; listings show no more */
#define ARCHIVE_TEXT_MAX (64u << 10)  /* bytes of a name or path: longer ones, which real ones are not, are cut */

/* --- reading --- */

struct archive_function;

/* Zero-initialise, archive_code_free() at the end. */
struct archive_code {
	struct archive_function *functions;
	size_t n, cap;
	uint8_t **chunks;
	size_t nchunks, chunks_cap;
};

void archive_code_free(struct archive_code *c);
/* A copy of the @n bytes that lives as long as @c, with a byte of room behind it. NULL: no memory. */
const uint8_t *archive_code_keep(struct archive_code *c, const uint8_t *bytes, size_t n);
/* Takes @n bytes of the memory that archives may still take. 0; -EBADMSG: there is not so much. */
int archive_take(size_t *left, size_t n);
/*
 * Adds a block's payload; its functions are added to @symbols, and what they need is taken from *@left. 0; -EBADMSG: it
 * is damaged, or needs more memory; -ENOMEM.
 */
int archive_code_add(struct archive_code *c, struct symbols *symbols, const uint8_t *payload, size_t len,
                     size_t *left);
void archive_code_sort(struct archive_code *c); /* before archive_code_at() */
/* The code of the function that begins at @start, and its *isa, NULL: not known. NULL: none. */
const uint8_t *archive_code_at(const struct archive_code *c, uint64_t start, size_t *size, const struct isa **isa);

/* --- writing --- */

void archive_put_number(struct buf *b, uint64_t number); /* as a varint */

/* A payload being made. Set the program and zero the rest; archive_code_end() at the end. */
struct archive_code_payload {
	const uint32_t *program; /* NULL: of a session that is not by program */
	struct buf functions;
	uint64_t last;
	uint16_t machine; /* ELF's e_machine; EM_NONE: not known, or there is no code so far */
	bool has_code;
};

/* A function and its code. */
struct archive_code_function {
	uint64_t start, size;
	const char *name;
	const uint8_t *code; /* @ncode bytes, at most ARCHIVE_CODE_MAX of the @size; 0: it is not at hand */
	size_t ncode;
	const struct isa *isa; /* of the code; NULL: not known */
};

/* 0; -ENOSPC: it is full, or has code of another machine; or -ENOMEM. */
int archive_code_put(struct archive_code_payload *p, const struct archive_code_function *f);
/* Appends the payload to @out, and empties it. 0 or -ENOMEM. */
int archive_code_finish(struct archive_code_payload *p, struct buf *out);
void archive_code_end(struct archive_code_payload *p);

#endif
