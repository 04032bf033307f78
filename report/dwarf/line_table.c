/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a line table: DWARF 2 to 5, section 6.2.4 (6.2.4.1 for DWARF 5's entries). */
#include "report/dwarf/line_table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPANSION_MAX 256     /* bytes of names for each byte of a table, libdw's joined; compilers' have up to 20 */
#define NAMES_ALWAYS 0x100000 /* bytes of names that any table may have */
#define DEFINITION_MIN 8      /* bytes of the opcode that defines one file more */
#define FORMS_MAX 32          /* of one entry; compilers write up to four */
#define LEB_BITS 70           /* that libdw reads */

struct table {
	const struct line_tables *of;
	const uint8_t *at, *end;
	unsigned version, offset_size;
	bool bad;
	uint64_t room;      /* bytes of names that are still in proportion */
	uint64_t directory; /* length of the unit's own directory, as DWARF before 5 has it */
	uint64_t longest;   /* directory of the table */
};

/* --- the coding -------------------------------------------------------------------------------------------------- */

static size_t left(const struct table *t)
{
	return (size_t)(t->end - t->at);
}

static void skip(struct table *t, uint64_t n)
{
	if (n > left(t)) {
		t->bad = true;
		n = left(t);
	}
	t->at += n;
}

static uint64_t get_fixed(struct table *t, unsigned bytes)
{
	const uint8_t *from = t->at;
	uint64_t value = 0;

	skip(t, bytes);
	for (unsigned i = 0; !t->bad && i < bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static uint64_t get_leb(struct table *t)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get_fixed(t, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < LEB_BITS);
	t->bad |= byte >> 7; /* libdw would go on elsewhere */
	return value;
}

/* The length of the string at @from, which ends before @end and in proportion. */
static size_t length_at(struct table *t, const uint8_t *from, const uint8_t *end)
{
	const size_t most = (size_t)(end - from) < t->room ? (size_t)(end - from) : (size_t)t->room;
	const uint8_t *zero = memchr(from, '\0', most);

	t->bad |= !zero;
	return zero ? (size_t)(zero - from) : 0;
}

static size_t get_string(struct table *t)
{
	size_t length = length_at(t, t->at, t->end);

	skip(t, (uint64_t)length + 1);
	return length;
}

static size_t get_reference(struct table *t, const struct elf_contents *strings)
{
	uint64_t offset = get_fixed(t, t->offset_size);

	if (offset >= strings->size) {
		t->bad = true;
		return 0;
	}
	return length_at(t, strings->data + offset, strings->data + strings->size);
}

/* Passes over a value. Its length if it is a string, or 0. */
static size_t get_form(struct table *t, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return get_string(t);
	case DW_FORM_line_strp:
		return get_reference(t, &t->of->line_strings);
	case DW_FORM_strp:
		return get_reference(t, &t->of->strings);
	case DW_FORM_udata:
		get_leb(t);
		return 0;
	case DW_FORM_block:
		skip(t, get_leb(t));
		return 0;
	case DW_FORM_data1:
		skip(t, 1);
		return 0;
	case DW_FORM_data2:
		skip(t, 2);
		return 0;
	case DW_FORM_data4:
		skip(t, 4);
		return 0;
	case DW_FORM_data8:
		skip(t, 8);
		return 0;
	case DW_FORM_data16: /* an MD5 of the file */
		skip(t, 16);
		return 0;
	default:
		t->bad = true;
		return 0;
	}
}

/* --- the names --------------------------------------------------------------------------------------------------- */

static void take(struct table *t, uint64_t bytes)
{
	t->bad |= bytes > t->room;
	t->room -= t->bad ? 0 : bytes;
}

static void take_directory(struct table *t, uint64_t length)
{
	take(t, length);
	if (length > t->longest)
		t->longest = length;
}

static void take_file(struct table *t, uint64_t length)
{
	take(t, t->directory + t->longest + length + 3);
}

/* Before DWARF 5: both lists end with an empty name. */
static void take_lists(struct table *t)
{
	size_t length;

	while (!t->bad && (length = get_string(t)) > 0)
		take_directory(t, length);
	while (!t->bad && (length = get_string(t)) > 0) {
		take_file(t, length);
		for (int i = 0; i < 3; i++)
			get_leb(t);
	}
}

/* DWARF 5: what an entry consists of, then the entries; the unit's own directory is the first of these. */
static void take_entries(struct table *t, void (*take_name)(struct table *t, uint64_t length))
{
	unsigned n = (unsigned)get_fixed(t, 1);
	uint64_t content[FORMS_MAX], form[FORMS_MAX], entries;

	if (n > FORMS_MAX) {
		t->bad = true;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		content[i] = get_leb(t);
		form[i] = get_leb(t);
		t->bad |= content[i] > UINT16_MAX || form[i] > UINT16_MAX; /* libdw would cut them */
	}
	entries = get_leb(t);
	t->bad |= entries > left(t) || (entries > 0 && n == 0);
	for (uint64_t e = 0; !t->bad && e < entries; e++)
		for (unsigned i = 0; !t->bad && i < n; i++) {
			size_t length = get_form(t, form[i]);

			(content[i] == DW_LNCT_path ? take_name : take)(t, length);
		}
}

/* Up to the directories. */
static void start(struct table *t)
{
	uint64_t length = get_fixed(t, 4), opcodes;

	t->offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = get_fixed(t, 8);
	t->bad |= length > left(t);
	if (t->bad)
		return;
	t->end = t->at + length;
	t->room = length * EXPANSION_MAX + NAMES_ALWAYS;
	t->version = (unsigned)get_fixed(t, 2);
	t->bad |= t->version < 2 || t->version > 5;
	skip(t, t->version >= 5 ? 2 : 0); /* sizes of addresses and selectors */
	get_fixed(t, t->offset_size);     /* the header's length */
	skip(t, t->version >= 4 ? 5 : 4); /* parameters of the opcodes */
	opcodes = get_fixed(t, 1);
	t->bad |= opcodes == 0;
	skip(t, t->bad ? 0 : opcodes - 1); /* an opcode's number of operands */
}

/* Takes its names from *room and its bytes from *bytes. */
static bool is_in_proportion(const struct line_tables *l, uint64_t offset, size_t directory, uint64_t *room,
                             uint64_t *bytes)
{
	struct table t = {.of = l, .at = l->lines.data, .end = l->lines.data + l->lines.size};
	uint64_t own, size;

	skip(&t, offset);
	start(&t);
	size = t.bad ? 0 : (uint64_t)(t.end - l->lines.data) - offset;
	t.bad |= size > *bytes;
	t.room = t.room < *room ? t.room : *room;
	own = t.room;
	if (!t.bad && t.version >= 5) {
		take_entries(&t, take_directory);
		t.directory = t.longest > directory ? t.longest : directory;
		take_entries(&t, take_file);
	} else if (!t.bad) {
		t.directory = directory;
		take_lists(&t);
	}
	/* The rest may define as many files as fit. */
	take(&t, left(&t) / DEFINITION_MIN * (t.directory + t.longest + 2));
	if (t.bad)
		return false;
	*room -= own - t.room;
	*bytes -= size;
	return true;
}

/* --- all tables of a file ---------------------------------------------------------------------------------------- */

void line_tables_init(struct line_tables *l, const struct elf_file *f)
{
	*l = (struct line_tables){0};
	if (!elf_file_debug_contents(f, "debug_line", &l->lines))
		return;
	elf_file_debug_contents(f, "debug_str", &l->strings);
	elf_file_debug_contents(f, "debug_line_str", &l->line_strings);
	l->bytes = l->lines.size;
	l->room = (uint64_t)l->lines.size * EXPANSION_MAX + NAMES_ALWAYS;
}

void line_tables_free(struct line_tables *l)
{
	hash_array_free(&l->by_offset);
}

int line_tables_admit(struct line_tables *l, uint64_t offset, size_t directory)
{
	struct known_table table = {offset, false};
	uint32_t id;
	int rc;

	if (offset >= l->lines.size)
		return 0;
	/* libdw keeps it with the names that it had in the first unit. */
	if (hash_array_find(&l->by_offset, &id, offset, &table))
		return l->list[id].admitted;
	table.admitted = is_in_proportion(l, offset, directory, &l->room, &l->bytes);
	rc = hash_array_add(&l->by_offset, &id, offset, &table);
	return rc == 0 ? table.admitted : rc;
}

void line_tables_refuse(struct line_tables *l, uint64_t offset)
{
	uint32_t id;

	if (hash_array_find(&l->by_offset, &id, offset, &(struct known_table){.offset = offset}))
		l->list[id].admitted = false;
}
