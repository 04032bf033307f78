/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/dwarf/lines.h"
#include "common/hash_array.h"
#include "report/elf/debug_file.h"
#include "report/dwarf/line_table.h"
#include "report/dwarf/local_names.h"
#include "report/dwarf/spans.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 200 /* levels of namespaces, classes and functions around a function */
/*
 * Entries may share a list of ranges, so a small file can cause endless work. So the number of ranges and entries
 * that are looked at is limited, for one address and for all. (A large real function needs some 10,000.)
 */
#define LOOKS_AT_ONCE (1u << 20)
#define LOOKS_MAX (1u << 30)

struct unit {
	Dwarf_Off die;
	bool read;     /* its functions are known */
	bool readable; /* then: its line table */
	bool scoped;   /* then: names of its functions have scopes */
	struct spans functions;
	struct local_names names;
};

/* A file's name as the compiler got it, and the same after the directory in which it ran. */
struct path {
	const char *directory, *file; /* in the DWARF */
	char *whole;
};

struct local_name {
	Dwarf_Off die;
	char *text;
};

struct lines {
	char *path;
	struct debug_search where;
	uint64_t bias;
	bool opened;
	struct elf_file *file, *separate;
	Dwarf *dwarf; /* NULL: none */
	struct unit *units;
	size_t nunits, units_cap;
	struct spans spans;       /* of units */
	size_t nspans, spans_max; /* of all lists: real ones are far smaller than their file */
	uint64_t looks, looks_max;
	struct line_tables tables;
	HASH_ARRAY(struct path, paths, npaths, by_name);        /* those that were relative */
	HASH_ARRAY(struct local_name, locals, nlocals, by_die); /* functions that have no linker's name */
};

struct lines *lines_new(const char *path, uint64_t bias, const struct debug_search *where)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->path = strdup(path);
	if (where)
		l->where = *where;
	l->bias = bias;
	if (l->path)
		return l;
	free(l);
	return NULL;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nunits; i++) {
		free(l->units[i].functions.list);
		local_names_free(&l->units[i].names);
	}
	for (size_t i = 0; i < l->nlocals; i++)
		free(l->locals[i].text);
	hash_array_free(&l->by_die);
	for (size_t i = 0; i < l->npaths; i++)
		free(l->paths[i].whole);
	hash_array_free(&l->by_name);
	free(l->units);
	free(l->spans.list);
	line_tables_free(&l->tables);
	dwarf_end(l->dwarf);
	elf_file_close(l->separate);
	elf_file_close(l->file);
	free(l->path);
	free(l);
}

/* --- the file, its units, a unit's functions --------------------------------------------------------------------- */

static bool has_dwarf(const struct elf_file *f)
{
	GElf_Shdr h;

	return (elf_file_section(f, ".debug_info", &h) || elf_file_section(f, ".zdebug_info", &h)) &&
	       h.sh_type != SHT_NOBITS;
}

/* All that @die covers. */
static int add_ranges(struct lines *l, struct spans *s, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int rc = 0;

	while (rc == 0 && l->nspans < l->spans_max && l->looks < LOOKS_MAX &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		l->looks++;
		l->nspans++;
		rc = spans_add(s, start, end, dwarf_dieoffset(die), unit);
	}
	return rc;
}

static int read_units(struct lines *l)
{
	Dwarf_Off at = 0, next;
	size_t header;
	int rc = 0;

	while (rc == 0 && dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		Dwarf_Die die;

		if (l->nunits < UINT32_MAX && dwarf_offdie(l->dwarf, at + header, &die)) {
			rc = array_add(l->units, l->units_cap, l->nunits, (struct unit){.die = dwarf_dieoffset(&die)});
			if (rc == 0)
				rc = add_ranges(l, &l->spans, &die, (uint32_t)l->nunits - 1);
		}
		at = next;
	}
	spans_sort(&l->spans);
	return rc;
}

