/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table.h - which line tables of a file may libdw read? It keeps each file's name joined to its directory's, so
 * that a long directory and many files in it would make a small table take any amount of memory; and all tables until
 * the end, so that many would do the same together.
 */
#ifndef REPORT_DWARF_LINE_TABLE_H
#define REPORT_DWARF_LINE_TABLE_H

#include "common/hash_array.h"
#include "report/elf/elf_file.h"

struct known_table {
	uint64_t offset;
	bool admitted;
};

struct line_tables {
	struct elf_contents lines, strings, line_strings; /* of the file */
	uint64_t bytes; /* of .debug_line that admitted tables do not take yet: no compiler's tables overlap */
	uint64_t room;  /* bytes of names that further tables may have, in proportion to .debug_line */

	HASH_ARRAY(struct known_table, list, n, by_offset);
};

/* @f must outlive @l. Of a file with two sections of one name no table is admitted: libdw might read the other one. */
void line_tables_init(struct line_tables *l, const struct elf_file *f);
void line_tables_free(struct line_tables *l); /* all zero is fine */
/*
 * Are the names of the table at @offset in .debug_line in proportion to its size, and to what the tables have that were
 * admitted before? @directory: the length of the name of the unit's own directory. 1; 0: no, or it is damaged, or coded
 * as no compiler does; -ENOMEM.
 */
int line_tables_admit(struct line_tables *l, uint64_t offset, size_t directory);
/* From now on the table at @offset is not admitted. */
void line_tables_refuse(struct line_tables *l, uint64_t offset);

#endif
