/* SPDX-License-Identifier: BSD-2-Clause */
/* status.h - what the user sees of a recording: the status line while it runs, the summary at its end. */
#ifndef RECORD_OUTPUT_STATUS_H
#define RECORD_OUTPUT_STATUS_H

#include <stdint.h>

#include "record/sampling/session.h"

/* Redraws the status line on stderr. Called by the writer thread. */
void status_line(const struct live *live, uint64_t bytes);
void status_clear(void);

/* The summary on stderr: what was recorded, what it cost the guest, why it ended, what to type next. */
void status_summary(const struct session *s, const char *output);

#endif
