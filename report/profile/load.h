/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.h - loads a trace into a profile: counts the records that are in scope, unwinds or repairs their stacks, and
 * applies the filters by name.
 */
#ifndef REPORT_PROFILE_LOAD_H
#define REPORT_PROFILE_LOAD_H

#include "report/profile/profile.h"
#include "report/profile/load_options.h"

/*
 * Reads @r to its end and adds it to @p. @options NULL: all zero. Damage is not an error: it is counted in p->counters
 * and by upf_reader_health(). 0, what a hook returned, or a negative errno: reading failed, out of memory, -EFBIG: it
 * would take memory or time out of all proportion to its size.
 */
int load_trace(struct profile *p, struct upf_reader *r, const struct load_options *options);

#endif
