/* SPDX-License-Identifier: BSD-2-Clause */
/* forms.h - a column takes the form that will be shortest in a compressed block (FORMAT.md, "Forms"). */
#ifndef FORMAT_FORMS_H
#define FORMAT_FORMS_H

#include "format/columns.h"

/* Room for a column's numbers. */
struct forms;

struct forms *forms_new(void); /* NULL: no memory */
void forms_free(struct forms *f);
/*
 * Writes column @c to @at, which has room for its bytes, in the form *form. @limits, of columns whose numbers have
 * them, else NULL: one for each number. @nregs: of REG, if all samples have so many registers, else 0. The bytes used.
 */
size_t forms_put(struct forms *f, enum column c, const struct column_buffer *column, const uint32_t *limits,
                 uint32_t nregs, uint8_t *at, uint8_t *form);

#endif
