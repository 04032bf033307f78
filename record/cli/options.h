/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - what the user asked uniprof-record for. */
#ifndef RECORD_CLI_OPTIONS_H
#define RECORD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/option_table.h"
#include "format/upf.h"
#include "record/sampling/target.h"

#define IMAGES_MAX 64 /* --image */

struct options {
	const char *output; /* NULL: not given */
	uint64_t rate_mhz;
	uint64_t duration_ns; /* 0: until stopped */
	uint64_t rounds;      /* 0: no limit */
	uint64_t vcpus[UPF_VCPUS_MAX / 64];
	bool some_vcpus; /* vcpus was given */
	struct stack_choice stack;
	double max_overhead;   /* share of time that a domain may be paused */
	uint64_t max_pause_ns; /* a longer pause is undone */
	double max_cpu;        /* share of one CPU that sampling may use */
	int priority;          /* SCHED_FIFO, and what goes with it: latency.h; 0: none of it */
	struct {
		bool on;
		uint64_t bytes, ns; /* 0: not at a size, not at a time; neither: by SIGUSR2 */
		uint64_t max_files; /* 0: no limit */
	} switching;                /* --switch-output */
	struct {
		bool on;
		uint64_t bytes, ns;     /* ns 0: no limit in time */
	} recent;                       /* --overwrite */
	const char *images[IMAGES_MAX]; /* FILE or DOMAIN=FILE, nimages of them */
	size_t nimages;
	bool missed, force, follow, list, quiet, verbose, version, help;
};

extern const struct option_def record_options[];

/* Defaults, then @argv; operands to the front of it. Their number, or -1 and one line in @why. */
int record_options_parse(struct options *o, int argc, char **argv, char *why, size_t size);

#endif
