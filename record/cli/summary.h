/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.h - what the user sees on standard error while a recording runs and when it has ended. */
#ifndef RECORD_CLI_SUMMARY_H
#define RECORD_CLI_SUMMARY_H

#include "record/sampling/session.h"

/* Draws the status line on a stream of messages_start(); @bytes: size of the output so far. */
void summary_draw_status(const struct live_counters *live, uint64_t bytes);
/* What was recorded, what it cost the guest, why it ended, what to type next; @path: as given by -o. */
void summary_print(const struct session *s, const char *path);
/* What recording cost the host; @pages: of guests' memory that were mapped. */
void summary_print_cost(const struct session *s, size_t pages);

#endif
