/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.h - one recording, from opening the domains to the summary. */
#ifndef RECORD_CLI_RECORDING_H
#define RECORD_CLI_RECORDING_H

#include "guest/hypervisor.h"
#include "record/cli/options.h"

/*
 * Records the @n domains that @operands name. @command: the command line, for the trace. Reports errors to the user;
 * returns the exit status.
 */
int recording_run(const struct options *o, const struct hypervisor_ops *ops, struct hypervisor *x, const char *command,
                  char *const *operands, size_t n);

#endif
