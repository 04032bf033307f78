/* SPDX-License-Identifier: BSD-2-Clause */
/* choose.h - from what the user typed to the domains to sample, and the list of those there are. */
#ifndef RECORD_CLI_CHOOSE_H
#define RECORD_CLI_CHOOSE_H

#include "record/cli/options.h"
#include "record/sampling/target.h"

/* Opens targets for @n operands. 0 or -1 with one line in @why; what was opened is in @targets either way. */
int choose_targets(const struct hypervisor_ops *ops, struct hypervisor *x, char *const *operands, size_t n,
                   const struct options *o, struct target **targets, char *why, size_t size);

/* --list: prints every domain, and whether it could be recorded, on standard output. 0 or a negative errno. */
int choose_list(const struct hypervisor_ops *ops, struct hypervisor *x);

#endif
