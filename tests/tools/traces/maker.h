/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maker.h - a trace being made: for the files of this folder, each of which makes some kinds of trace.
 *
 * Every function ends the program, with one line on stderr, when the trace cannot be written.
 */
#ifndef TESTS_TOOLS_TRACES_MAKER_H
#define TESTS_TOOLS_TRACES_MAKER_H

#include "format/upf.h"

#define MS 1000000u
#define PERIOD (10 * MS) /* nanoseconds between two rounds */

struct maker {
	struct upf_writer *writer;
	struct upf_encoder *encoder;
	struct upf_totals totals;
	uint64_t now; /* nanoseconds since the start, of the next round */
};

/* Of one domain, or of two: what start() records, for a kind that changes some of it. */
extern const struct upf_session plain_session;

/* Ends the program with "mktrace: WHAT: error" if @rc, 0 or a negative errno, is an error. */
void check(int rc, const char *what);

void start_session(struct maker *m, const struct upf_session *session);
/* Of plain_session's first @ndomains domains. */
void start(struct maker *m, size_t ndomains);
/* Ends the block. */
void flush(struct maker *m);
/* A round of domain number @domain at m->now, which goes on by PERIOD. */
void round_of(struct maker *m, uint32_t domain, uint64_t pause_ns, const struct upf_sample *samples, size_t n);
/* As the domain's last round, whose samples were @n. */
void same(struct maker *m, uint32_t domain, size_t n);
/* Writes the last block and the footer. */
void finish(struct maker *m);
/* Frees what start() made, and flushes standard output. */
void end(struct maker *m);

/* A sample whose stack is @frames, leaf first, 0 behind the root; borrowed. */
struct upf_sample sample(uint32_t vcpu, uint8_t state, const uint64_t *frames);
uint64_t next_random(uint64_t *random);

#endif
