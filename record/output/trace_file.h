/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_file.h - where the trace goes: a file, or standard output.
 *
 * A file appears under its name only with a valid header in it: it is begun beside, under a temporary name, and moved
 * there by trace_file_publish(). An existing file is never replaced unless that was asked for.
 */
#ifndef RECORD_OUTPUT_TRACE_FILE_H
#define RECORD_OUTPUT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct trace_file;

/* @path "-" is standard output. NULL: one line for the user in @why. */
struct trace_file *trace_file_open(const char *path, bool overwrite, char *why, size_t size);
/* Could @path be opened? For a trace that is written only later. 0, or -1 and one line in @why. */
int trace_file_check(const char *path, bool overwrite, char *why, size_t size);
/* Gives the file its name. 0 or -1, then @why. */
int trace_file_publish(struct trace_file *o, char *why, size_t size);
/* An upf_write_fn with the output as its context. */
int trace_file_write(void *output, const void *data, size_t len);
/* Removes what was begun under a temporary name. 0 or a negative errno from closing. */
int trace_file_close(struct trace_file *o);

#endif
