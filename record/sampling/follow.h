/* SPDX-License-Identifier: BSD-2-Clause */
/* follow.h - domains that ended and come back, recorded again (--follow). */
#ifndef RECORD_SAMPLING_FOLLOW_H
#define RECORD_SAMPLING_FOLLOW_H

#include "record/sampling/session.h"

/* Takes up those that the finder has found, and has it look for the others. To be called after each round. */
void follow_look(struct session *s, uint64_t now);

#endif
