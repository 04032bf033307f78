/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotation.h - the weight of each source line and of each address of a function. A stack counts once for a line or
 * address, however often it contains it.
 */
#ifndef REPORT_FOLD_ANNOTATION_H
#define REPORT_FOLD_ANNOTATION_H

#include "report/fold/fold.h"

struct annotated {
	uint32_t function;
	uint32_t program; /* of addresses: what @address is of */
	uint32_t caller;  /* 1: @address is a return address */
	uint32_t line;    /* of lines; 0: not known */
	const char *file; /* of lines; NULL: not known */
	uint64_t address; /* of addresses */
	uint64_t self, total;
	size_t stack; /* the one counted last */
};

struct annotated_set {
	HASH_ARRAY(struct annotated, of, n, by_place);
};

struct annotation {
	struct annotated_set lines;     /* by function, file and line */
	struct annotated_set addresses; /* by function, program and instruction */
};

/* An address in the instruction: of a caller's, which is a call, its last byte. */
static inline uint64_t annotated_instruction(const struct annotated *s)
{
	return s->address - (s->caller && s->address != 0);
}

/*
 * Those in the functions that @wanted matches, of what @request asks for. 0, or a negative errno with nothing to free.
 */
int annotation_make(struct annotation *s, const struct fold_request *request, const struct patterns *wanted);
void annotation_free(struct annotation *s);
/* The entries of @function: *n of them, in order. */
const struct annotated *annotation_of(const struct annotated_set *set, uint32_t function, size_t *n);

#endif
