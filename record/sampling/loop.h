/* SPDX-License-Identifier: BSD-2-Clause */
/* loop.h - the sampling thread: waits for a deadline, takes a round of every domain, and checks what is due. */
#ifndef RECORD_SAMPLING_LOOP_H
#define RECORD_SAMPLING_LOOP_H

#include "record/sampling/session.h"

/* Samples until the recording is to end; fills in the outcome. */
void loop_run(struct session *s);
/* Records what no block was free for; waits until one is, so never call it while a guest is paused. */
void loop_put_rest(struct session *s);

#endif