/* NULL: it cannot be read, or libdw would open a FIFO for it. */
static Dwarf *open_dwarf(const struct elf_file *f)
{
	Dwarf *dwarf = elf_file_is_expandable(f) ? dwarf_begin_elf(f->elf, DWARF_C_READ, NULL) : NULL;
	const char *name;
	const void *id;
	ssize_t len = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) : 0;

	if (len <= 0 || !debug_file_common_refused(f, name, id, (size_t)len))
		return dwarf;
	dwarf_end(dwarf);
	return NULL;
}

static int open_once(struct lines *l)
{
	const struct elf_file *f;
	char why[128];

	if (l->opened)
		return 0;
	l->opened = true;
	f = l->file = elf_file_open(l->path, why, sizeof(why));
	if (f && !has_dwarf(f))
		f = l->separate = debug_file_find(l->file, &l->where);
	if (f && has_dwarf(f)) {
		l->spans_max = f->size;
		l->dwarf = open_dwarf(f);
		line_tables_init(&l->tables, f);
	}
	return l->dwarf ? read_units(l) : 0;
}

bool lines_any(struct lines *l)
{
	return open_once(l) == 0 && l->dwarf;
}

/* Can functions be inside such an entry? */
static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* of Rust */
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

/*
 * Moves to the entry after path[*depth] and all that is in it; false: there is none. An entry that is not after the
 * last one means damage.
 */
static bool next_entry(Dwarf_Die *path, int *depth)
{
	Dwarf_Off last = dwarf_dieoffset(&path[*depth]);

	while (*depth >= 0 && dwarf_siblingof(&path[*depth], &path[*depth]) != 0)
		--*depth;
	return *depth >= 0 && dwarf_dieoffset(&path[*depth]) > last;
}

/* What is known of one entry that functions are or may be in. */
static int read_die(struct lines *l, struct unit *u, Dwarf_Die *die, Dwarf_Die *parent, int tag)
{
	int rc = 0;

	if (tag == DW_TAG_subprogram)
		rc = add_ranges(l, &u->functions, die, 0);
	if (rc == 0 && tag == DW_TAG_subprogram)
		rc = local_names_copy(&u->names, die);
	if (rc == 0 && u->scoped && l->nspans < l->spans_max) {
		l->nspans++;
		rc = local_names_scope(&u->names, die, parent);
	}
	return rc;
}

/* The functions below @die, wherever they stand. */
static int read_functions(struct lines *l, struct unit *u, Dwarf_Die *die)
{
	Dwarf_Die path[NESTING_MAX];
	int depth = 0, rc = 0;

	if (dwarf_child(die, &path[0]) != 0)
		return 0;
	for (bool more = true; rc == 0 && more;) {
		int tag = dwarf_tag(&path[depth]);

		if (may_hold_functions(tag))
			rc = read_die(l, u, &path[depth], depth ? &path[depth - 1] : NULL, tag);
		if (may_hold_functions(tag) && depth + 1 < NESTING_MAX &&
		    dwarf_child(&path[depth], &path[depth + 1]) == 0)
			depth++;
		else
			more = next_entry(path, &depth);
	}
	return rc;
}

static bool attribute_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

/* The one that the unit was compiled in; NULL: it does not say. */
static const char *directory_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/* libdw reads the table of a unit once if it is sound, and otherwise again and again. 1, 0 or -ENOMEM. */
static int has_readable_lines(struct lines *l, Dwarf_Die *unit)
{
	const char *directory = directory_of(unit);
	Dwarf_Lines *lines;
	Dwarf_Word at;
	size_t n;
	int rc = attribute_number(unit, DW_AT_stmt_list, &at)
	                 ? line_tables_admit(&l->tables, at, directory ? strlen(directory) : 0)
	                 : 0;

	if (rc > 0 && dwarf_getsrclines(unit, &lines, &n) != 0) {
		line_tables_refuse(&l->tables, at);
		rc = 0;
	}
	return rc;
}

