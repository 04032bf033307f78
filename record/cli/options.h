/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - the command line of uniprof-record: what the user asked for, and the exit status that answers. */
#ifndef RECORD_CLI_OPTIONS_H
#define RECORD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/option_table.h"
#include "record/output/trace_output.h"
#include "record/sampling/session.h"
#include "record/sampling/target.h"

/* The exit status, as in the man page. */
enum exit_code {
	EXIT_RECORDED = 0,
	EXIT_CUT_SHORT = 1, /* an error ended the recording; what was written is valid */
	EXIT_USAGE = 2,
	EXIT_HYPERVISOR = 3, /* no hypervisor, no permission to use it, or an unknown version */
	EXIT_DOMAIN = 4,     /* no such domain, or it cannot be recorded */
	EXIT_OUTPUT = 5,     /* the output cannot be written */
	EXIT_COMMAND = 6,    /* the command of --start failed */
};

#define REPEATS_MAX 64 /* --image, --exclude */

/* How guests are read. */
enum sampler {
	SAMPLER_AUTO, /* without a stop where that is possible */
	SAMPLER_STOP,
	SAMPLER_LIVE,
};

struct options {
	struct session_options session;
	struct output_options output; /* path NULL: not given */
	struct stack_choice stack;
	bool look;    /* a single sample, with all registers: also of a domain that is paused or has shut down */
	int priority; /* of SCHED_FIFO, with the rest of thread_reduce_latency(); 0: none of it */
	const char *images[REPEATS_MAX]; /* FILE or DOMAIN=FILE, nimages of them */
	size_t nimages;
	const char *symbols[REPEATS_MAX]; /* what the viewer gets by -s; nsymbols of them */
	const char *viewer_user;
	size_t nsymbols;
	bool all;                          /* domains */
	const char *excluded[REPEATS_MAX]; /* patterns of --exclude, nexcluded of them */
	size_t nexcluded;
	const char *start;      /* command that creates the domain; NULL: it exists */
	const char *pause_file; /* NULL: none */
	const char *resume;     /* the pause file of a recorder that was killed; NULL: record */
	enum sampler sampler;
	bool host; /* what the host did for a vCPU, too */
	bool dump; /* show the guests as they are now, instead of a trace */
	bool top;  /* show them on a screen that is kept up to date, instead of a trace */
	bool list, verbose, version, help;
	const char *completion; /* for this shell; NULL: not asked for */
	bool seeded;            /* by the environment: the deadlines follow from @seed */
	uint64_t seed;
};

extern const struct option_def record_options[];

/*
 * Fills in @o from the defaults and @argv, whose operands are moved to its front. Their number, or -1 with one line in
 * @why.
 */
int record_options_parse(struct options *o, int argc, char **argv, char *why, size_t size);

#endif
