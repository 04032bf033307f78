/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/option_table.h"
#include "common/say.h"

#include <stdbool.h>
#include <string.h>

static bool last_row(const struct option_def *def)
{
	return def->letter == 0 && def->name == NULL;
}

static const struct option_def *find_letter(const struct option_def *table, int letter)
{
	for (; !last_row(table); table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

/* An exact name, or the only one that begins so; *ambiguous tells the two failures apart. */
static const struct option_def *find_name(const struct option_def *table, const char *name, size_t len,
                                          bool *ambiguous)
{
	const struct option_def *found = NULL;

	*ambiguous = false;
	for (; !last_row(table); table++) {
		if (!table->name || strncmp(table->name, name, len) != 0)
			continue;
		if (table->name[len] == '\0')
			return table;
		*ambiguous |= found && (found->apply != table->apply || found->id != table->id);
		found = table;
	}
	return *ambiguous ? NULL : found;
}

struct parser {
	const struct option_def *table;
	int argc, at;
	char **argv;
	void *ctx;
	char *why;
	size_t size;
};

/* Is the next word of "-r 2" the argument, or an operand? */
static bool is_ambiguous(struct parser *p, const struct option_def *def, const char *shown)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "";

	if (def->takes != OPTION_OPTIONAL_NUMBER || *next < '0' || *next > '9')
		return false;
	snprintf(p->why, p->size, "%s %s is ambiguous: write %s%s%s, or put %s before %s", shown, next, shown,
	         shown[1] == '-' ? "=" : "", next, next, shown);
	return true;
}

static int apply(struct parser *p, const struct option_def *def, const char *shown, const char *value)
{
	char reason[256] = "";

	if (!value && is_ambiguous(p, def, shown))
		return -1;
	if (def->apply(p->ctx, def, value, reason, sizeof(reason)) == 0)
		return 0;
	if (value)
		snprintf(p->why, p->size, "%s %s: %s", shown, *value ? value : "''", reason);
	else
		snprintf(p->why, p->size, "%s: %s", shown, reason);
	return -1;
}

/* The argument that must follow: the rest of this word, or the next word. */
static const char *next_value(struct parser *p, const char *shown)
{
	if (p->at + 1 < p->argc)
		return p->argv[++p->at];
	snprintf(p->why, p->size, "%s needs an argument; try --help", shown);
	return NULL;
}

static int parse_long(struct parser *p, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const char *value = word[2 + len] ? word + 3 + len : NULL;
	const struct option_def *def;
	char shown[64];
	bool ambiguous;

	snprintf(shown, sizeof(shown), "--%.*s", (int)len, word + 2);
	def = len ? find_name(p->table, word + 2, len, &ambiguous) : NULL;
	if (!def) {
		snprintf(p->why, p->size, "%s option %s; try --help", len && ambiguous ? "ambiguous" : "unknown",
		         shown);
		return -1;
	}
	if (def->takes == OPTION_NO_ARG && value) {
		snprintf(p->why, p->size, "%s takes no argument", shown);
		return -1;
	}
	if (def->takes == OPTION_ARG && !value) {
		value = next_value(p, shown);
		if (!value)
			return -1;
	}
	return apply(p, def, shown, value);
}

static int parse_letters(struct parser *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		const struct option_def *def = find_letter(p->table, (unsigned char)*c);
		char shown[3] = {'-', *c, '\0'};
		const char *value = NULL;

		if (!def) {
			snprintf(p->why, p->size, "unknown option %s; try --help", shown);
			return -1;
		}
		if (def->takes != OPTION_NO_ARG && c[1])
			value = c + 1;
		else if (def->takes == OPTION_ARG && !(value = next_value(p, shown)))
			return -1;
		if (apply(p, def, shown, value) != 0)
			return -1;
		if (value)
			return 0;
	}
	return 0;
}

int options_parse(const struct option_def *table, int argc, char **argv, void *ctx, char *why, size_t size)
{
	struct parser p = {.table = table, .argc = argc, .argv = argv, .ctx = ctx, .why = why, .size = size};
	bool ended = false;
	int operands = 0;

	for (p.at = 1; p.at < argc; p.at++) {
		char *word = argv[p.at];

		if (ended || word[0] != '-' || word[1] == '\0')
			argv[operands++] = word;
		else if (strcmp(word, "--") == 0)
			ended = true;
		else if ((word[1] == '-' ? parse_long(&p, word) : parse_letters(&p, word)) != 0)
			return -1;
	}
	return operands;
}

/* "  -F, --freq HZ" */
static int print_names(const struct option_def *def, FILE *out)
{
	const bool optional = def->takes == OPTION_OPTIONAL_ARG || def->takes == OPTION_OPTIONAL_NUMBER;
	const char *open = optional ? (def->name ? "[=" : "[") : " ";
	int n = 0;

	if (def->letter)
		n += fprintf(out, "  -%c%s", def->letter, def->name ? ", " : "");
	else
		n += fprintf(out, "      ");
	if (def->name)
		n += fprintf(out, "--%s", def->name);
	if (def->arg)
		n += fprintf(out, "%s%s%s", open, def->arg, optional ? "]" : "");
	return n;
}

void options_print(const struct option_def *table, FILE *out, int width)
{
	const int indent = 30;

	for (; !last_row(table); table++) {
		int n;

		if (!table->help)
			continue;
		n = print_names(table, out);
		if (n > indent - 2)
			n = fprintf(out, "\n%*s", indent, "") - 1;
		else
			n += fprintf(out, "%*s", indent - n, "");
		print_words(out, table->help, n, indent, width);
		fputc('\n', out);
	}
}

static bool same(const struct option_def *a, const struct option_def *b)
{
	return (a->letter && a->letter == b->letter) || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

const char *options_check(const struct option_def *table)
{
	for (const struct option_def *def = table; !last_row(def); def++) {
		if (!def->apply)
			return "a row without apply()";
		if ((def->takes == OPTION_NO_ARG) != (def->arg == NULL))
			return "a row whose argument has no name, or a name without an argument";
		for (const struct option_def *other = def + 1; !last_row(other); other++)
			if (same(def, other))
				return "an option is in the table twice";
	}
	return NULL;
}
