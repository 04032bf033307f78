/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a line table: DWARF 2 to 5, section 6.2.4 (6.2.4.1 for DWARF 5's entries). */
#include "report/dwarf/line_table.h"
#include "format/bytes/wire.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPANSION_MAX 256     /* bytes of names for each byte of a table, libdw's joined; compilers' have up to 20 */
#define NAMES_ALWAYS 0x100000 /* bytes of names that any table may have */
#define DEFINITION_MIN 8      /* bytes of the opcode that defines one file more */
#define FORMS_MAX 32          /* of one entry; compilers write up to four */

struct table {
	const struct line_tables *of;
	struct cursor in; /* bad also for names that are out of proportion */
	unsigned version;
	bool wide;          /* offsets have eight bytes */
	uint64_t room;      /* bytes of names that are still in proportion */
	uint64_t directory; /* length of the unit's own directory, as DWARF before 5 has it */
	uint64_t longest;   /* directory of the table */
};

/* --- the coding -------------------------------------------------------------------------------------------------- */

static uint64_t get_offset(struct table *t)
{
	return t->wide ? get_u64(&t->in) : get_u32(&t->in);
}

/* The length of the string at @from, which must end before @end and be in proportion. */
static size_t length_at(struct table *t, const uint8_t *from, const uint8_t *end)
{
	const size_t most = (size_t)(end - from) < t->room ? (size_t)(end - from) : (size_t)t->room;
	const uint8_t *zero = memchr(from, '\0', most);

	t->in.bad |= !zero;
	return zero ? (size_t)(zero - from) : 0;
}

static size_t get_string(struct table *t)
{
	size_t length = length_at(t, t->in.at, t->in.end);

	get_bytes(&t->in, length + 1);
	return length;
}

static size_t get_reference(struct table *t, const struct elf_contents *strings)
{
	uint64_t offset = get_offset(t);

	t->in.bad |= offset >= strings->size;
	return t->in.bad ? 0 : length_at(t, strings->data + offset, strings->data + strings->size);
}

/* Passes over a value. Its length if it is a string, or 0. */
static size_t get_form(struct table *t, uint64_t form)
{
	static const uint8_t sizes[] = {[DW_FORM_data1] = 1,
	                                [DW_FORM_data2] = 2,
	                                [DW_FORM_data4] = 4,
	                                [DW_FORM_data8] = 8,
	                                [DW_FORM_data16] = 16}; /* 16: an MD5 of the file */

	switch (form) {
	case DW_FORM_string:
		return get_string(t);
	case DW_FORM_line_strp:
		return get_reference(t, &t->of->line_strings);
	case DW_FORM_strp:
		return get_reference(t, &t->of->strings);
	case DW_FORM_udata:
		get_varint(&t->in);
		return 0;
	case DW_FORM_block:
		get_bytes(&t->in, get_varint(&t->in));
		return 0;
	default:
		t->in.bad |= form >= sizeof(sizes) || sizes[form] == 0;
		get_bytes(&t->in, t->in.bad ? 0 : sizes[form]);
		return 0;
	}
}

/* --- the names --------------------------------------------------------------------------------------------------- */

static void pass_name(struct table *t, uint64_t bytes)
{
	t->in.bad |= bytes > t->room;
	t->room -= t->in.bad ? 0 : bytes;
}

static void take_directory(struct table *t, uint64_t length)
{
	pass_name(t, length);
	if (length > t->longest)
		t->longest = length;
}

static void take_file(struct table *t, uint64_t length)
{
	pass_name(t, t->directory + t->longest + length + 3);
}

/* Before DWARF 5: both lists end with an empty name. */
static void take_lists(struct table *t)
{
	size_t length;

	while (!t->in.bad && (length = get_string(t)) > 0)
		take_directory(t, length);
	while (!t->in.bad && (length = get_string(t)) > 0) {
		take_file(t, length);
		for (int i = 0; i < 3; i++)
			get_varint(&t->in);
	}
}

/* DWARF 5: what an entry consists of, then the entries; the unit's own directory is the first of these. */
static void take_entries(struct table *t, void (*take_path)(struct table *t, uint64_t length))
{
	unsigned n = get_u8(&t->in);
	uint64_t content[FORMS_MAX] = {0}, form[FORMS_MAX] = {0}, entries;

	t->in.bad |= n > FORMS_MAX;
	for (unsigned i = 0; !t->in.bad && i < n; i++) {
		content[i] = get_varint(&t->in);
		form[i] = get_varint(&t->in);
		t->in.bad |= content[i] > UINT16_MAX || form[i] > UINT16_MAX; /* libdw would cut them */
	}
	entries = get_varint(&t->in);
	t->in.bad |= entries > cursor_left(&t->in) || (entries > 0 && n == 0);
	for (uint64_t e = 0; !t->in.bad && e < entries; e++)
		for (unsigned i = 0; !t->in.bad && i < n; i++) {
			size_t length = get_form(t, form[i]);

			(content[i] == DW_LNCT_path ? take_path : pass_name)(t, length);
		}
}

/* Up to the directories. */
static void read_table_header(struct table *t)
{
	uint64_t length = get_u32(&t->in);
	unsigned opcodes;

	t->wide = length == UINT32_MAX;
	if (t->wide)
		length = get_u64(&t->in);
	t->in.bad |= length > cursor_left(&t->in);
	if (t->in.bad)
		return;
	t->in.end = t->in.at + length;
	t->room = length * EXPANSION_MAX + NAMES_ALWAYS;
	t->version = get_u16(&t->in);
	t->in.bad |= t->version < 2 || t->version > 5;
	get_bytes(&t->in, t->version >= 5 ? 2 : 0); /* sizes of addresses and selectors */
	get_offset(t);                              /* the header's length */
	get_bytes(&t->in, t->version >= 4 ? 5 : 4); /* parameters of the opcodes */
	opcodes = get_u8(&t->in);
	t->in.bad |= opcodes == 0;
	get_bytes(&t->in, t->in.bad ? 0 : opcodes - 1); /* an opcode's number of operands */
}

/* Takes its names from l->room and its bytes from l->bytes. */
static bool is_in_proportion(struct line_tables *l, uint64_t offset, size_t directory)
{
	struct table t = {.of = l, .in = cursor_of(l->lines.data + offset, l->lines.size - offset)};
	uint64_t own, size;

	read_table_header(&t);
	size = (uint64_t)(t.in.end - l->lines.data) - offset;
	t.in.bad |= size > l->bytes;
	t.room = own = t.room < l->room ? t.room : l->room;
	if (!t.in.bad && t.version >= 5) {
		take_entries(&t, take_directory);
		t.directory = t.longest > directory ? t.longest : directory;
		take_entries(&t, take_file);
	} else if (!t.in.bad) {
		t.directory = directory;
		take_lists(&t);
	}
	/* The rest may define as many files as fit. */
	pass_name(&t, cursor_left(&t.in) / DEFINITION_MIN * (t.directory + t.longest + 2));
	if (t.in.bad)
		return false;
	l->room -= own - t.room;
	l->bytes -= size;
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
	table.admitted = is_in_proportion(l, offset, directory);
	rc = hash_array_add(&l->by_offset, &id, offset, &table);
	return rc == 0 ? table.admitted : rc;
}

void line_tables_refuse(struct line_tables *l, uint64_t offset)
{
	uint32_t id;

	if (hash_array_find(&l->by_offset, &id, offset, &(struct known_table){.offset = offset}))
		l->list[id].admitted = false;
}
