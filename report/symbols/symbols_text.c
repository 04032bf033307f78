/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols_text.c - the text of nm (with -n, -S, -C or without) and of /proc/kallsyms:
 *
 *	address [size] type name [TAB [module]]
 */
#include "common/say.h"
#include "report/symbols/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text_line {
	uint64_t address, size;
	char type;
	const char *name;
	size_t len;
};

enum line_kind { LINE_BAD, LINE_NOTHING, LINE_SYMBOL };

/* Up to 16 hexadecimal digits and a blank behind them. */
static bool take_hex(const char **at, uint64_t *value)
{
	size_t digits = strspn(*at, "0123456789abcdefABCDEF");

	if (digits == 0 || digits > 16 || !isblank((unsigned char)(*at)[digits]))
		return false;
	*value = strtoull(*at, NULL, 16);
	*at += digits;
	*at += strspn(*at, " \t");
	return true;
}

static bool take_type(const char **at, char *type)
{
	unsigned char c = (unsigned char)**at;

	if ((!isalpha(c) && c != '?' && c != '-') || !isblank((unsigned char)(*at)[1]))
		return false;
	*type = (char)c;
	*at += 1;
	*at += strspn(*at, " \t");
	return true;
}

/* What is no symbol but stands in nm's output: undefined symbols, names of object files, empty lines. */
static bool is_nothing(const char *line)
{
	const char *at = line + strspn(line, " \t");
	char type;

	if (*at == '\0' || *at == '#' || at[strlen(at) - 1] == ':')
		return true;
	return at != line && take_type(&at, &type) && strchr("Uwv", type);
}

/* "name", or "name [module]"; nm -l's file and line behind a tab are cut off. */
static void cut_name(char *name, struct text_line *line)
{
	char *tab = strchr(name, '\t');

	if (tab && tab[1] == '[')
		*tab = ' ';
	else if (tab)
		*tab = '\0';
	line->name = name;
	line->len = strlen(name);
}

static enum line_kind parse_line(char *text, struct text_line *line)
{
	const char *at = text;

	*line = (struct text_line){0};
	if (!take_hex(&at, &line->address))
		return is_nothing(text) ? LINE_NOTHING : LINE_BAD;
	if (!take_type(&at, &line->type) && (!take_hex(&at, &line->size) || !take_type(&at, &line->type)))
		return LINE_BAD;
	cut_name(text + (at - text), line);
	return line->len ? LINE_SYMBOL : LINE_BAD;
}

/* nm(1): t, T text; w, W weak; i indirect function. u, v, V are data; a, A no addresses; N, n debugging. */
static bool is_code_type(char type)
{
	return strchr("tTwWi", type) != NULL;
}

/* Lines that arm and riscv assemblers write at each change between code and data, and local labels. */
static bool is_mapping_line(const char *name)
{
	return (name[0] == '$' && name[1] && strchr("adtx", name[1]) && (name[2] == '\0' || name[2] == '.')) ||
	       strncmp(name, ".L", 2) == 0;
}

struct text {
	FILE *file;
	char *line;
	size_t cap;
	unsigned long number;
	unsigned long symbols, zero;
};

int symbols_add_typed(struct symbols *s, struct symbol symbol, char type, const char *name, size_t len)
{
	if (strchr("aAuUnN", type) || is_mapping_line(name))
		return 0;
	if (strchr("wW", type))
		symbol.bind = SYMBOL_WEAK;
	else if (isupper((unsigned char)type))
		symbol.bind = SYMBOL_GLOBAL;
	symbol.mark = !is_code_type(type);
	if (symbol.mark)
		symbol.size = 0;
	return symbols_add(s, symbol, name, len);
}

/* Cuts the line's end off; a line with a NUL in it is no text. */
static bool chomp(char *line, ssize_t n)
{
	if (strlen(line) != (size_t)n)
		return false;
	while (n > 0 && strchr("\r\n \t", line[n - 1]))
		line[--n] = '\0';
	return true;
}

static int read_symbol_lines(struct symbols *s, struct text *t, char *why, size_t size)
{
	struct text_line line;
	ssize_t n;

	while ((n = getline(&t->line, &t->cap, t->file)) > 0) {
		enum line_kind kind = LINE_BAD;

		t->number++;
		if (chomp(t->line, n))
			kind = parse_line(t->line, &line);
		if (kind == LINE_BAD)
			return failure(why, size, -1,
			               t->symbols ? "line %lu is not `address type name`"
			                          : "neither an ELF file nor the output of nm or /proc/kallsyms (line "
			                            "%lu is not `address type name`)",
			               t->number);
		if (kind != LINE_SYMBOL)
			continue;
		t->symbols += is_code_type(line.type);
		t->zero += is_code_type(line.type) && line.address == 0;
		if (symbols_add_typed(s, (struct symbol){.start = line.address, .size = line.size}, line.type,
		                      line.name, line.len) != 0)
			return failure(why, size, -1, "%s", strerror(ENOMEM));
	}
	if (!ferror(t->file) && feof(t->file))
		return 0;
	return failure(why, size, -1, "%s", strerror(errno));
}

static int judge_text(const struct text *t, char *why, size_t size)
{
	if (t->symbols == 0)
		return failure(
			why, size, -1,
			"no functions in it (types t, T, w, W): is it the output of nm for the guest's binary?");
	if (t->zero == t->symbols && t->symbols > 1)
		return failure(why, size, -1,
		               "every address in it is 0: the guest's kernel hides them (kernel.kptr_restrict); copy "
		               "/proc/kallsyms again as the guest's root");
	return 0;
}

int symbols_add_text(struct symbols *s, int fd, char *why, size_t size)
{
	struct text t = {.file = fdopen(fd, "r")};
	int rc;

	if (!t.file) {
		close(fd);
		return failure(why, size, -1, "%s", strerror(ENOMEM));
	}
	rc = read_symbol_lines(s, &t, why, size);
	if (rc == 0)
		rc = judge_text(&t, why, size);
	free(t.line);
	fclose(t.file);
	return rc;
}
