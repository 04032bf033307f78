/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_file.h - what was taken out of an ELF file when it was stripped: the separate file of debug information, found
 * by build-id or .gnu_debuglink, and the symbols that .gnu_debugdata keeps compressed.
 */
#ifndef REPORT_ELF_DEBUG_FILE_H
#define REPORT_ELF_DEBUG_FILE_H

#include "report/elf/elf_file.h"

struct debuginfod;

/* Where else than in the file system debug files are searched. */
struct debug_search {
	const char *symfs;             /* a directory; NULL: none */
	struct debuginfod *debuginfod; /* servers; NULL: none */
	char *const *folders;          /* of programs: nfolders of them */
	size_t nfolders;
};

/*
 * The file of debug information of @f: the first of these that exists and belongs to @f, in the directory
 * where->symfs, then in the file system itself, then on the servers (@where may be NULL):
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug, in @symfs also /.build-id/xx/yyyy.debug   (same build-id)
 *	the name in .gnu_debuglink: beside @f, in .debug/ beside it, in /usr/lib/debug/DIRECTORY and in /usr/lib/debug
 *	(same CRC, and the same build-id if @f has one)
 *
 * NULL: none, or no memory. To be closed with elf_file_close().
 */
struct elf_file *debug_file_find(const struct elf_file *f, const struct debug_search *where);
/*
 * The path, for free(), of a file with that build-id (hexadecimal): the program, or else its file of debug information
 * alone, from the same .build-id directories and /usr/lib/.build-id, then any file in where->folders, then from the
 * servers. NULL: none, or no memory.
 */
char *debug_file_of_build(const char *build_id, const struct debug_search *where);
/*
 * .gnu_debugaltlink of @f names, by @name and the build-id @id, a file that several debug files have in common. Is
 * there something that is no regular file? libdw, which opens the file itself, would wait for it.
 */
bool debug_file_common_refused(const struct elf_file *f, const char *name, const uint8_t *id, size_t len);
/*
 * The ELF file compressed in .gnu_debugdata; NULL: none, or it is damaged, or needs too much memory. To be closed with
 * elf_file_close().
 */
struct elf_file *debug_file_mini(const struct elf_file *f);

#endif
