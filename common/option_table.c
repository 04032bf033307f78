/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/option_table.h"
#include "common/say.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define ROWS_MAX 128
#define LONG 256 /* getopt_long() tells letters by themselves, and long names by this plus the row's number */

int option_refuse(struct option_use *use, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(use->reason, sizeof(use->reason), format, args);
	va_end(args);
	return -1;
}

int option_set_true(struct option_use *use)
{
	*(bool *)option_place(use) = true;
	return 0;
}

int option_ignore(struct option_use *use)
{
	(void)use;
	return 0;
}

int option_set_name(struct option_use *use)
{
	*(const char **)option_place(use) = use->value;
	return *use->value ? 0 : option_refuse(use, "a file name is needed");
}

/* --- parsing ----------------------------------------------------------------------------------------------------- */

struct parser {
	const struct option_def *table;
	struct option names[ROWS_MAX + 1];
	char letters[3 * ROWS_MAX + 3];
	char *why;
	size_t size;
};

static bool last_row(const struct option_def *def)
{
	return def->letter == 0 && def->name == NULL;
}

static bool is_optional(const struct option_def *def)
{
	return def->takes == OPTION_OPTIONAL_ARG || def->takes == OPTION_OPTIONAL_NUMBER;
}

/* In getopt_long()'s form. "-": operands are given out where they stand; ":": a missing argument is told apart. */
static void list_options(struct parser *p)
{
	struct option *name = p->names;
	char *to = stpcpy(p->letters, "-:");

	for (const struct option_def *def = p->table; !last_row(def) && def - p->table < ROWS_MAX; def++) {
		int argument = def->takes == OPTION_NO_ARG ? no_argument
		               : is_optional(def)          ? optional_argument
		                                           : required_argument;

		if (def->letter)
			to += sprintf(to, "%c%.*s", def->letter, argument, "::");
		if (def->name)
			*name++ = (struct option){def->name, argument, NULL, LONG + (int)(def - p->table)};
	}
}

static const struct option_def *find_option(const struct parser *p, int found)
{
	const struct option_def *def = p->table;

	if (found >= LONG)
		return def + (found - LONG);
	while (def->letter != found)
		def++;
	return def;
}

/* Says why getopt_long() has not taken @word. @option: the letter or LONG and more, if it has one; 0: none. */
static int refuse_word(struct parser *p, bool incomplete, int option, const char *word)
{
	size_t len = strcspn(word, "=");
	bool several = false;

	if (incomplete && option < LONG)
		snprintf(p->why, p->size, "-%c needs an argument; try --help", option);
	else if (option >= LONG)
		snprintf(p->why, p->size, incomplete ? "--%s needs an argument; try --help" : "--%s takes no argument",
		         find_option(p, option)->name);
	else if (option)
		snprintf(p->why, p->size, "unknown option -%c; try --help", option);
	if (option)
		return -1;
	for (const struct option *name = p->names; name->name; name++)
		several |= len > 2 && strncmp(name->name, word + 2, len - 2) == 0;
	snprintf(p->why, p->size, "%s option %.*s; try --help", several ? "ambiguous" : "unknown", (int)len, word);
	return -1;
}

/* @next: the word that follows, which might be meant as the argument of "-r 2", or as an operand. */
static int apply_option(struct parser *p, void *to, int found, const char *next)
{
	struct option_use use = {.def = find_option(p, found), .value = optarg, .to = to};
	char shown[64];

	if (found < LONG)
		snprintf(shown, sizeof(shown), "-%c", found);
	else
		snprintf(shown, sizeof(shown), "--%s", use.def->name);
	if (!optarg && use.def->takes == OPTION_OPTIONAL_NUMBER && *next >= '0' && *next <= '9')
		snprintf(p->why, p->size, "%s %s is ambiguous: write %s%s%s, or put %s before %s", shown, next, shown,
		         found < LONG ? "" : "=", next, next, shown);
	else if (use.def->apply(&use) == 0)
		return 0;
	else
		snprintf(p->why, p->size, "%s%s%s: %s", shown, optarg ? " " : "",
		         !optarg   ? ""
		         : *optarg ? optarg
		                   : "''",
		         use.reason);
	return -1;
}

static bool takes_operand(const struct parser *p, int found)
{
	return found != '?' && found != ':' && find_option(p, found)->takes == OPTION_OPERAND;
}

int options_parse(const struct option_def *table, int argc, char **argv, void *to, char *why, size_t size)
{
	struct parser p = {.table = table, .why = why, .size = size};
	int found, operands = 0, rc = 0;

	list_options(&p);
	opterr = 0;
	optind = 0; /* begin anew */
	while (rc == 0 && (found = getopt_long(argc, argv, p.letters, p.names, NULL)) != -1) {
		if (found == 1 || takes_operand(&p, found))
			argv[operands++] = optarg;
		else if (found == '?' || found == ':')
			rc = refuse_word(&p, found == ':', optopt, argv[optind - 1]);
		else
			rc = apply_option(&p, to, found, optind < argc ? argv[optind] : "");
	}
	while (rc == 0 && optind < argc)
		argv[operands++] = argv[optind++];
	return rc == 0 ? operands : rc;
}

/* --- help -------------------------------------------------------------------------------------------------------- */

/* "  -F, --freq HZ" */
static int print_option_names(const struct option_def *def, FILE *out)
{
	const char *open = is_optional(def) ? (def->name ? "[=" : "[") : " ";
	int n = 0;

	if (def->letter)
		n += fprintf(out, "  -%c%s", def->letter, def->name ? ", " : "");
	else
		n += fprintf(out, "      ");
	if (def->name)
		n += fprintf(out, "--%s", def->name);
	if (def->arg)
		n += fprintf(out, "%s%s%s", open, def->arg, is_optional(def) ? "]" : "");
	return n;
}

void options_print(const struct option_def *table, FILE *out, int width)
{
	const int indent = 30;

	for (; !last_row(table); table++) {
		int n;

		if (!table->help)
			continue;
		n = print_option_names(table, out);
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
		if (!def->apply && def->takes != OPTION_OPERAND)
			return "a row without apply()";
		if ((def->takes == OPTION_NO_ARG) != (def->arg == NULL))
			return "a row whose argument has no name, or a name without an argument";
		for (const struct option_def *other = def + 1; !last_row(other); other++)
			if (same(def, other))
				return "an option is in the table twice";
	}
	return NULL;
}
