/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table.h - may libdw read a unit's line table? It keeps each file's name joined to its directory's, so that a
 * long directory and many files in it would make a small table take any amount of memory.
 */
#ifndef REPORT_BINARY_LINE_TABLE_H
#define REPORT_BINARY_LINE_TABLE_H

#include "report/binary/elf_file.h"

/*
 * Are the names of the table at @offset in .debug_line in proportion to its size? @directory: the length of the name of
 * the unit's own directory. False, too, for a table that is damaged, or coded as no compiler does.
 */
bool line_table_is_readable(const struct elf_file *f, uint64_t offset, size_t directory);

#endif
