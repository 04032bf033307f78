/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pairs.c - pairs of traces of simulated guests, whose true shares of time are known: pairs SEED COUNT FOLDER [unchanged].
 *
 * Writes FOLDER/N-a.upf and FOLDER/N-b.upf, and to FOLDER/truth a line for each pair: N, what it is, for how long its
 * vCPUs were looked at, ns, and the true shares of main, work and leaf (tests/cli/report.syms) in the time that they ran.
 * With "unchanged" they are two runs of the same guests, to be compared. Everything is drawn: guests, what they do and for
 * how long at a time, rates, lengths, what overlaps, throttling, losses.
 */
#include "tests/tools/traces/maker.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUESTS 3
#define VCPUS_MAX 3
#define FUNCTIONS 4 /* of which the last one is idle */
#define WORLD_NS UINT64_C(9000000000)
#define MILLI_NS_PER_S UINT64_C(1000000000000)

static uint64_t random_state;

static double drawn(double from, double to)
{
	return from + (to - from) * (double)(next_random(&random_state) >> 11) / 9007199254740992.0;
}

static double drawn_log(double from, double to)
{
	return exp(drawn(log(from), log(to)));
}

static bool chance(double of)
{
	return drawn(0, 1) < of;
}

/* --- what guests do ---------------------------------------------------------------------------------------------- */

struct stretch {
	uint64_t end_ns;
	unsigned function;
};

struct vcpu {
	struct stretch *does;
	size_t n, at; /* @at: where the last question was about */
};

struct guest {
	double likes[FUNCTIONS], dwell_ns; /* the share of each function, and how long it stays in one */
	unsigned nvcpus;
	struct vcpu vcpus[VCPUS_MAX];
	/* When a recorder looked at it: of both traces. */
	struct {
		uint64_t from_ns, to_ns;
	} seen[2];
};

static void live(struct vcpu *v, const double *likes, double dwell_ns)
{
	uint64_t now = 0;

	*v = (struct vcpu){.does = malloc(sizeof(*v->does))};
	while (now < WORLD_NS) {
		unsigned function = 0;

		for (double left = drawn(0, 1); function < FUNCTIONS - 1 && (left -= likes[function]) > 0; function++)
			;
		now += 1 + (uint64_t)(-log(1 - drawn(0, 1)) * dwell_ns);
		v->does = realloc(v->does, (v->n + 1) * sizeof(*v->does));
		if (!v->does)
			check(-ENOMEM, "a guest");
		v->does[v->n++] = (struct stretch){now, function};
	}
}

/* What is to be told from a change does not last long beside the shortest recording. */
static void make_guest(struct guest *g, bool unchanged)
{
	double sum = 0;

	*g = (struct guest){.nvcpus = 1 + (unsigned)drawn(0, VCPUS_MAX),
	                    .dwell_ns = drawn_log(1e6, unchanged ? 2e7 : 2e8)};
	for (unsigned f = 0; f < FUNCTIONS; f++)
		sum += g->likes[f] = drawn_log(0.03, 1);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		g->likes[f] /= sum;
	for (unsigned i = 0; i < g->nvcpus; i++)
		live(&g->vcpus[i], g->likes, g->dwell_ns);
}

/* The same guest, run again. */
static void run_again(struct guest *g)
{
	for (unsigned i = 0; i < g->nvcpus; i++) {
		free(g->vcpus[i].does);
		live(&g->vcpus[i], g->likes, g->dwell_ns);
	}
}

static unsigned function_at(struct vcpu *v, uint64_t ns)
{
	while (v->at > 0 && v->does[v->at - 1].end_ns > ns)
		v->at--;
	while (v->at + 1 < v->n && v->does[v->at].end_ns <= ns)
		v->at++;
	return v->does[v->at].function;
}

/* Adds what the guest did between these times. */
static void add_truth(const struct guest *g, uint64_t from_ns, uint64_t to_ns, double *sums)
{
	for (unsigned i = 0; i < g->nvcpus; i++) {
		uint64_t begin = 0;

		for (size_t k = 0; k < g->vcpus[i].n; k++) {
			uint64_t end = g->vcpus[i].does[k].end_ns, from = begin > from_ns ? begin : from_ns;

			begin = end;
			end = end < to_ns ? end : to_ns;
			if (from < end)
				sums[g->vcpus[i].does[k].function] += (double)(end - from);
		}
	}
}

