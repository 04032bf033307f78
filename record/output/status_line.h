/* SPDX-License-Identifier: BSD-2-Clause */
/* status_line.h - what the user sees on standard error while the recorder runs. */
#ifndef RECORD_OUTPUT_STATUS_LINE_H
#define RECORD_OUTPUT_STATUS_LINE_H

#include <stdatomic.h>
#include <stdint.h>

/* Written by the sampling thread, read by the writer thread. */
struct live_counters {
	atomic_ullong rounds, samples, late, lost, paused_ns, elapsed_ns;
};

/* Draws the line on a stream of messages_start(); @bytes: size of the output so far. */
void status_line_draw(const struct live_counters *live, uint64_t bytes);

#endif
