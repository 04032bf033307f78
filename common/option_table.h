/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option_table.h - one table drives parsing, --help and its own checks.
 *
 * Options are parsed the GNU way: -F99, -F 99, --freq=99, --freq 99, bundled flags, "--" ends them, operands may stand
 * anywhere. A long name may be shortened while it stays unique.
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum option_arg {
	OPTION_NO_ARG,
	OPTION_ARG,
	OPTION_OPTIONAL_ARG,    /* must be attached: the next word is an operand */
	OPTION_OPTIONAL_NUMBER, /* the same, and a next word that begins with a digit is refused as ambiguous */
};

struct option_def {
	int letter;       /* 0: none */
	const char *name; /* long name, NULL: none; the table ends with a row where both are missing */
	const char *arg;  /* name of the argument in --help, "[=X]" semantics by @takes */
	enum option_arg takes;
	const char *help; /* one sentence without a full stop; NULL: an alias, not shown */
	/* Applies @value (NULL without argument) to @ctx. 0, or -1 with a reason in @why (size bytes). */
	int (*apply)(void *ctx, const struct option_def *def, const char *value, char *why, size_t size);
	int id; /* free for apply() */
};

/*
 * Parses @argv into @ctx. Operands are moved to argv[0..n) in order and their number is returned; on error -1, with
 * one clear line in @why.
 */
int options_parse(const struct option_def *table, int argc, char **argv, void *ctx, char *why, size_t size);

/* The option part of --help, wrapped to @width columns. */
void options_print(const struct option_def *table, FILE *out, int width);

/* Checks the table itself: no letter or name twice, every row with an apply(). NULL or what is wrong. For tests. */
const char *options_check(const struct option_def *table);

#endif
