/* SPDX-License-Identifier: BSD-2-Clause */
/* maker.c - a trace being made: its session, rounds and end. */
#include "tests/tools/traces/maker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put(void *ctx, const void *data, size_t len)
{
	(void)ctx;
	return fwrite(data, 1, len, stdout) == len ? 0 : -EIO;
}

void check(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "mktrace: %s: %s\n", what, strerror(-rc));
	exit(1);
}
static const struct upf_domain plain_domains[] = {
	{.id = 3,
         .uuid = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8},
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "web1",
         .image = "/boot/web.elf",
         .build_id = "c0ffee"},
	{.id = 7, .kind = UPF_KIND_PVH, .arch = UPF_ARCH_X86_64, .vcpus = 1, .name = "db\033[31m"},
};
const struct upf_session plain_session = {
	.trace_id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	.start_real_ns = 1700000000123456000,
	.start_mono_ns = 5000000000,
	.rate_mhz = 99500,
	.max_stack = 128,
	.command = "uniprof-record -F 99.5 -o run.upf web1",
	.recorder = "uniprof-record 2.0",
	.host = "dom0",
	.hypervisor = "Xen 4.17.7, domctl 0x15",
	.domains = plain_domains,
};

void start_session(struct maker *m, const struct upf_session *session)
{
	memset(m, 0, sizeof(*m));
	m->writer = upf_writer_new(session, put, NULL);
	m->encoder = upf_encoder_new(session->tops, (uint32_t)session->ndomains, session->tops_size / 8);
	if (!m->writer || !m->encoder)
		check(-errno, "start");
	upf_encoder_reset(m->encoder, PERIOD);
}

void start(struct maker *m, size_t ndomains)
{
	struct upf_session session = plain_session;

	session.ndomains = ndomains;
	start_session(m, &session);
}

void flush(struct maker *m)
{
	check(upf_writer_block(m->writer, m->encoder), "block");
	upf_encoder_reset(m->encoder, PERIOD);
}

void round_of(struct maker *m, uint32_t domain, uint64_t pause_ns, const struct upf_sample *samples, size_t n)
{
	int rc = upf_encode_round(m->encoder, domain, m->now, pause_ns, samples, n);

	if (rc == -ENOSPC) {
		flush(m);
		rc = upf_encode_round(m->encoder, domain, m->now, pause_ns, samples, n);
	}
	check(rc, "round");
	m->totals.rounds++;
	m->totals.samples += n;
	if (pause_ns) {
		m->totals.pauses++;
		upf_hist_add(&m->totals.pause, pause_ns);
	}
	m->now += PERIOD;
}

void same(struct maker *m, uint32_t domain, size_t n)
{
	check(upf_encode_same(m->encoder, domain, m->now), "same");
	m->totals.rounds++;
	m->totals.samples += n;
	m->now += PERIOD;
}

void finish(struct maker *m)
{
	flush(m);
	m->totals.duration_ns = m->now;
	check(upf_writer_finish(m->writer, &m->totals, UPF_REASON_DURATION), "finish");
}

void end(struct maker *m)
{
	upf_writer_free(m->writer);
	upf_encoder_free(m->encoder);
	if (fflush(stdout) != 0)
		check(-errno, "standard output");
}
struct upf_sample sample(uint32_t vcpu, uint8_t state, const uint64_t *frames)
{
	struct upf_sample s = {.vcpu = vcpu, .state = state, .frames = frames};

	s.cpu_ns = state == UPF_RUNNING ? PERIOD : 0;
	while (frames[s.depth])
		s.depth++;
	return s;
}
uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}
