/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regular_file.h - opening a file that the program itself looks for, where anything may lie: a FIFO would hold the
 * program up, and opening a device may have an effect.
 */
#ifndef COMMON_REGULAR_FILE_H
#define COMMON_REGULAR_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens the regular file @path for reading; never waits. The caller owns the descriptor, which is closed on exec.
 * -EISDIR: it is a directory; -ESPIPE: it is another kind of file; other negative errno as of open() and stat().
 */
int regular_file_open(const char *path);
/* An empty file in memory, for reading and writing, which fclose() frees; NULL: errno says why not. */
FILE *unnamed_file(void);
/* Is there something at @path that regular_file_open() refuses because of its kind? */
bool regular_file_refused(const char *path);

#endif
