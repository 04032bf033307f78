/* SPDX-License-Identifier: BSD-2-Clause */
/* options_general.c - the options for names, and for the output. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

int option_add_name(struct option_use *use)
{
	struct file_names *names = option_place(use);

	if (array_room(&names->list, &names->cap, names->n, sizeof(*names->list)) != 0)
		return option_refuse(use, "out of memory");
	names->list[names->n++] = use->value;
	return 0;
}

static int set_symfs(struct option_use *use)
{
	*(const char **)option_place(use) = use->value;
	return 0;
}

static bool is_url(const char *text)
{
	return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0 ||
	       strncmp(text, "file://", 7) == 0;
}

static int set_debuginfod(struct option_use *use)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *value = use->value;

	if (!value && (!urls || !*urls))
		return option_refuse(use,
		                     "DEBUGINFOD_URLS is not set: give the servers, as in --debuginfod=https://HOST");
	if (value && strcmp(value, "no") != 0 && !is_url(value))
		return option_refuse(use, "'%.150s' is no URL: https://HOST, several with blanks between, or \"no\"",
		                     value);
	*(const char **)option_place(use) = !value ? NULL : strcmp(value, "no") == 0 ? "" : value;
	return 0;
}

/* --- the rows ---------------------------------------------------------------------------------------------------- */

const struct option_def options_naming[] = {
	{'s', "symbols", "[DOM=]FILE[@ADDRESS]", OPTION_ARG,
         "symbols from FILE: the guest's ELF binary, its vmlinuz, the output of nm, or its /proc/kallsyms; "
         "a binary also has unwind tables; may be given several times; DOM=: of the guest with this name or number; "
         "without it, of the guests that ran this build, or else of those that no other FILE is for; @ADDRESS: it is "
         "loaded there; @+OFFSET: higher than linked by OFFSET",
         option_add_name, AT(files)},
	{0, "symfs", "DIR", OPTION_ARG, "look for the guest's files and their debug files below DIR", set_symfs,
         AT(binaries.debug.symfs)},
	{0, "debuginfod", "URLS", OPTION_OPTIONAL_ARG,
         "get debug files from debuginfod servers: those of URLS, or of the variable DEBUGINFOD_URLS, "
         "which alone has the same effect; \"no\": ask no server",
         set_debuginfod, AT(debuginfod)},
	{0, "no-demangle", NULL, OPTION_NO_ARG, "do not demangle names of C++, Rust and OCaml", option_set_true,
         AT(mangled)},
	{0, "no-inline", NULL, OPTION_NO_ARG, "do not read DWARF: no inlined functions, no source lines",
         option_set_true, AT(binaries.no_inline)},
	{0, "no-repair", NULL, OPTION_NO_ARG, "show stacks as recorded: add no missing callers, unwind no copies",
         option_set_true, AT(binaries.no_repair)},
	{0, "force", NULL, OPTION_NO_ARG, "use a binary even if another build of it was recorded", option_set_true,
         AT(binaries.force)},
	{0},
};

const struct option_def options_general[] = {
	{'o', "output", "FILE", OPTION_ARG,
         "write to FILE instead of standard output; a name that ends in .html, .svg, .folded, "
         ".collapsed, .pb, .pprof, .json, .csv or .upf, or in one of these and .gz, chooses the view, unless one is "
         "given",
         option_set_name, AT(output)},
	{0, "color", "WHEN", OPTION_ARG,
         "colour: always, never, or auto (default): on a terminal, unless NO_COLOR is set", option_set_word,
         WORD_COLOR},
	{0, "no-pager", NULL, OPTION_NO_ARG, "do not start a pager ($PAGER, or less) on a terminal", option_set_true,
         AT(no_pager)},
	{'q', "quiet", NULL, OPTION_NO_ARG, "suppress the notes on sample quality", option_set_true,
         AT(options.quiet)},
	{'h', "help", NULL, OPTION_NO_ARG, "print this text", option_set_true, AT(help)},
	{'V', "version", NULL, OPTION_NO_ARG, "print the version", option_set_true, AT(version)},
	{0},
};
