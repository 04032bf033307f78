/* SPDX-License-Identifier: BSD-2-Clause */
/* listing.h - lines of annotated source or code: the weight of each, its place, its text. */
#ifndef REPORT_VIEW_LISTING_H
#define REPORT_VIEW_LISTING_H

#include "report/fold/fold.h"
#include "report/output/text.h"

struct listed {
	uint64_t place; /* the line's number, 0: not known; or the instruction's address */
	uint64_t self, total;
	char *text; /* owned, safe on a terminal */
};

/* Zero-initialise, listing_free() at the end. */
struct listing {
	struct listed *of;
	size_t n, cap;
};

/* Adds a line without a weight; takes over @text, NULL: there was no memory for it. 0 or -ENOMEM. */
int listing_add(struct listing *l, uint64_t place, char *text);
void listing_free(struct listing *l);
/* The titles of the columns; @place and @text are those of the last two. */
void listing_head(const struct text_out *out, enum unit unit, const char *place, const char *text);
/* All lines; @fold has what shares are of. Where source goes on from another line than the next, "...". */
void listing_print(const struct listing *l, const struct text_out *out, const struct fold *fold, bool is_code);

#endif
