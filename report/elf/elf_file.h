/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - the one place where the report opens ELF files: for symbols, lines, unwind tables, build-ids and code.
 *
 * The files come from guests and strangers. Only regular files are opened, and opening never waits. libelf checks the
 * file's own tables; what they say of places and sizes is checked here against the bytes of the file, and
 * decompressing has a limit.
 */
#ifndef REPORT_ELF_ELF_FILE_H
#define REPORT_ELF_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64                      /* bytes; linkers write 8 to 32 */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1) /* bytes of the same in hexadecimal, its NUL included */

struct elf_file {
	Elf *elf;
	GElf_Ehdr header;
	const uint8_t *bytes; /* the whole file, @size of them */
	size_t size;
	char *path;      /* NULL: from memory */
	int fd;          /* -1: from memory */
	uint8_t *memory; /* what elf_file_of_memory() took over */
};

/* The contents of a section; good until the file is closed. */
struct elf_contents {
	GElf_Shdr header;
	const uint8_t *data;
	size_t size;
};

/* Does a regular file at @path begin as an ELF file does? */
bool elf_file_is(const char *path);
/* NULL: one line in @why. Relocatable objects and files of debug information alone are ELF files too. */
struct elf_file *elf_file_open(const char *path, char *why, size_t size);
/*
 * The same for an open file, which is closed with the ELF file, or at once on error. @path is the name that separate
 * debug files are searched by.
 */
struct elf_file *elf_file_of_fd(int fd, const char *path, char *why, size_t size);
/* The same for bytes from malloc(), which are freed with the ELF file, or at once on error (NULL). */
struct elf_file *elf_file_of_memory(uint8_t *bytes, size_t n);
void elf_file_close(struct elf_file *f); /* NULL is fine */

/* The header of the first section called @name, in *h; NULL: there is none. */
Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *h);
/*
 * The contents of the first section called @name that has any in the file, decompressed if necessary; false: there is
 * none, or it is damaged or too large.
 */
bool elf_file_contents(const struct elf_file *f, const char *name, struct elf_contents *s);
/*
 * The same for the one section called .@name or .z@name that libdw reads, and has decompressed if it is the latter;
 * false, too, if there are several.
 */
bool elf_file_debug_contents(const struct elf_file *f, const char *name, struct elf_contents *s);
/* Is what all compressed sections together decompress to within the limit for debug information? */
bool elf_file_is_expandable(const struct elf_file *f);
/* Has it a section of that type with at least one entry besides the first? */
bool elf_file_has_table(const struct elf_file *f, GElf_Word type);
/* The next segment of that @type from number *i on, which becomes the number behind it; false: there is none. */
bool elf_file_segment(const struct elf_file *f, GElf_Word type, size_t *i, GElf_Phdr *h);
/* The contents of the first note of @owner (three letters) and @type, *size bytes; NULL: there is none. */
const uint8_t *elf_file_note(const struct elf_file *f, const char *owner, GElf_Word type, size_t *size);
/* Its build-id in hexadecimal; "": it has none. */
void elf_file_build_id(const struct elf_file *f, char id[BUILD_ID_TEXT]);
/*
 * The lowest address that is loaded, not counting what is far below all code, as Linux' per-CPU data at 0; false:
 * nothing is loaded.
 */
bool elf_file_lowest(const struct elf_file *f, uint64_t *address);
/* The end of what is loaded, from there on. */
uint64_t elf_file_highest(const struct elf_file *f);

#endif
