/* SPDX-License-Identifier: BSD-2-Clause */
/* strings.h - a format's table of strings: every text once, made safe as on a terminal, by its number. */
#ifndef REPORT_EXPORT_STRINGS_H
#define REPORT_EXPORT_STRINGS_H

#include "report/intern.h"

/* Zero-initialise, strings_free() at the end. */
struct strings {
	char **texts;
	size_t n, cap;
	struct intern index;
};

/* The number of @text, which is copied; numbers count from 0. 0 or -ENOMEM, -EOVERFLOW. */
int strings_add(struct strings *s, const char *text, uint32_t *id);
void strings_free(struct strings *s);

#endif
