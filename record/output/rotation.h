/* SPDX-License-Identifier: BSD-2-Clause */
/* rotation.h - the names of several traces of one recording, and how many of them are kept. */
#ifndef RECORD_OUTPUT_ROTATION_H
#define RECORD_OUTPUT_ROTATION_H

#include <stdint.h>

struct rotation;

/* Names begin with @path, which is not copied. Keeps the newest @max_files files, 0: all. NULL: errno. */
struct rotation *rotation_new(const char *path, uint64_t max_files);
void rotation_free(struct rotation *r);

/*
 * PATH.YYYYmmddHHMMSScc for a trace that begins at @real_ns of CLOCK_REALTIME, in UTC; if that file exists, the first
 * later name that does not. NULL: no memory. To be freed by the caller.
 */
char *rotation_name(const struct rotation *r, uint64_t real_ns);
/* Counts the files that earlier recordings have left, and removes the oldest if there are too many. */
void rotation_adopt(struct rotation *r);
/* The file @name was written: removes the oldest of this rotation if there are too many now. */
void rotation_add(struct rotation *r, const char *name);

#endif
