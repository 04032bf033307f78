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
	OPTION_OPERAND,         /* an argument that is an operand, as the word alone is: there is no apply() */
	OPTION_OPTIONAL_ARG,    /* must be attached: the next word is an operand */
	OPTION_OPTIONAL_NUMBER, /* the same, and a next word that begins with a digit is refused as ambiguous */
};

struct option_use;

struct option_def {
	int letter;       /* 0: none */
	const char *name; /* long name, NULL: none; the table ends with a row where both are missing */
	const char *arg;  /* name of the argument in --help, "[=X]" semantics by @takes */
	enum option_arg takes;
	const char *help;                     /* one sentence without a full stop; NULL: an alias, not shown */
	int (*apply)(struct option_use *use); /* 0, or -1 with a reason: option_refuse() */
	size_t id;                            /* free for apply(); an offset for those below */
};

/* An option on the command line. */
struct option_use {
	const struct option_def *def;
	const char *value; /* NULL: there is none */
	void *to;          /* the structure that options_parse() was called with */
	char reason[256];
};

/* Sets the reason. -1 */
int option_refuse(struct option_use *use, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The member of the structure whose offset is the row's id. */
static inline void *option_place(const struct option_use *use)
{
	return (char *)use->to + use->def->id;
}
/* For rows: sets the bool at the offset, or the const char * there, to a name that is not empty. */
int option_set_true(struct option_use *use);
int option_ignore(struct option_use *use); /* what is so anyway */
int option_set_name(struct option_use *use);

/*
 * Parses @argv into the structure at @to, by getopt_long(): not in two threads at once. Operands are moved to
 * argv[0..n) in order and their number is returned; on error -1, with one clear line in @why.
 */
int options_parse(const struct option_def *table, int argc, char **argv, void *to, char *why, size_t size);

/* The option part of --help, wrapped to @width columns. */
void options_print(const struct option_def *table, FILE *out, int width);

/* Checks the table itself: no letter or name twice, every row with an apply(). NULL or what is wrong. For tests. */
const char *options_check(const struct option_def *table);

#endif
