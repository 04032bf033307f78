/* SPDX-License-Identifier: BSD-2-Clause */
/* string_table.h - a format's table of strings: every text once, made safe as on a terminal, with a number. */
#ifndef COMMON_STRING_TABLE_H
#define COMMON_STRING_TABLE_H

#include "common/hash_table.h"

/* Zero-initialise, strings_free() at the end. */
struct strings {
	char **texts;
	size_t n, cap;
	struct hash_table index;
};

/* The number of @text, which is copied; numbers count from 0. 0 or -ENOMEM, -EOVERFLOW. */
int strings_add(struct strings *s, const char *text, uint32_t *id);
void strings_free(struct strings *s);

#endif
