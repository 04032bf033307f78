/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/top/window.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int window_note(struct window_mark *m, const struct profile *p, uint64_t time_ns)
{
	int rc = array_room(&m->of, &m->cap, p->nstacks, sizeof(*m->of));

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];

		m->of[i] = (struct window_weights){.samples = s->samples, .cpu_ns = s->cpu_ns, .time = s->time};
	}
	m->n = p->nstacks;
	m->time_ns = time_ns;
	return 0;
}

int window_mark(struct window *w, const struct profile *p, uint64_t time_ns)
{
	int rc = window_note(&w->marks[w->n % WINDOW_MARKS], p, time_ns);

	w->n += rc == 0;
	return rc;
}

const struct window_mark *window_find(const struct window *w, uint64_t time_ns)
{
	for (size_t i = w->n; i > 0 && i + WINDOW_MARKS > w->n; i--) {
		const struct window_mark *m = &w->marks[(i - 1) % WINDOW_MARKS];

		if (m->time_ns <= time_ns)
			return m;
	}
	return NULL;
}

static struct window_weights weights_at(const struct window_mark *m, size_t stack)
{
	return m && stack < m->n ? m->of[stack] : (struct window_weights){0};
}

int window_part(const struct profile *p, const struct window_mark *from, const struct window_mark *to,
                struct profile *part)
{
	struct stack *stacks = malloc((p->nstacks + 1) * sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	*part = *p;
	part->stacks = stacks;
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct window_weights before = weights_at(from, i), until = weights_at(to, i);
		struct stack *s = &stacks[i];

		*s = p->stacks[i];
		s->samples = (to ? until.samples : s->samples) - before.samples;
		s->cpu_ns = (to ? until.cpu_ns : s->cpu_ns) - before.cpu_ns;
		s->time = (to ? until.time : s->time) - before.time;
	}
	return 0;
}

void window_free(struct window *w)
{
	for (size_t i = 0; i < WINDOW_MARKS; i++)
		free(w->marks[i].of);
}
