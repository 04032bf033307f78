/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spots.h - where in a function its weight lies: by line of the source, and by address. A stack counts once for a spot, however
 * often it stands in it.
 */
#ifndef REPORT_SPOTS_H
#define REPORT_SPOTS_H

#include "report/fold.h"
#include "report/patterns.h"

struct spot {
	uint32_t function;
	bool caller;      /* @address is a return address */
	uint32_t line;    /* of lines; 0: not known */
	const char *file; /* of lines; NULL: not known */
	uint64_t address; /* of addresses */
	uint64_t self, total;
	size_t stack; /* the one counted last */
};

struct spot_set {
	struct spot *of;
	size_t n, cap;
	struct intern index;
};

struct spots {
	struct spot_set lines;     /* by function, file and line */
	struct spot_set addresses; /* by function and instruction */
};

/* An address in the instruction: of a caller's, which is a call, its last byte. */
static inline uint64_t spot_instruction(const struct spot *s)
{
	return s->address - (s->caller && s->address != 0);
}

/* Those in the functions that @wanted matches, of what @request asks for. 0, or a negative errno with nothing to free. */
int spots_make(struct spots *s, const struct profile *p, struct names *names, const struct fold_request *request,
               const struct patterns *wanted);
void spots_free(struct spots *s);
/* The spots of @function: *n of them, in order. */
const struct spot *spots_of(const struct spot_set *set, uint32_t function, size_t *n);

#endif
