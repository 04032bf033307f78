/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traces.h - the traces of one report. Several traces, as of uniprof-record --switch-output, are shown as one: they
 * follow each other in time, and domains of the same name are one domain.
 */
#ifndef REPORT_INPUT_TRACES_H
#define REPORT_INPUT_TRACES_H

#include "report/input/scope.h"

#include <sys/types.h>

struct trace {
	const char *path; /* "-": standard input */
	int fd;           /* -1: closed until trace_resume() */
	dev_t device;     /* of the file */
	ino_t inode;
	bool is_file; /* regular, and opened by @path */
	struct upf_reader *reader;
	struct scope scope;
	uint32_t *domain_map;
	struct scope_span *rounds;  /* of each of its domains, from the first to the last; as far as it was read */
	struct scope_span *covered; /* scope.covered */
	size_t covered_cap;
	uint64_t covered_samples;       /* that were there, and did not count */
	const struct trace *covered_by; /* the first that has some of them; NULL: none */
	uint64_t bad_blocks; /* sound ones whose content breaks the format; of samples: as far as they were loaded */
};

/* Zero-initialise, traces_close() at the end. */
struct traces {
	struct trace *list;
	size_t n, cap;
	struct upf_session session; /* of all together: the first one's, with everybody's domains */
	struct upf_domain *domains;
	size_t domains_cap;
};

/*
 * Adds an open trace; takes over @fd and @reader, even on error. A file is suspended: there may be more than can be
 * open. 0 or -ENOMEM.
 */
int traces_add(struct traces *t, const char *path, int fd, struct upf_reader *reader);
void traces_close(struct traces *t);
/* Before blocks are read from its reader: opens the file. 0; -ESTALE: it is another file now; or a negative errno. */
int trace_resume(struct trace *t);
/* Closes the file until then. The reader keeps what it told. */
void trace_suspend(struct trace *t);
/*
 * A look at the trace before it is read, for what must be known by then: calls @each for one samples block after the
 * other, until it returns false. Of what cannot be read twice, such as a pipe, that is the first block, which is then
 * given out again. 0 or a negative errno.
 */
int trace_first_blocks(const struct trace *t, bool (*each)(void *ctx, const struct upf_block *b), void *ctx);
/*
 * Looks into the first blocks for the build-ids of the domains whose build the header does not tell, as the recorder
 * found them in the domains' memory, and gives them to the session of the reader. 0 or a negative errno.
 */
int trace_learn_builds(struct trace *t);
/*
 * Puts all of them on one time and into one session, as far as @selection lets them count; the earliest becomes the
 * first. 0, or -1 with a reason in @why.
 */
int traces_join(struct traces *t, const struct selection *selection, char *why, size_t size);

/*
 * Before trace number @i is read, after all before it: what those have of the same guests at the same time is left out
 * of its scope. Makes room for t->list[i].rounds. 0 or -ENOMEM.
 */
int traces_cover(struct traces *t, size_t i);

/* Do samples of @domain, as all traces together number it, count in any of them? */
bool traces_have(const struct traces *t, uint32_t domain);
/* How many of t->session's domains do. */
size_t traces_domains(const struct traces *t);

/* How long the recordings are, added up, before they are read; 0: one of them is a stream. Decodes nothing. */
uint64_t traces_length(const struct traces *t);

/* The readers' together, final when all has been loaded: sums, and whether all have a footer and any is cut. */
struct upf_health traces_health(const struct traces *t);
/* Is nothing missing or damaged, so far; nor sound blocks whose content breaks the format? */
bool health_sound(const struct upf_health *h, uint64_t bad_blocks);
bool trace_sound(const struct trace *t); /* the same of one trace */
/* How long any of them was recorded, by the footers, as far as it is in scope, ns; 0 if a footer is missing. */
uint64_t traces_duration(const struct traces *t);
/*
 * From when to when @domain (TRACES_DOMAINS: any) was recorded, as far as it is in scope and was read; ns, by the time
 * of all traces together, whose 0 is the start of the first one.
 */
#define TRACES_DOMAINS UINT32_MAX
void traces_range(const struct traces *t, uint32_t domain, uint64_t *from_ns, uint64_t *to_ns);
/* The sum of how long each domain in scope was; time that several traces have of one counts once. */
uint64_t traces_guest_time(const struct traces *t);

#endif
