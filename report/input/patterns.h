/* SPDX-License-Identifier: BSD-2-Clause */
/* patterns.h - regular expressions (POSIX extended) that users give for names. */
#ifndef REPORT_INPUT_PATTERNS_H
#define REPORT_INPUT_PATTERNS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise, patterns_free() at the end. */
struct patterns {
	regex_t *expressions;
	size_t n, cap;
};

/* 0, or -1 with a reason in @why: the expression is wrong or empty, or out of memory. */
int patterns_add(struct patterns *p, const char *expression, char *why, size_t size);
void patterns_free(struct patterns *p);
/* Does any of them match a part of @name? */
bool patterns_match(const struct patterns *p, const char *name);

#endif
