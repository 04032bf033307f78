/* SPDX-License-Identifier: BSD-2-Clause */
/* options_general.c - the options for names, and for the output. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static int apply_symbols(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	return settings_add_file(&s->files, value, why, size);
}

static int apply_symfs(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def, (void)why, (void)size;
	s->binaries.debug.symfs = value;
	return 0;
}

static bool is_url(const char *text)
{
	return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0 ||
	       strncmp(text, "file://", 7) == 0;
}

static int apply_debuginfod(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct settings *s = ctx;

	(void)def;
	if (!value && (!urls || !*urls)) {
		snprintf(why, size, "DEBUGINFOD_URLS is not set: give the servers, as in --debuginfod=https://HOST");
		return -1;
	}
	if (value && strcmp(value, "no") != 0 && !is_url(value)) {
		snprintf(why, size, "'%s' is no URL: https://HOST, several with blanks between, or \"no\"", value);
		return -1;
	}
	s->debuginfod = !value ? NULL : strcmp(value, "no") == 0 ? "" : value;
	return 0;
}

static int apply_output(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	if (*value == '\0') {
		snprintf(why, size, "a file name is needed");
		return -1;
	}
	s->output = value;
	return 0;
}

static int apply_color(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	static const char *const names[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
	struct settings *s = ctx;

	(void)def;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			s->color = (enum color_when)i;
			return 0;
		}
	}
	snprintf(why, size, "auto, always or never is needed");
	return -1;
}

enum { SET_QUIET, SET_NO_REPAIR, SET_HELP, SET_VERSION, SET_NO_PAGER, SET_NO_DEMANGLE, SET_NO_INLINE, SET_FORCE };

static int apply_flag(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)value, (void)why, (void)size;
	s->options.quiet |= def->id == SET_QUIET;
	s->no_pager |= def->id == SET_NO_PAGER;
	s->binaries.no_repair |= def->id == SET_NO_REPAIR;
	s->binaries.no_inline |= def->id == SET_NO_INLINE;
	s->binaries.force |= def->id == SET_FORCE;
	s->mangled |= def->id == SET_NO_DEMANGLE;
	s->help |= def->id == SET_HELP;
	s->version |= def->id == SET_VERSION;
	return 0;
}

/* --- the rows ---------------------------------------------------------------------------------------------------- */

const struct option_def options_naming[] = {
	{'s', "symbols", "[DOM=]FILE[@ADDRESS]", OPTION_ARG,
         "symbols from FILE: the guest's ELF binary, its vmlinuz, the output of nm, or its /proc/kallsyms; "
         "a binary also has unwind tables; may be given several times; DOM=: of the guest with this name or number; "
         "without it, of the guests that ran this build, or else of those that no other FILE is for; @ADDRESS: it is "
         "loaded there; @+OFFSET: higher than linked by OFFSET",
         apply_symbols, 0},
	{0, "symfs", "DIR", OPTION_ARG, "look for the guest's files and their debug files below DIR", apply_symfs, 0},
	{0, "debuginfod", "URLS", OPTION_OPTIONAL_ARG,
         "get debug files from debuginfod servers: those of URLS, or of the variable DEBUGINFOD_URLS, "
         "which alone has the same effect; \"no\": ask no server",
         apply_debuginfod, 0},
	{0, "no-demangle", NULL, OPTION_NO_ARG, "do not demangle names of C++, Rust and OCaml", apply_flag,
         SET_NO_DEMANGLE},
	{0, "no-inline", NULL, OPTION_NO_ARG, "do not read DWARF: no inlined functions, no source lines", apply_flag,
         SET_NO_INLINE},
	{0, "no-repair", NULL, OPTION_NO_ARG, "show stacks as recorded: add no missing callers, unwind no copies",
         apply_flag, SET_NO_REPAIR},
	{0, "force", NULL, OPTION_NO_ARG, "use a binary even if another build of it was recorded", apply_flag,
         SET_FORCE},
	{0},
};

const struct option_def options_general[] = {
	{'o', "output", "FILE", OPTION_ARG,
         "write to FILE instead of standard output; a name that ends in .html, .svg, .folded, "
         ".collapsed, .pb, .pprof, .json, .csv or .upf, or in one of these and .gz, chooses the view, unless one is "
         "given",
         apply_output, 0},
	{0, "color", "WHEN", OPTION_ARG,
         "colour: always, never, or auto (default): on a terminal, unless NO_COLOR is set", apply_color, 0},
	{0, "no-pager", NULL, OPTION_NO_ARG, "do not start a pager ($PAGER, or less) on a terminal", apply_flag,
         SET_NO_PAGER},
	{'q', "quiet", NULL, OPTION_NO_ARG, "suppress the notes on sample quality", apply_flag, SET_QUIET},
	{'h', "help", NULL, OPTION_NO_ARG, "print this text", apply_flag, SET_HELP},
	{'V', "version", NULL, OPTION_NO_ARG, "print the version", apply_flag, SET_VERSION},
	{0},
};
