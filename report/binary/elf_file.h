/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - an ELF file, and what was taken out of it when it was stripped: the separate file of debug information,
 * by build-id or .gnu_debuglink, and the symbols that .gnu_debugdata keeps compressed. libelf checks the file's own
 * tables.
 */
#ifndef REPORT_BINARY_ELF_FILE_H
#define REPORT_BINARY_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64 /* bytes; linkers write 8 to 32 */

struct binary {
	Elf *elf;
	char *path; /* NULL: from memory */
	int fd;     /* -1: from memory */
	uint8_t *memory;
};

/* NULL: one line in @why. */
struct binary *binary_open(const char *path, char *why, size_t size);
/*
 * The same of an open file, which becomes the binary's, or is closed. @path is where files beside it are looked for.
 */
struct binary *binary_of_fd(int fd, const char *path, char *why, size_t size);
void binary_close(struct binary *b); /* NULL is fine */

/* The section called @name, with its header in *h; NULL: there is none. */
Elf_Scn *binary_section(const struct binary *b, const char *name, GElf_Shdr *h);
/* Has it a section of that type with contents? */
bool binary_has_table(const struct binary *b, GElf_Word type);
/* The bytes of its build-id in @id; their number, 0: it has none. */
size_t binary_build_id(const struct binary *b, uint8_t id[BUILD_ID_MAX]);
/*
 * The lowest address that is loaded, not counting what is far below all code, as Linux' per-CPU data at 0; false:
 * nothing is.
 */
bool binary_lowest(const struct binary *b, uint64_t *address);

/*
 * The file of debug information that was separated from @b: the first of these that is there and is @b's, in @symfs
 * (NULL: none) and then in the file system itself:
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug, in @symfs /.build-id/xx/yyyy.debug, too   (the same build-id)
 *	as .gnu_debuglink says, beside @b, in .debug/ beside it, in /usr/lib/debug and its directory  (the same CRC)
 *
 * NULL: none, or no memory.
 */
struct binary *binary_separate(const struct binary *b, const char *symfs);
/*
 * .gnu_debugaltlink of @b names, by @name and the build-id @id, a file that several debug files have in common. Is
 * something there that is no regular file? libdw would wait for it.
 */
bool binary_common_refused(const struct binary *b, const char *name, const uint8_t *id, size_t len);
/* What .gnu_debugdata holds; NULL: nothing, or it is damaged, or too large for what it is. */
struct binary *binary_mini(const struct binary *b);

#endif
