/* SPDX-License-Identifier: BSD-2-Clause */
/* patterns.h - domains that are not named one by one: --all, and patterns such as web*. */
#ifndef RECORD_CLI_PATTERNS_H
#define RECORD_CLI_PATTERNS_H

#include "record/cli/connect.h"
#include "record/cli/options.h"

/* The domains to record, as a user would name them. */
struct names {
	char **of;
	size_t n, cap;
};

/*
 * Appends the @operands that are names, and the domains that the others, patterns, match; with --all all domains. Those
 * that cannot be recorded are left out, with a line that says why. 0, or an exit status with one line in @why.
 * names_free() in any case.
 */
int patterns_expand(struct names *names, const struct options *o, const struct connection *all, size_t nall,
                    char *const *operands, size_t n, char *why, size_t size);
void names_free(struct names *names);

#endif
