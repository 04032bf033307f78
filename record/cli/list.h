/* SPDX-License-Identifier: BSD-2-Clause */
/* list.h - --list: all domains, what they do, and whether they can be recorded. */
#ifndef RECORD_CLI_LIST_H
#define RECORD_CLI_LIST_H

#include "record/cli/connect.h"

/*
 * Prints the domains of @n hypervisors on standard output, with @kernels also what each was started from; takes a quarter
 * of a second. An exit status, after its message.
 */
int list_domains(const struct connection *all, size_t n, bool kernels);

#endif
