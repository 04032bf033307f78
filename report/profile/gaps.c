/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/gaps.h"

#include <errno.h>
#include <stdlib.h>

#define MILLI_NS_PER_S UINT64_C(1000000000000)
/* A longer gap is not throttling: the recorder was stopped, or the host suspended. */
#define GAP_MAX_NS UINT64_C(4000000000)
#define GAP_MAX_PERIODS 4u

void gaps_free(struct gaps *g)
{
	free(g->domains);
	free(g->by_domain);
	free(g->firsts);
	hash_array_free(&g->by_vcpu);
	*g = (struct gaps){0};
}

void gaps_reset(struct gaps *g)
{
	hash_array_clear(&g->by_vcpu);
	g->ndomains = g->nfirsts = g->guess = 0;
	g->now = NULL;
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

/* What is known of @domain, valid until the next call; NULL: no memory. */
static struct gap_domain *find_gap_domain(struct gaps *g, uint32_t domain)
{
	if (array_room_zeroed(&g->by_domain, &g->nby_domain, domain, sizeof(*g->by_domain)) != 0)
		return NULL;
	if (g->by_domain[domain] < g->ndomains && g->domains[g->by_domain[domain]].domain == domain)
		return &g->domains[g->by_domain[domain]];
	if (array_room(&g->domains, &g->domains_cap, g->ndomains, sizeof(*g->domains)) != 0)
		return NULL;
	g->by_domain[domain] = (uint32_t)g->ndomains;
	g->domains[g->ndomains] = (struct gap_domain){.domain = domain};
	return &g->domains[g->ndomains++];
}

/* How many periods the round in period @next stands for; those that it does not, *@unsampled. */
static uint64_t gap_between(const struct gap_domain *before, uint64_t next, uint64_t period_ns, uint64_t *unsampled)
{
	uint64_t gap = next - before->last, most;

	*unsampled = 0;
	if (next <= before->last)
		return 1;
	if (before->cut_after)
		return before->stride && before->stride < gap ? before->stride : before->stride ? gap : 1;
	if (gap <= GAP_MAX_PERIODS)
		return gap;
	most = GAP_MAX_NS / period_ns;
	if (gap <= (most > GAP_MAX_PERIODS ? most : GAP_MAX_PERIODS))
		return gap;
	*unsampled = gap - 1;
	return 1;
}

/* Nothing that a damaged or forged trace says makes it overflow: a trace is no longer than 2^63 ns. */
static void count_unsampled(struct profile *p, uint64_t periods)
{
	if (periods <= INT64_MAX / p->period_ns)
		p->counters.unsampled_ns += periods * p->period_ns;
}

static void begin_gap(struct gaps *g, struct gap_domain *d, const struct upf_record *rec, uint64_t period,
                      bool counted)
{
	d->begun = true;
	d->counted = counted;
	d->first = period;
	d->first_ns = rec->time_ns;
	d->block = g->block;
	d->stride = 0;
	d->vcpus = g->nvcpus;
	d->firsts = g->nfirsts;
	d->nfirsts = 0;
}

int gaps_round(struct gaps *g, const struct upf_record *rec, uint64_t rate_mhz, bool counted, struct profile *p)
{
	struct gap_domain *d = g->now && g->now->domain == rec->domain ? g->now : find_gap_domain(g, rec->domain);
	uint64_t period = rec->period, unsampled = 0;

	if (!d)
		return -ENOMEM;
	if (period == UPF_PERIOD_NONE)
		period = (uint64_t)((unsigned __int128)rec->time_ns * rate_mhz / MILLI_NS_PER_S);
	g->is_first = !d->begun;
	if (d->begun)
		g->periods = gap_between(d, period, p->period_ns, &unsampled);
	else
		g->periods = 1;
	if (!d->begun)
		begin_gap(g, d, rec, period, counted);
	else
		d->stride = d->block == g->block && !unsampled ? g->periods : 0;
	d->block = g->block;
	if (counted && unsampled)
		count_unsampled(p, unsampled);
	d->last = period;
	d->last_ns = rec->time_ns;
	d->cut_after = false;
	g->guess = d->vcpus;
	g->now = d;
	return 0;
}

int gaps_note(struct gaps *g, const struct upf_record *rec)
{
	const bool is_other = rec->code == UPF_EVENT_RATE || rec->code == UPF_EVENT_STOPS;
	struct gap_domain *d;

	if (rec->kind != UPF_LOST && (rec->kind != UPF_EVENT || is_other))
		return 0;
	g->now = NULL; /* what it points at may move */
	d = find_gap_domain(g, rec->domain);
	if (!d)
		return -ENOMEM;
	*(d->begun ? &d->cut_after : &d->cut_before) = true;
	return 0;
}

void gaps_cut(struct gaps *g)
{
	for (size_t i = 0; i < g->ndomains; i++)
		g->domains[i].cut_after = true;
}

/* --- CPU time ---------------------------------------------------------------------------------------------------- */

static int find_gap_vcpu(struct gaps *g, uint32_t domain, uint32_t vcpu, uint32_t *id)
{
	return hash_array_add(&g->by_vcpu, id, vcpu,
	                      &(struct gap_vcpu){.domain = domain, .vcpu = vcpu, .stack = GAP_NONE});
}

static inline bool is_vcpu(const struct gaps *g, size_t id, const struct upf_record *rec)
{
	return id < g->nvcpus && g->vcpus[id].vcpu == rec->vcpu && g->vcpus[id].domain == g->now->domain;
}

int gaps_sample(struct gaps *g, struct upf_record *rec, uint32_t *vcpu)
{
	struct gap_vcpu *v;
	int rc = 0;

	*vcpu = (uint32_t)g->guess;
	if (!is_vcpu(g, g->guess, rec))
		rc = find_gap_vcpu(g, g->now->domain, rec->vcpu, vcpu);
	if (rc != 0)
		return rc;
	g->guess = (size_t)*vcpu + 1;
	v = &g->vcpus[*vcpu];
	if (counters_among(STATES_CPU, rec->state)) {
		rec->cpu_ns += v->cpu_ns;
		v->cpu_ns = 0;
	} else {
		v->cpu_ns += rec->cpu_ns;
		rec->cpu_ns = 0;
	}
	return 0;
}

static int note_first(struct gaps *g, uint32_t stack)
{
	int rc = array_add(g->firsts, g->firsts_cap, g->nfirsts, stack);

	g->now->nfirsts += rc == 0;
	return rc;
}

int gaps_note_sample(struct gaps *g, const struct upf_record *rec, uint32_t vcpu, uint32_t stack)
{
	struct gap_vcpu *v = &g->vcpus[vcpu];

	if (v->stack == GAP_NONE && counters_among(STATES_CPU, rec->state)) {
		v->stack = stack;
		v->first_ns = rec->cpu_ns;
	}
	return g->is_first ? note_first(g, stack) : 0;
}

uint64_t gaps_cpu_left(const struct gaps *g)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < g->nvcpus; i++)
		sum += g->vcpus[i].cpu_ns;
	return sum;
}

