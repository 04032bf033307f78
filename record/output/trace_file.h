/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_file.h - the file of one trace: a regular file, a named pipe, a device or standard output.
 *
 * A regular file gets its name only when it has a valid header: it is created in the same folder under a temporary
 * name, which trace_file_publish() changes. Only its owner can read it: a trace can hold the guest's memory. An
 * existing file is replaced only on request. A named pipe or device is written to directly; what is opened must be of
 * the kind that the name stood for.
 */
#ifndef RECORD_OUTPUT_TRACE_FILE_H
#define RECORD_OUTPUT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct trace_file;

/*
 * @path "-": standard output. Waits for the reader of a named pipe, and says so, until a signal that ends the
 * recording is pending. NULL: one line for the user in @why.
 */
struct trace_file *trace_file_open(const char *path, bool overwrite, char *why, size_t size);
/* Checks whether @path could be opened, for a trace that is written later. 0, or -1 and one line in @why. */
int trace_file_check(const char *path, bool overwrite, char *why, size_t size);
/*
 * The name for a trace of @guest, to be freed: GUEST.upf in the current folder, or if that exists, and is not to be
 * replaced, GUEST.1.upf and so on. What names a folder, a hidden file or an option becomes _. NULL: no memory.
 */
char *trace_file_name(const char *guest, bool overwrite);
/* A new file of root's that sudo was used for is its user's from now on: best effort. */
void trace_file_give(struct trace_file *o);
/* Gives the file its name. 0, or -1 and one line in @why. */
int trace_file_publish(struct trace_file *o, char *why, size_t size);
bool trace_file_is_regular(const struct trace_file *o);
/* Writes all @len bytes; the upf_write_fn of a trace whose context is the file. 0 or a negative errno. */
int trace_file_write(void *output, const void *data, size_t len);
/* Closes and frees; removes a file that was not published. NULL is allowed. 0 or a negative errno of close(). */
int trace_file_close(struct trace_file *o);

#endif
