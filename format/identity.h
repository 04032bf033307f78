/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.h - which build of a program a file is, as a trace's header has it (FORMAT.md, "Identity"): the build-id
 * that the linker gave it, or else a hash of its code. So that the recorder, which reads no ELF otherwise, and the
 * report agree.
 */
#ifndef FORMAT_IDENTITY_H
#define FORMAT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#define IDENTITY_SIZE 160 /* bytes of the text, its NUL included: a build-id has 64 bytes at most */

/*
 * The identity of the open file @fd, which is not moved in. 0, or a negative errno: it cannot be read; -ESPIPE: it is
 * no file.
 */
int identity_of_fd(int fd, char text[IDENTITY_SIZE]);
int identity_of_file(const char *path, char text[IDENTITY_SIZE]);
/* Is the identity a hash, as of a file without build-id? */
bool identity_is_hash(const char *text);

#endif