/* --- one part after the other ------------------------------------------------------------------------------------ */

/* The samples of a part's first round stand for @periods, not for one. */
static void stretch(struct profile *p, const struct gaps *part, const struct gap_domain *d, uint64_t periods)
{
	uint64_t unit = p->by_ns ? p->period_ns : 1;

	for (size_t i = 0; i < d->nfirsts; i++) {
		struct stack *s = &p->stacks[part->firsts[d->firsts + i]];

		s->time += (periods - 1) * unit;
		p->counters.time[s->state] += (periods - 1) * unit;
		p->counters.squares[s->state] += (unsigned __int128)(periods * periods - 1) * unit * unit;
	}
}

static int settle_domain(struct gaps *before, const struct gaps *part, const struct gap_domain *d, struct profile *p)
{
	struct gap_domain *b = find_gap_domain(before, d->domain);
	uint64_t unsampled = 0;

	if (!b)
		return -ENOMEM;
	if (!d->begun) {
		*(b->begun ? &b->cut_after : &b->cut_before) = true;
		return 0;
	}
	b->cut_after |= d->cut_before;
	if (b->begun)
		stretch(p, part, d, gap_between(b, d->first, p->period_ns, &unsampled));
	else
		begin_gap(before, b, &(struct upf_record){.time_ns = d->first_ns}, d->first, d->counted);
	if (d->counted && unsampled)
		count_unsampled(p, unsampled);
	b->last = d->last;
	b->last_ns = d->last_ns;
	b->stride = d->stride;
	b->cut_after = d->cut_after;
	return 0;
}

static int settle_vcpu(struct gaps *before, const struct gap_vcpu *v, struct profile *p)
{
	struct gap_vcpu *b;
	uint32_t id;
	int rc = find_gap_vcpu(before, v->domain, v->vcpu, &id);

	if (rc != 0)
		return rc;
	b = &before->vcpus[id];
	if (v->stack != GAP_NONE) {
		struct stack *s = &p->stacks[v->stack];

		s->cpu_ns += b->cpu_ns;
		p->counters.cpu_ns[s->state] += b->cpu_ns;
		p->counters.cpu_squares[s->state] +=
			(unsigned __int128)b->cpu_ns * ((unsigned __int128)v->first_ns * 2 + b->cpu_ns);
		b->cpu_ns = 0;
	}
	b->cpu_ns += v->cpu_ns;
	return 0;
}

int gaps_settle(struct gaps *before, const struct gaps *part, struct profile *profile)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < part->ndomains; i++)
		rc = settle_domain(before, part, &part->domains[i], profile);
	for (size_t i = 0; rc == 0 && i < part->nvcpus; i++)
		rc = settle_vcpu(before, &part->vcpus[i], profile);
	return rc;
}
