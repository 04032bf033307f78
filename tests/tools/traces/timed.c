/* SPDX-License-Identifier: BSD-2-Clause */
/* timed.c - traces told record by record on standard input, for what depends on times, rates and CPU times. */
#include "tests/tools/traces/kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUESTS_MAX 8
#define VCPUS_MAX 16

struct timed {
	struct maker *m;
	struct upf_session session;
	struct upf_domain domains[GUESTS_MAX];
	char names[GUESTS_MAX][32], host[32];
	struct upf_sample samples[VCPUS_MAX];
	uint64_t frames[VCPUS_MAX][UPF_DEPTH_MAX];
	size_t n;                /* samples of the next round */
	size_t last[GUESTS_MAX]; /* those of each guest's last one */
};

/* What the host does: in its kernel, in the VMM, in a system call of the VMM's. */
static const struct host_function functions[] = {
	{.id = 0, .name = "enter", .file = "kernel"},
	{.id = 1, .name = "serve", .file = "kvm"},
	{.id = 2,
         .name = "",
         .file = "/bin/vmm",
         .is_vmm = true,
         .build_id = {1, 2},
         .build_id_size = 2,
         .offset = 77},
};
static const struct host_stack host_stacks[] = {
	{.id = 0, .depth = 2, .frames = {&functions[1], &functions[0]}},
	{.id = 1, .depth = 1, .frames = {&functions[2]}},
	{.id = 2, .depth = 3, .frames = {&functions[1], &functions[0], &functions[2]}},
};

static void read_rate(struct timed *t, const char *line)
{
	uint64_t start_ms;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %31s", &t->session.rate_mhz, &start_ms, t->host) != 3)
		check(-EINVAL, line);
	t->session.start_real_ns += start_ms * MS;
	t->session.start_mono_ns += start_ms * MS;
	t->session.host = t->host;
	memcpy(t->session.trace_id, t->host, 8);
	memcpy(t->session.trace_id + 8, &start_ms, 8);
}

static void read_guest(struct timed *t, const char *line)
{
	struct upf_domain *d = &t->domains[t->session.ndomains];

	if (t->session.ndomains == GUESTS_MAX)
		check(-E2BIG, line);
	*d = (struct upf_domain){.kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .name = t->names[t->session.ndomains]};
	if (sscanf(line, "%31s %" SCNu32 " %" SCNu32 " %" SCNu8, t->names[t->session.ndomains++], &d->id, &d->vcpus,
	           &d->uuid[0]) != 4)
		check(-EINVAL, line);
}

static void read_sample(struct timed *t, char *line)
{
	struct upf_sample *s = &t->samples[t->n];
	uint64_t *frames = t->frames[t->n++];

	if (t->n > VCPUS_MAX)
		check(-E2BIG, line);
	*s = (struct upf_sample){.frames = frames};
	s->vcpu = (uint32_t)strtoul(line, &line, 10);
	s->state = (uint8_t)strtoul(line, &line, 10);
	s->cpu_ns = strtoull(line, &line, 10) * 1000;
	s->user = strtoul(line, &line, 10);
	s->exit = (uint8_t)strtoul(line, &line, 10);
	if (*line == ':') {
		size_t host = strtoul(line + 1, &line, 10);

		s->host = host < sizeof(host_stacks) / sizeof(*host_stacks) ? &host_stacks[host] : NULL;
	}
	while (*line == ' ' && s->depth < UPF_DEPTH_MAX)
		frames[s->depth++] = strtoull(line, &line, 16);
}

static void add_round(struct timed *t, uint32_t domain)
{
	uint64_t now = t->m->now;

	t->last[domain] = t->n;
	round_of(t->m, domain, 40000, t->samples, t->n);
	t->m->now = now;
	t->n = 0;
}

static void add_same(struct timed *t, uint32_t domain)
{
	uint64_t now = t->m->now;

	same(t->m, domain, t->last[domain]);
	t->m->now = now;
}

/* Of one of the guests, maybe with a number. */
static void add_record(struct timed *t, const char *word, const char *line)
{
	struct maker *m = t->m;
	uint64_t n = 0;
	uint32_t domain;
	int given = sscanf(line, "%" SCNu32 " %" SCNu64, &domain, &n);

	if (given < 1 || domain >= t->session.ndomains)
		check(-EINVAL, line);
	if (strcmp(word, "round") == 0) {
		add_round(t, domain);
	} else if (strcmp(word, "same") == 0) {
		add_same(t, domain);
	} else if (strcmp(word, "lost") == 0) {
		check(upf_encode_lost(m->encoder, domain, m->now, n, UPF_LOST_WRITER), "lost");
		m->totals.lost += n;
	} else if (strcmp(word, "late") == 0) {
		check(upf_encode_late(m->encoder, domain, m->now, n), "late");
		m->totals.late += n;
	} else if (strcmp(word, "throttle") == 0) {
		check(upf_encode_event(m->encoder, domain, m->now, UPF_EVENT_RATE, n), "event");
	} else {
		check(-EINVAL, word);
	}
}

static void read_line(struct timed *t, char *line)
{
	char *rest = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (rest)
		*rest++ = '\0';
	if (strcmp(line, "rate") == 0)
		read_rate(t, rest);
	else if (strcmp(line, "guest") == 0)
		read_guest(t, rest);
	else if (strcmp(line, "begin") == 0)
		start_session(t->m, &t->session);
	else if (strcmp(line, "at") == 0)
		t->m->now = strtoull(rest, NULL, 10) * 1000;
	else if (strcmp(line, "sample") == 0)
		read_sample(t, rest);
	else if (strcmp(line, "block") == 0)
		flush(t->m);
	else
		add_record(t, line, rest);
}

void make_timed(struct maker *m)
{
	static struct timed t;
	char line[4096];

	t = (struct timed){.m = m, .session = plain_session};
	t.session.domains = t.domains;
	while (fgets(line, sizeof(line), stdin))
		read_line(&t, line);
	finish(m);
}
