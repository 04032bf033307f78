/* SPDX-License-Identifier: BSD-2-Clause */
/* flight_recorder.h - the last blocks of a recording, in memory: the flight recorder of --overwrite. */
#ifndef RECORD_OUTPUT_FLIGHT_RECORDER_H
#define RECORD_OUTPUT_FLIGHT_RECORDER_H

#include "format/upf.h"

struct flight_recorder;

/* Keeps at most @bytes of memory, and of time no more than covers the last @ns (0: no such limit). NULL: errno. */
struct flight_recorder *flight_recorder_new(uint64_t bytes, uint64_t ns);
void flight_recorder_free(struct flight_recorder *r);
/* Takes what is in @e, and its totals; the oldest blocks give way. 0 or a negative errno. */
int flight_recorder_add(struct flight_recorder *r, struct upf_encoder *e, const struct upf_totals *totals);
/* When the oldest block begins, ns since the session's start; 0 if there is none. */
uint64_t flight_recorder_first_ns(const struct flight_recorder *r);
uint64_t flight_recorder_last_ns(const struct flight_recorder *r);
/* Puts all into @w, times earlier by flight_recorder_first_ns(), and their sum into @totals. 0 or a negative errno. */
int flight_recorder_put(const struct flight_recorder *r, struct upf_writer *w, struct upf_totals *totals);

#endif
