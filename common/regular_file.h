/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regular_file.h - opens files whose names come from traces, ELF files or users' folders. Opening never waits: a FIFO
 * or a device under such a name would otherwise block the program, or be changed by it.
 */
#ifndef COMMON_REGULAR_FILE_H
#define COMMON_REGULAR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * A file descriptor for reading @path, which the caller closes, with the file's status in *st (@st may be NULL). A negative errno if it
 * cannot be opened; -EISDIR: a directory; -ESPIPE: a FIFO, a socket or a device.
 */
int regular_file_open(const char *path, struct stat *st);
/* Is there something at @path that regular_file_open() refuses because of its kind? */
bool regular_file_refused(const char *path);

#endif
