/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/counters.h"

void counters_record(struct counters *t, const struct upf_record *rec)
{
	if (rec->time_ns > t->last_ns)
		t->last_ns = rec->time_ns;
	switch (rec->kind) {
	case UPF_SAMPLE:
		counters_sample(t, rec);
		break;
	case UPF_ROUND:
		t->rounds++;
		if (rec->pause_ns)
			upf_hist_add(&t->pause, rec->pause_ns);
		break;
	case UPF_SAME:
		t->rounds++;
		break;
	case UPF_LOST:
		t->lost[rec->code < COUNTERS_LOST ? rec->code : 0] += rec->count;
		break;
	case UPF_LATE:
		t->late += rec->count;
		break;
	}
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

void counters_add(struct counters *t, const struct counters *other)
{
	t->rounds += other->rounds;
	t->samples += other->samples;
	t->out_of_scope += other->out_of_scope;
	add_counts(t->state, other->state, COUNTERS_STATES);
	add_counts(t->time, other->time, COUNTERS_STATES);
	for (unsigned i = 0; i < COUNTERS_STATES; i++)
		t->squares[i] += other->squares[i];
	for (unsigned i = 0; i < COUNTERS_STATES; i++)
		t->cpu_squares[i] += other->cpu_squares[i];
	add_counts(t->cpu_ns, other->cpu_ns, COUNTERS_STATES);
	t->unsampled_ns += other->unsampled_ns;
	t->covered += other->covered;
	t->cpu_left_ns += other->cpu_left_ns;
	t->throttled += other->throttled;
	add_counts(t->end[0], other->end[0], COUNTERS_STATES * COUNTERS_ENDS);
	add_counts(t->user_end[0], other->user_end[0], COUNTERS_STATES * COUNTERS_ENDS);
	add_counts(t->lost, other->lost, COUNTERS_LOST);
	add_counts(t->restored, other->restored, COUNTERS_STATES);
	add_counts(t->uncertain, other->uncertain, COUNTERS_STATES);
	add_counts(t->copied, other->copied, COUNTERS_STATES);
	t->late += other->late;
	if (other->last_ns > t->last_ns)
		t->last_ns = other->last_ns;
	if (other->pause.count)
		upf_hist_merge(&t->pause, &other->pause);
	t->bad_blocks += other->bad_blocks;
}

uint64_t counters_sum(const uint64_t *by_state, size_t apart, unsigned states)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (states & 1u << s)
			sum += by_state[s * apart];
	return sum;
}

uint64_t counters_lost(const struct counters *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNTERS_LOST; i++)
		sum += t->lost[i];
	return sum;
}