static bool is_cplusplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* The unit's functions, read when it is first asked about. */
static int read_unit(struct lines *l, struct unit *u, Dwarf_Die *die)
{
	int rc;

	if (u->read)
		return 0;
	u->read = true;
	rc = has_readable_lines(l, die);
	u->readable = rc > 0;
	u->scoped = is_cplusplus(die);
	if (rc >= 0)
		rc = read_functions(l, u, die);
	spans_sort(&u->functions);
	local_names_sort(&u->names);
	return rc;
}

/* --- one address ------------------------------------------------------------------------------------------------- */

static const char *attribute_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));

	return text && *text ? text : NULL;
}

/* NULL: it has none. */
static const char *linkers_name(Dwarf_Die *die)
{
	const char *name = attribute_text(die, DW_AT_linkage_name);

	return name ? name : attribute_text(die, DW_AT_MIPS_linkage_name);
}

/* The unit that @die stands in, which may be another one than its code; its functions are read. NULL: not known. */
static struct unit *unit_of(struct lines *l, Dwarf_Die *die)
{
	size_t low;
	Dwarf_Off at;
	Dwarf_Die cu;

	if (!dwarf_diecu(die, &cu, NULL, NULL))
		return NULL;
	at = dwarf_dieoffset(&cu);
	ARRAY_SEARCH(low, l->nunits, l->units[low].die < at);
	if (low == l->nunits || l->units[low].die != at)
		return NULL;
	return read_unit(l, &l->units[low], &cu) == 0 ? &l->units[low] : NULL;
}

/* The same for all copies of a function: good as long as @l. NULL: no memory, or no C++. */
static const char *scoped_name(struct lines *l, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	struct buf text = {0};
	Dwarf_Die origin;
	struct unit *u;
	struct local_name local;
	uint32_t id;

	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin))
		origin = *die;
	u = unit_of(l, &origin);
	if (!u || !u->scoped)
		return NULL;
	local.die = dwarf_dieoffset(&origin);
	if (hash_array_find(&l->by_die, &id, die, &local))
		return l->locals[id].text;
	if (local_names_text(&u->names, &origin, &text) == 0) {
		local.text = (char *)text.data;
		if (hash_array_add(&l->by_die, &id, die, &local) == 0)
			return local.text;
	}
	buf_free(&text);
	return NULL;
}

static struct line_frame die_frame(struct lines *l, const struct unit *u, Dwarf_Die *die)
{
	struct line_frame frame = {.name = linkers_name(die)};
	Dwarf_Addr called;

	if (frame.name)
		return frame;
	frame.name = attribute_text(die, DW_AT_name);
	if (frame.name && local_names_called(&u->names, die, &called))
		frame.called = called + l->bias;
	if (frame.name && u->scoped) {
		const char *scoped = scoped_name(l, die);

		frame.name = scoped ? scoped : frame.name;
	}
	return frame;
}

static const char *join_path(struct lines *l, const char *directory, const char *file)
{
	struct path path = {directory, file, NULL};
	uint32_t id;

	if (hash_array_find(&l->by_name, &id, file, &path))
		return l->paths[id].whole;
	if (asprintf(&path.whole, "%s/%s", directory, file) < 0)
		return file;
	if (hash_array_add(&l->by_name, &id, file, &path) == 0)
		return path.whole;
	free(path.whole);
	return file;
}

/* @file with the unit's directory, if it is relative. */
static const char *whole_path(struct lines *l, Dwarf_Die *unit, const char *file)
{
	const char *directory;

	if (!file || *file == '/')
		return file;
	directory = directory_of(unit);
	return directory && *directory ? join_path(l, directory, file) : file;
}

