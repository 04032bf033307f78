/* SPDX-License-Identifier: BSD-2-Clause */
/* builds.h - which build each domain ran, where the recorder found it in the domain's memory. */
#ifndef REPORT_INPUT_BUILDS_H
#define REPORT_INPUT_BUILDS_H

#include "report/input/traces.h"

/*
 * Looks into the trace's first blocks for the build-ids of the domains whose build the header does not tell, and gives
 * them to the session of its reader. 0 or a negative errno.
 */
int builds_learn(struct trace *t);

#endif
