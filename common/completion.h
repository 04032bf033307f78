/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.h - completion for shells, made from the tables of options. */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/option_table.h"

struct completion {
	const char *programs;    /* names, with blanks between; the first one has this table */
	const char *operands;    /* a command that prints one operand a line; NULL: they are files, ... */
	const char *file_ending; /* ... whose names end so */
	const struct option_def *table;
};

/* Prints what @shell, "bash" or "zsh", reads. -1: it is another one. */
int completion_print(FILE *out, const char *shell, const struct completion *c);

#endif
