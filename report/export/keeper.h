/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keeper.h - an archive while it is written: what of the binaries is kept. keeper_study.c learns from the trace which
 * addresses and stacks that is, keeper_names.c writes their names and the code, view_archive.c the file.
 */
#ifndef REPORT_EXPORT_KEEPER_H
#define REPORT_EXPORT_KEEPER_H

#include "report/archive/archive_stacks.h"
#include "report/view/view.h"

struct pair {
	uint32_t program, stack, top;
};

struct kept_function {
	uint64_t address; /* a sampled one in it */
	uint64_t start, size;
	const char *name;
};

/* What is stored of a program. */
struct kept_program {
	uint32_t number;
	const struct program *of;
	HASH_ARRAY(uint64_t, addresses, naddresses, by_address); /* each once */
	struct kept_function *functions;
	size_t nfunctions, functions_cap;
	uint8_t *uses; /* of one block's nodes */
	size_t nuses, uses_cap;
};

struct keeper {
	const struct report *report;
	const struct upf_session *session;
	struct upf_decoder *decoder;
	struct upf_writer *writer; /* NULL while the trace is read for the first time */
	uint64_t size;             /* of the trace, bytes; 0: not known */
	struct chain chain;
	struct kept_program *programs;
	size_t nprograms;

	/* Of one block. */
	struct hash_array pairs; /* stacks with tops, each once */
	struct archive_stacks_payload stacks;
};

/*
 * What one block says, in both readings: its addresses in the first, its stacks in the second. 0 or a negative errno;
 * a block that cannot be decoded is passed over.
 */
int keeper_study_block(struct keeper *k, const struct upf_block *b);
/* Keeps an address of a program once. 0 or -ENOMEM. */
int keeper_add_address(struct kept_program *k, uint64_t address);
/* Writes a block, and frees @payload. 0 or a negative errno; -ENOMEM also if the payload is not whole. */
int keeper_write(struct keeper *k, uint8_t type, struct buf *payload);
/* Writes the stacks of the last block studied, if there are any. 0 or a negative errno. */
int keeper_flush_stacks(struct keeper *k);

/* After the first reading: finds the functions of a program's addresses. 0 or -ENOMEM. */
int keeper_find_functions(struct keeper *k, struct kept_program *p);
/* Write what is kept of a program. 0 or a negative errno. */
int keeper_put_names(struct keeper *k, const struct kept_program *p);
int keeper_put_code(struct keeper *k, const struct kept_program *p);

#endif
