/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inquiry.h - asks about all domains that seemed to sleep when last looked at by one hypercall, whatever their number:
 * so the recorder of a host of idle guests makes hardly more calls than that of a single one.
 */
#ifndef RECORD_SAMPLING_INQUIRY_H
#define RECORD_SAMPLING_INQUIRY_H

#include "record/sampling/target.h"

struct inquiry {
	struct guest **guests;
	struct guest_info *answers;
};

/* For up to @n domains. 0 or -ENOMEM. */
int inquiry_init(struct inquiry *q, size_t n);
void inquiry_release(struct inquiry *q);

/*
 * To be called before each round of these @n targets, with no guest paused. It sets the @answer of each that has one,
 * valid until the next call; sample_round() asks for itself where there is none.
 */
void inquiry_make(struct inquiry *q, struct target *const *targets, size_t n);

#endif