/* Where an inlined function is called. @unit: NULL if its line table is not to be read. */
static void read_call(struct lines *l, Dwarf_Die *unit, Dwarf_Die *die, struct line_frame *caller)
{
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	caller->file = NULL;
	caller->line = 0;
	if (!unit)
		return;
	if (attribute_number(die, DW_AT_call_line, &line) && line <= UINT32_MAX)
		caller->line = (uint32_t)line;
	if (attribute_number(die, DW_AT_call_file, &file) && dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
		caller->file = whole_path(l, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
}

static void read_line(struct lines *l, Dwarf_Die *unit, uint64_t address, struct line_frame *frame)
{
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address) : NULL;
	int number = 0;

	frame->file = line ? whole_path(l, unit, dwarf_linesrc(line, NULL, NULL)) : NULL;
	frame->line = line && dwarf_lineno(line, &number) == 0 && number > 0 ? (uint32_t)number : 0;
}

static bool covers(struct lines *l, Dwarf_Die *die, uint64_t address)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (l->looks++ < l->looks_max && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (address >= start && address < end)
			return true;
	return false;
}

/* Can inlined code of @address be in it? A block without addresses tells nothing about its children. */
static bool is_on_the_way(struct lines *l, Dwarf_Die *die, int tag, uint64_t address)
{
	if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
	    tag != DW_TAG_catch_block)
		return false;
	return covers(l, die, address) || (tag != DW_TAG_inlined_subroutine && !dwarf_hasattr(die, DW_AT_low_pc) &&
	                                   !dwarf_hasattr(die, DW_AT_ranges));
}

/* Goes down from the function @die to the innermost inlined one at @address. */
static int read_inlined(struct lines *l, const struct unit *u, Dwarf_Die *unit, Dwarf_Die *die, uint64_t address,
                        struct line_frame *frames)
{
	Dwarf_Die path[NESTING_MAX];
	int depth = 0, n = 1;
	bool more = dwarf_child(die, &path[0]) == 0;

	frames[0] = die_frame(l, u, die);
	while (more && n < LINES_DEPTH_MAX && l->looks++ < l->looks_max) {
		int tag = dwarf_tag(&path[depth]);
		bool down = is_on_the_way(l, &path[depth], tag, address);

		if (down && tag == DW_TAG_inlined_subroutine) {
			read_call(l, unit, &path[depth], &frames[n - 1]);
			frames[n++] = die_frame(l, u, &path[depth]);
			/* Its siblings are elsewhere; what is inlined further is below it. */
			more = dwarf_child(&path[depth], &path[0]) == 0;
			depth = 0;
		} else if (down && depth + 1 < NESTING_MAX && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
		} else {
			more = next_entry(path, &depth);
		}
	}
	return n;
}

int lines_find(struct lines *l, uint64_t address, struct line_frame *frames)
{
	const struct span *unit_span, *function;
	Dwarf_Die die, function_die, *readable;
	struct unit *unit;
	int rc = open_once(l), n = 1;

	if (rc != 0 || !l->dwarf)
		return rc;
	address -= l->bias;
	l->looks_max = l->looks + LOOKS_AT_ONCE < LOOKS_MAX ? l->looks + LOOKS_AT_ONCE : LOOKS_MAX;
	unit_span = spans_find(&l->spans, address, &l->looks, l->looks_max);
	if (!unit_span || !dwarf_offdie(l->dwarf, unit_span->die, &die))
		return 0;
	unit = &l->units[unit_span->unit];
	rc = read_unit(l, unit, &die);
	if (rc != 0)
		return rc;
	readable = unit->readable ? &die : NULL;
	l->looks_max = l->looks + LOOKS_AT_ONCE < LOOKS_MAX ? l->looks + LOOKS_AT_ONCE : LOOKS_MAX;
	function = spans_find(&unit->functions, address, &l->looks, l->looks_max);
	frames[0] = (struct line_frame){0};
	if (function && dwarf_offdie(l->dwarf, function->die, &function_die))
		n = read_inlined(l, unit, readable, &function_die, address, frames);
	read_line(l, readable, address, &frames[n - 1]);
	return n;
}
