/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selection.h - what of a trace counts, as the user asked for it: which samples, by time, vCPU and domain, which
 * stacks and which of their frames, by name, and what each weighs. A scope is the same for one trace: domains by
 * number, times in ns.
 */
#ifndef REPORT_PROFILE_SELECTION_H
#define REPORT_PROFILE_SELECTION_H

#include "format/upf.h"
#include "report/profile/patterns.h"

#include <stdio.h>

/* One end of a range of time: ns, or parts in a million of the trace's length. */
struct time_bound {
	bool given, is_share;
	uint64_t n;
};

enum weight { WEIGHT_SAMPLES, WEIGHT_CPU };
enum group { GROUP_BY_NEED, GROUP_BY_DOMAIN, GROUP_BY_VCPU };

/* All zero but states selects everything. selection_free() at the end. */
struct selection {
	unsigned states; /* STATES_... of profile.h; those of no state asked for are left out when folding */

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
	uint64_t quantum_ns; /* not 0: samples of different slots of this length stay apart */
};

/* Each takes an option's argument: 0, or -1 with a reason in @why. */
int selection_time(struct selection *s, const char *value, char *why, size_t size);
int selection_vcpus(struct selection *s, const char *value, char *why, size_t size);
int selection_domains(struct selection *s, const char *value, char *why, size_t size);
void selection_free(struct selection *s);

/* Does it leave out samples by what the recorder knows of them, other than the run state? By names? */
bool selection_by_record(const struct selection *s);
bool selection_by_name(const struct selection *s);
/* The trace's length must be known before it is read. */
bool selection_needs_length(const struct selection *s);

/* What of one trace counts, and where it goes when several are shown as one. */
struct scope {
	const struct selection *selection;
	uint64_t from_ns, to_ns; /* [from, to) */
	uint64_t later_ns;       /* added to the trace's own times before */
	bool some_domains;
	uint64_t domains[UPF_DOMAINS_MAX / 64]; /* by the trace's own index */
	const uint32_t
		*domain_map; /* from the trace's index to the common one, NULL: the same; session->ndomains of them */
	uint32_t nmapped, unmapped; /* an index that the map lacks goes to @unmapped and on */
};

/*
 * What @selection means for a trace of @session, where all traces together last @length_ns (0: not known, and not
 * needed). 0, or -1 with a reason in @why: a domain is not there; the others count.
 */
int scope_make(struct scope *scope, const struct selection *selection, const struct upf_session *session,
               uint64_t length_ns, char *why, size_t size);
/* Is this record within time, domains and, of a sample, vCPUs? Records of no vCPU count for all. */
bool scope_has(const struct scope *scope, const struct upf_record *rec);
/* Do samples of @domain, as all traces together number it, count, and are there any? */
bool scope_has_domain(const struct scope *scope, uint32_t domain);
/* Domain and time as all traces together have them. */
void scope_place(const struct scope *scope, struct upf_record *rec);

/* A domain as users know it: its name, "[domain 3]" or "[unknown domain 3]". Not made safe. */
void domain_text(const struct upf_session *session, uint32_t domain, char *text, size_t size);

#endif
