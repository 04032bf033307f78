/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.h - which build of a program a file is, as the trace's header stores it (FORMAT.md, "Identity"): the
 * build-id that the linker wrote, or else a hash of the code.
 *
 * The recorder and the report must agree on it, so both use this code. It reads ELF by itself and does not use the
 * report's report/elf/elf_file.h, because that needs libelf, which uniprof-record does not link: the recorder runs
 * as root in dom0 and reads only the few headers that lead to a build-id or to the code.
 */
#ifndef FORMAT_FILE_IDENTITY_H
#define FORMAT_FILE_IDENTITY_H

#define IDENTITY_SIZE 160 /* bytes of the text, its NUL included: a build-id has 64 bytes at most */

/*
 * The identity of the open file @fd, whose offset does not change. 0, or a negative errno if it cannot be read;
 * -EISDIR and -ESPIPE: it is not a regular file.
 */
int identity_of_fd(int fd, char text[IDENTITY_SIZE]);
int identity_of_file(const char *path, char text[IDENTITY_SIZE]);

#endif
