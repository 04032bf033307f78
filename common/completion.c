/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/completion.h"

#include <stdbool.h>
#include <string.h>

static bool ends_table(const struct option_def *def)
{
	return def->letter == 0 && def->name == NULL;
}

/* By the argument's name in --help. */
static bool takes_file(const struct option_def *def)
{
	return def->arg && (strstr(def->arg, "FILE") || strstr(def->arg, "DIR") || strcmp(def->arg, "OLD") == 0);
}

/* Does its argument follow as a word of its own? */
static bool takes_word(const struct option_def *def)
{
	return def->takes == OPTION_ARG || def->takes == OPTION_OPERAND;
}

/* The shell's function: the program's name, which has a dash. */
static void put_function(FILE *out, const struct completion *c)
{
	fputc('_', out);
	for (const char *at = c->programs; *at && *at != ' '; at++)
		fputc(*at == '-' ? '_' : *at, out);
}

/* --- bash -------------------------------------------------------------------------------------------------------- */

/* Options as the patterns of "case": those whose argument is a file, or those with another one. */
static void put_pattern(FILE *out, const struct completion *c, bool files)
{
	const char *between = "\t";

	for (const struct option_def *def = c->table; !ends_table(def); def++) {
		if (!def->help || !takes_word(def) || takes_file(def) != files)
			continue;
		if (def->letter)
			fprintf(out, "%s-%c", between, def->letter);
		between = def->letter ? "|" : between;
		if (def->name)
			fprintf(out, "%s--%s", between, def->name);
		between = "|";
	}
}

static void print_bash(FILE *out, const struct completion *c)
{
	put_function(out, c);
	fputs("()\n{\n\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n\n"
	      "\tcase $before in\n",
	      out);
	put_pattern(out, c, true);
	fputs(")\n\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"${word#*=}\")\n\t\treturn ;;\n",
	      out);
	put_pattern(out, c, false);
	fputs(")\n\t\treturn ;;\n\tesac\n\tif [[ $word == -* ]]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      out);
	for (const struct option_def *def = c->table; !ends_table(def); def++)
		if (def->help && def->name)
			fprintf(out, "--%s ", def->name);
	fputs("' -- \"$word\")\n\telse\n", out);
	if (c->operands)
		fprintf(out, "\t\tmapfile -t COMPREPLY < <(compgen -W \"$(%s)\" -- \"$word\")\n", c->operands);
	else
		fprintf(out,
		        "\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$word\"; "
		        "compgen -f -X '!*%s' -- \"$word\")\n",
		        c->file_ending);
	fprintf(out, "\tfi\n}\ncomplete -F ");
	put_function(out, c);
	fprintf(out, " %s\n", c->programs);
}

/* --- zsh --------------------------------------------------------------------------------------------------------- */

/* The help up to what explains it further, quoted for _arguments. */
static void put_description(FILE *out, const char *help)
{
	for (; *help && !(strchr(";:", *help) && help[1] == ' ') && *help != '('; help++) {
		if (*help == '\'')
			fputs("'\\''", out);
		else if (*help == '[' || *help == ']')
			fprintf(out, "\\%c", *help);
		else
			fputc(*help, out);
	}
}

static void put_argument(FILE *out, const struct option_def *def)
{
	if (def->arg)
		fprintf(out, "%s:argument:%s", takes_word(def) ? "" : ":", takes_file(def) ? "_files" : "");
}

static void put_zsh_option(FILE *out, const struct option_def *def)
{
	if (def->letter && def->name)
		fprintf(out, "\t'(-%c --%s)'{-%c%s,--%s%s}'[", def->letter, def->name, def->letter,
		        takes_word(def) ? "+"
		        : def->arg      ? "-"
		                        : "",
		        def->name,
		        takes_word(def) ? "="
		        : def->arg      ? "=-"
		                        : "");
	else if (def->name)
		fprintf(out, "\t'--%s%s[", def->name, takes_word(def) ? "=" : def->arg ? "=-" : "");
	else
		fprintf(out, "\t'-%c[", def->letter);
	put_description(out, def->help);
	fputc(']', out);
	put_argument(out, def);
	fputs("' \\\n", out);
}

static void print_zsh(FILE *out, const struct completion *c)
{
	fprintf(out, "#compdef %s\n", c->programs);
	if (c->operands)
		fprintf(out, "local -a operands\noperands=(${(f)\"$(%s)\"})\n", c->operands);
	fputs("_arguments -s -S \\\n", out);
	for (const struct option_def *def = c->table; !ends_table(def); def++)
		if (def->help)
			put_zsh_option(out, def);
	if (c->operands)
		fputs("\t'*:domain:compadd -a operands'\n", out);
	else
		fprintf(out, "\t'*:trace:_files -g \"*%s\"'\n", c->file_ending);
}

int completion_print(FILE *out, const char *shell, const struct completion *c)
{
	if (strcmp(shell, "bash") == 0)
		print_bash(out, c);
	else if (strcmp(shell, "zsh") == 0)
		print_zsh(out, c);
	else
		return -1;
	return 0;
}
