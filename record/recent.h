/* SPDX-License-Identifier: BSD-2-Clause */
/* recent.h - the last blocks of a recording, in memory: the flight recorder of --overwrite. */
#ifndef RECORD_RECENT_H
#define RECORD_RECENT_H

#include "format/upf.h"

struct recent;

/* Keeps at most @bytes of memory, and of time no more than covers the last @ns (0: no such limit). NULL: errno. */
struct recent *recent_new(uint64_t bytes, uint64_t ns);
void recent_free(struct recent *r);
/* Takes what is in @e, and its totals; the oldest blocks give way. 0 or a negative errno. */
int recent_add(struct recent *r, struct upf_encoder *e, const struct upf_totals *totals);
/* When the oldest block begins, ns since the session's start; 0 if there is none. */
uint64_t recent_first_ns(const struct recent *r);
uint64_t recent_last_ns(const struct recent *r);
/* Puts all into @w, times earlier by recent_first_ns(), and their sum into @totals. 0 or a negative errno. */
int recent_put(const struct recent *r, struct upf_writer *w, struct upf_totals *totals);

#endif
