/* SPDX-License-Identifier: BSD-2-Clause */
/* flight_recorder.h - the newest blocks of a recording, packed, in memory (--overwrite). */
#ifndef RECORD_OUTPUT_FLIGHT_RECORDER_H
#define RECORD_OUTPUT_FLIGHT_RECORDER_H

#include "format/upf.h"

struct flight_recorder;

/*
 * Keeps at most @bytes of memory; with @ns (0: no limit), no more blocks than cover the last @ns. The newest block is
 * always kept. NULL: errno.
 */
struct flight_recorder *flight_recorder_new(uint64_t bytes, uint64_t ns);
void flight_recorder_free(struct flight_recorder *r);
/* Copies the block in @e and its totals; drops the oldest blocks as needed. 0 or a negative errno. */
int flight_recorder_add(struct flight_recorder *r, struct upf_encoder *e, const struct upf_totals *totals);
/* When the oldest block begins, ns since the session's start, a multiple of UPF_TICK_NS; 0 if there is none. */
uint64_t flight_recorder_first_ns(const struct flight_recorder *r);
/*
 * Writes all blocks to @w, with all times reduced by flight_recorder_first_ns(), and adds up their totals in @totals.
 * 0 or a negative errno.
 */
int flight_recorder_write(const struct flight_recorder *r, struct upf_writer *w, struct upf_totals *totals);

#endif