/* --- a trace ----------------------------------------------------------------------------------------------------- */

struct plan {
	uint64_t start_ns, length_ns, period_ns;
	bool has[GUESTS];
	uint64_t throttled_from, throttled_to, each; /* periods in between: only each so many-th is sampled */
	double missed, lost;
};

static void draw_plan(struct plan *p)
{
	unsigned wanted = 1 + (unsigned)drawn(0, (1 << GUESTS) - 1);
	uint64_t periods;

	*p = (struct plan){.length_ns = (uint64_t)drawn_log(1e9, 4e9), .period_ns = (uint64_t)drawn_log(2.5e6, 5e7)};
	p->start_ns = (uint64_t)drawn(0, (double)(WORLD_NS - p->length_ns));
	for (unsigned g = 0; g < GUESTS; g++)
		p->has[g] = wanted >> g & 1;
	periods = p->length_ns / p->period_ns;
	if (chance(0.4)) {
		p->each = 2 + (uint64_t)drawn(0, (double)periods / 12 < 20 ? (double)periods / 12 : 20);
		p->throttled_from = (uint64_t)drawn(0, (double)periods / 2);
		p->throttled_to = p->throttled_from + (uint64_t)drawn(0, (double)periods / 2);
	}
	p->missed = chance(0.3) ? drawn(0, 0.3) : 0;
	p->lost = chance(0.2) ? drawn(0, 0.05) : 0;
}

static bool is_skipped(const struct plan *p, uint64_t k)
{
	return k >= p->throttled_from && k < p->throttled_to && (k - p->throttled_from) % p->each != p->each - 1;
}

static void sample_guest(struct maker *m, struct guest *g, uint32_t domain, uint64_t world_ns)
{
	static const uint64_t stacks[FUNCTIONS][4] = {
		{0x1010, 0}, {0x1110, 0x1010, 0}, {0x1210, 0x1150, 0x1010, 0}, {0x1308, 0}};
	struct upf_sample samples[VCPUS_MAX];
	uint64_t now = m->now;

	for (unsigned i = 0; i < g->nvcpus; i++) {
		unsigned function = function_at(&g->vcpus[i], world_ns);

		samples[i] = sample(i, function == FUNCTIONS - 1 ? UPF_BLOCKED : UPF_RUNNING, stacks[function]);
	}
	round_of(m, domain, 40000, samples, g->nvcpus);
	m->now = now;
}

/* Each guest by itself: some deadlines are missed, some rounds lost. */
static void record_period(struct maker *m, const struct plan *p, struct guest *guests, uint64_t k)
{
	uint64_t rate = MILLI_NS_PER_S / p->period_ns;
	uint32_t domain = 0;

	m->now = k * p->period_ns + (uint64_t)drawn(0, (double)p->period_ns);
	for (unsigned g = 0; g < GUESTS; g++) {
		if (!p->has[g])
			continue;
		if (p->each && (k == p->throttled_from || k == p->throttled_to))
			check(upf_encode_event(m->encoder, domain, m->now, UPF_EVENT_RATE,
			                       rate / (k == p->throttled_from ? p->each : 1)),
			      "event");
		if (chance(p->missed))
			check(upf_encode_late(m->encoder, domain, m->now, 1), "late");
		else if (chance(p->lost))
			check(upf_encode_lost(m->encoder, domain, m->now, guests[g].nvcpus, UPF_LOST_WRITER), "lost");
		else if (!is_skipped(p, k))
			sample_guest(m, &guests[g], domain, p->start_ns + m->now);
		domain++;
	}
}

