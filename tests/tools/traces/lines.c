/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - traces of what standard input says, a line for each stack. */
#include "tests/tools/traces/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what program is not told. */
static const struct upf_domain bare_domains[] = {
	{.id = 3, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "web1"},
	{.id = 7, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "db"},
};

/* Whose names want to be markup, fields, lines and commands to a terminal. */
static const struct upf_domain hostile_domains[] = {
	{.id = 3,
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "<script>alert(1)</script>",
         .image = "/tmp/my guest (old);\"x\",\n1 2 3\nfn=(9) y.elf",
         .build_id = "\"]}<!--\377"},
	{.id = 7,
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "a;b \377\n7/7 [000] 1.0: 1 x:\n\"c\" (d)"},
};
/* "lost COUNT". */
static void lose(struct maker *m, const char *line)
{
	uint64_t n = strtoull(line, NULL, 0);

	check(upf_encode_lost(m->encoder, 0, m->now, n, UPF_LOST_WRITER), "lost");
	m->totals.lost += n;
}

/* "late COUNT". */
static void miss(struct maker *m, const char *line)
{
	uint64_t n = strtoull(line, NULL, 0);

	check(upf_encode_late(m->encoder, 0, m->now, n), "late");
	m->totals.late += n;
}

/* "DOMAIN VCPU COUNT LEAF CALLER...": so many samples of a stack; "b" before it: of a blocked vCPU. */
static void add_line(struct maker *m, char *line)
{
	uint64_t frames[UPF_DEPTH_MAX + 1] = {0}, domain, vcpu, count;
	uint8_t state = *line == 'b' ? UPF_BLOCKED : UPF_RUNNING;
	struct upf_sample s;

	line += *line == 'b';
	domain = strtoull(line, &line, 0);
	vcpu = strtoull(line, &line, 0);
	count = strtoull(line, &line, 0);
	for (size_t n = 0; n < UPF_DEPTH_MAX && *line != '\n'; n++)
		frames[n] = strtoull(line, &line, 16);
	s = sample((uint32_t)vcpu, state, frames);
	while (count-- > 0)
		round_of(m, (uint32_t)domain, 40000, &s, 1);
}

/* Stacks and how often they came, as standard input has them, a line each. */
static void make_lines(struct maker *m, const struct upf_domain domains[2])
{
	struct upf_session session = plain_session;
	char line[4096];

	session.domains = domains;
	session.ndomains = 2;
	start_session(m, &session);
	while (fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "lost ", 5) == 0)
			lose(m, line + 5);
		else if (strncmp(line, "late ", 5) == 0)
			miss(m, line + 5);
		else
			add_line(m, line);
	}
	finish(m);
}

void make_counted(struct maker *m)
{
	make_lines(m, bare_domains);
}

void make_hostile(struct maker *m)
{
	make_lines(m, hostile_domains);
}
#define GUESTS_MAX 64

/* "guest NAME KIND ARCH [IMAGE IDENTITY]", instead of the one that there is else. */
static void add_guest(struct upf_domain *domains, size_t *n, char *line)
{
	char *name = strtok(line + 6, " \n"), *kind = strtok(NULL, " \n"), *arch = strtok(NULL, " \n");
	char *image = strtok(NULL, " \n"), *id = strtok(NULL, " \n");

	if (!arch || *n == GUESTS_MAX)
		check(-EINVAL, "guest");
	domains[*n] = (struct upf_domain){.id = 3 + (uint32_t)*n,
	                                  .vcpus = 1,
	                                  .kind = (uint8_t)atoi(kind),
	                                  .arch = (uint8_t)atoi(arch),
	                                  .name = strdup(name),
	                                  .image = image ? strdup(image) : NULL,
	                                  .build_id = id ? strdup(id) : NULL};
	++*n;
}

/* A sample: addresses, leaf first; of copies an address, the stack pointer, and what lies on the stack. */
static void add_sample(struct maker *m, bool copies, uint32_t domain, char *line)
{
	uint64_t words[UPF_COPY_MAX], regs[UPF_REGS] = {0};
	struct upf_sample s = {.state = UPF_RUNNING,
	                       .frames = words,
	                       .cpu_ns = PERIOD,
	                       .slot = domain,
	                       .end = copies ? UPF_END_DEPTH : UPF_END_ROOT};
	uint32_t n = 0;

	s.user = strncmp(line, "user ", 5) == 0;
	for (char *at = strtok(line + 5 * s.user, " \n"); at && n < UPF_DEPTH_MAX; at = strtok(NULL, " \n"))
		words[n++] = strtoull(at, NULL, 16);
	s.depth = copies ? 1 : n;
	if (copies && n >= 2) {
		regs[7] = s.sp = words[1];
		s.words = words + 2;
		s.nwords = n - 2;
		s.regs = regs;
	}
	round_of(m, domain, 40000, &s, 1);
}

static void add_build(struct maker *m, uint32_t domain, const char *line)
{
	uint8_t id[UPF_BUILD_ID_MAX];
	unsigned size = 0;
	char *at;
	uint64_t address = strtoull(line, &at, 16);

	for (at++; size < sizeof(id) && sscanf(at, "%2hhx", &id[size]) == 1; at += 2)
		size++;
	check(upf_encode_build(m->encoder, domain, m->now, address, id, size), "build");
}

void make_stacks(struct maker *m, bool copies, const char *image, const char *id)
{
	struct upf_domain domains[GUESTS_MAX] = {plain_session.domains[0]};
	struct upf_session session = plain_session;
	uint32_t domain = 0;
	char *line = NULL;
	size_t size = 0, n = 0;
	ssize_t len;

	domains[0].image = image;
	domains[0].build_id = id;
	while ((len = getline(&line, &size, stdin)) >= 0) {
		if (strncmp(line, "guest ", 6) == 0)
			add_guest(domains, &n, line);
		else if (strncmp(line, "later ", 6) == 0)
			session.start_real_ns += strtoull(line + 6, NULL, 10) * 1000000000;
		else
			break;
	}
	session.domains = domains;
	session.ndomains = n ? n : 1;
	session.tops = copies ? UPF_TOPS_COPY : UPF_TOPS_NONE;
	session.tops_size = copies ? UPF_COPY_MAX * 8 : 0;
	start_session(m, &session);
	for (; len >= 0; len = getline(&line, &size, stdin)) {
		if (strncmp(line, "of ", 3) == 0)
			domain = (uint32_t)atoi(line + 3);
		else if (strncmp(line, "entry ", 6) == 0)
			check(upf_encode_entry(m->encoder, domain, m->now, 0, strtoull(line + 6, NULL, 16)), "entry");
		else if (strncmp(line, "build ", 6) == 0)
			add_build(m, domain, line + 6);
		else if (strcmp(line, "block\n") == 0)
			flush(m);
		else
			add_sample(m, copies, domain, line);
	}
	free(line);
	for (size_t i = 0; i < n; i++) {
		free((char *)domains[i].name);
		free((char *)domains[i].image);
		free((char *)domains[i].build_id);
	}
	finish(m);
}
