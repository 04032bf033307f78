/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.h - where the trace goes: a file, or standard output.
 *
 * A file appears under its name only with a valid header in it: it is begun beside, under a temporary name, and moved
 * there by output_publish(). An existing file is never replaced unless that was asked for.
 */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct output;

/* @path "-" is standard output. NULL: one line for the user in @why. */
struct output *output_open(const char *path, bool overwrite, char *why, size_t size);
/* Could @path be opened? For a trace that is written only later. 0, or -1 and one line in @why. */
int output_check(const char *path, bool overwrite, char *why, size_t size);
/* Gives the file its name. 0 or -1, then @why. */
int output_publish(struct output *o, char *why, size_t size);
/* An upf_write_fn with the output as its context. */
int output_write(void *output, const void *data, size_t len);
/* Removes what was begun under a temporary name. 0 or a negative errno from closing. */
int output_close(struct output *o);

#endif
