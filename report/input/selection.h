/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selection.h - what counts, as the user asked for it: samples by time, vCPU and domain; stacks and frames by name;
 * and what a sample weighs.
 */
#ifndef REPORT_INPUT_SELECTION_H
#define REPORT_INPUT_SELECTION_H

#include "format/upf.h"

#include <regex.h>
#include <stdio.h>

/* Regular expressions (POSIX extended) that users give for names. Zero-initialise, patterns_free() at the end. */
struct patterns {
	regex_t *expressions;
	size_t n, cap;
};

#define SHARE_WHOLE 1000000u

/* One end of a range of time: ns, or parts of SHARE_WHOLE of the trace's length. */
struct time_bound {
	bool given, is_share;
	uint64_t n;
};

/* What a sample weighs: the time that it stands for; 1; or the CPU time used since the vCPU's previous sample. */
enum weight { WEIGHT_TIME, WEIGHT_SAMPLES, WEIGHT_CPU };
/*
 * What a weight is counted in. Periods are of the rate that was asked for; where each sample stands for one of them,
 * weights of time are plain samples.
 */
enum unit { UNIT_SAMPLES, UNIT_PERIODS, UNIT_TIME, UNIT_CPU };
enum group { GROUP_BY_NEED, GROUP_BY_DOMAIN, GROUP_BY_VCPU, GROUP_BY_SPACE };

/* Sets of run states: bit n is state n. */
#define STATES_ALL 0x1fu
#define STATES_CPU (1u << UPF_RUNNING | 1u << UPF_RUNNABLE | 1u << UPF_VMM)

/* All zero but states selects everything. selection_free() at the end. */
struct selection {
	unsigned states;  /* STATES_...; those of no state asked for are left out when folding */
	bool some_states; /* they were asked for, and are not those that the view has by default */

	struct time_bound from, to;
	bool some_vcpus;
	uint64_t vcpus[UPF_VCPUS_MAX / 64];
	const char **domains; /* names or numbers; the array is owned */
	size_t ndomains, domains_cap;

	struct patterns focus, ignore, hide, show_from;
	uint32_t max_stack; /* frames kept next to the leaf; 0: all */
	bool collapse_recursion;

	enum weight weight;
	bool relative; /* shares are of what the names' filters leave, not of what the others do */
	enum group group;
	bool bottom_up;      /* trees begin at the leaves */
	bool spaces;         /* samples of different address spaces stay apart */
	bool noise;          /* how noisy shares are is measured, by batches of samples */
	uint64_t quantum_ns; /* not 0: samples of different slots of this length stay apart */
};

/* 0, or -1 with a reason in @why: the expression is wrong or empty, or out of memory. */
int patterns_add(struct patterns *p, const char *expression, char *why, size_t size);
void patterns_free(struct patterns *p);
/* Does any of them match a part of @name? */
bool patterns_match(const struct patterns *p, const char *name);

/* Each takes an option's argument: 0, or -1 with a reason in @why. */
int selection_time(struct selection *s, const char *value, char *why, size_t size);
int selection_vcpus(struct selection *s, const char *value, char *why, size_t size);
int selection_domains(struct selection *s, const char *value, char *why, size_t size);
void selection_free(struct selection *s);

/* Does it leave out samples by what the recorder knows of them, other than the run state? */
bool selection_by_record(const struct selection *s);

#endif