static void record(const struct plan *p, struct guest *guests, const char *path, unsigned which)
{
	static const char *const names[GUESTS] = {"red", "green", "blue"};
	struct upf_session session = plain_session;
	struct upf_domain domains[GUESTS];
	uint64_t periods = p->length_ns / p->period_ns;
	struct maker m;

	if (!freopen(path, "wb", stdout))
		check(-errno, path);
	session.rate_mhz = MILLI_NS_PER_S / p->period_ns;
	session.start_real_ns += p->start_ns;
	session.start_mono_ns += p->start_ns;
	session.trace_id[0] = (uint8_t)which;
	session.domains = domains;
	session.ndomains = 0;
	for (unsigned g = 0; g < GUESTS; g++) {
		guests[g].seen[which].from_ns = p->has[g] ? p->start_ns : UINT64_MAX;
		guests[g].seen[which].to_ns = p->start_ns + periods * p->period_ns;
		if (p->has[g])
			domains[session.ndomains++] = (struct upf_domain){.id = g + 1,
			                                                  .uuid = {(uint8_t)(g + 1)},
			                                                  .kind = UPF_KIND_PV,
			                                                  .arch = UPF_ARCH_X86_64,
			                                                  .vcpus = guests[g].nvcpus,
			                                                  .name = names[g]};
	}
	start_session(&m, &session);
	for (uint64_t k = 0; k < periods; k++) {
		record_period(&m, p, guests, k);
		if (k % 50 == 49)
			flush(&m);
	}
	m.now = periods * p->period_ns;
	finish(&m);
	end(&m);
}

/* --- pairs ------------------------------------------------------------------------------------------------------- */

/* Time that both traces have of a guest counts once. */
static void guest_truth(const struct guest *g, double *sums)
{
	unsigned first = g->seen[0].from_ns <= g->seen[1].from_ns ? 0 : 1;
	uint64_t until = 0;

	for (unsigned i = 0; i < 2; i++) {
		unsigned one = i == 0 ? first : !first;
		uint64_t from = g->seen[one].from_ns > until ? g->seen[one].from_ns : until;

		if (g->seen[one].from_ns == UINT64_MAX)
			continue;
		if (from < g->seen[one].to_ns)
			add_truth(g, from, g->seen[one].to_ns, sums);
		until = g->seen[one].to_ns > until ? g->seen[one].to_ns : until;
	}
}

static void make_pair(FILE *out, unsigned n, const char *folder, bool unchanged)
{
	struct guest guests[GUESTS];
	struct plan plans[2];
	double sums[FUNCTIONS] = {0};
	char path[4096];

	for (unsigned g = 0; g < GUESTS; g++)
		make_guest(&guests[g], unchanged);
	for (unsigned i = 0; i < 2; i++) {
		draw_plan(&plans[i]);
		if (i == 1 && chance(0.2)) /* of one rate */
			plans[1].period_ns = plans[0].period_ns;
		if (i == 1 && unchanged)
			memcpy(plans[1].has, plans[0].has, sizeof(plans[1].has));
		for (unsigned g = 0; i == 1 && unchanged && g < GUESTS; g++)
			run_again(&guests[g]);
		snprintf(path, sizeof(path), "%s/%u-%c.upf", folder, n, "ab"[i]);
		record(&plans[i], guests, path, i);
	}
	for (unsigned g = 0; g < GUESTS; g++) {
		guest_truth(&guests[g], sums);
		for (unsigned i = 0; i < guests[g].nvcpus; i++)
			free(guests[g].vcpus[i].does);
	}
	fprintf(out, "%u %s%s", n, plans[0].each || plans[1].each ? "throttled" : "steady",
	        plans[0].lost > 0 || plans[1].lost > 0 ? ",lossy" : "");
	fprintf(out, " %.0f", sums[0] + sums[1] + sums[2] + sums[FUNCTIONS - 1]);
	for (unsigned f = 0; f < FUNCTIONS - 1; f++)
		fprintf(out, " %.6f", sums[f] / (sums[0] + sums[1] + sums[2]));
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	char path[4096];
	FILE *out;

	if (argc != 4 && !(argc == 5 && strcmp(argv[4], "unchanged") == 0)) {
		fputs("Usage: pairs SEED COUNT FOLDER [unchanged]\n", stderr);
		return 2;
	}
	random_state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	snprintf(path, sizeof(path), "%s/truth", argv[3]);
	out = fopen(path, "w");
	if (!out)
		check(-errno, path);
	for (unsigned n = 0; n < strtoul(argv[2], NULL, 10); n++)
		make_pair(out, n, argv[3], argc == 5);
	if (fclose(out) != 0)
		check(-errno, path);
	return 0;
}
