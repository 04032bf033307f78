/* SPDX-License-Identifier: BSD-2-Clause */
/* vcpu_text.h - one sample for people: of which vCPU, what that and its domain were doing, and its stack by names. */
#ifndef REPORT_VIEW_VCPU_TEXT_H
#define REPORT_VIEW_VCPU_TEXT_H

#include "report/view/view.h"

/* What was last heard of each domain. Zero-initialise. */
struct domain_states {
	struct domain_state {
		bool paused, shut_down;
		uint64_t code; /* of the shutdown */
	} * of;
	size_t n;
};

/* Keeps what an event says. 0 or -ENOMEM. */
int domain_states_note(struct domain_states *s, const struct upf_record *event);
void domain_states_free(struct domain_states *s);
/* A line if @domain was paused by another program, or has shut down or crashed. */
void domain_state_print(const struct report *r, const struct domain_states *s, uint32_t domain);

/* The sample's enum upf_arch. */
uint8_t vcpu_arch(const struct report *r, const struct upf_record *sample);
/* Domain, vCPU, time and run state, without a newline. */
void vcpu_print(const struct report *r, const struct upf_record *sample);
/*
 * The stack of tree node @node, leaf first, a line a frame, with addresses of @digits digits. @chain is for reuse:
 * zero-initialise, callchain_free() at the end. 0 or a negative errno.
 */
int stack_print(const struct report *r, struct callchain *chain, const struct upf_record *sample, uint32_t node,
                int digits);

#endif
