/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/inquiry.h"

#include <errno.h>
#include <stdlib.h>

#include "record/sampling/sample.h"

int inquiry_init(struct inquiry *q, size_t n)
{
	q->guests = calloc(n, sizeof(struct guest *));
	q->answers = calloc(n, sizeof(*q->answers));
	return q->guests && q->answers ? 0 : -ENOMEM;
}

void inquiry_release(struct inquiry *q)
{
	free(q->guests);
	free(q->answers);
}

static bool is_asked(const struct target *t)
{
	return !t->ended && sample_asks_first(t);
}

void inquiry_make(struct inquiry *q, struct target *const *targets, size_t n)
{
	size_t asked = 0;

	for (size_t i = 0; i < n; i++) {
		targets[i]->last.answer = NULL;
		if (is_asked(targets[i]))
			q->guests[asked++] = targets[i]->guest;
	}
	if (asked < 2 || targets[0]->ops->guest.info(q->guests, asked, q->answers) != 0)
		return;
	asked = 0;
	for (size_t i = 0; i < n; i++) {
		const struct guest_info *answer = &q->answers[asked];

		if (!is_asked(targets[i]))
			continue;
		if (answer->domid == targets[i]->info.domid)
			targets[i]->last.answer = answer;
		asked++;
	}
}
