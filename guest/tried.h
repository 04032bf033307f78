/* SPDX-License-Identifier: BSD-2-Clause */
/* tried.h - which call on what has failed, for who explains the failure: an error number alone does not tell. */
#ifndef GUEST_TRIED_H
#define GUEST_TRIED_H

#include <stddef.h>

struct tried {
	int error;     /* errno of what failed last; 0: nothing has */
	char what[80]; /* that: a call and what it was about */
};

/* Returns @rc; if it is a negative errno, notes that it is of @what. */
int tried(struct tried *t, int rc, const char *what, ...) __attribute__((format(printf, 3, 4)));
/* "WHAT: " and strerror()'s words for @error, which stand alone if it is of something that was not noted. */
void tried_explain(const struct tried *t, int error, char *why, size_t size);

#endif
