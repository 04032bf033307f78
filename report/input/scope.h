/* SPDX-License-Identifier: BSD-2-Clause */
/* scope.h - a selection applied to one trace: its domains by number, its times in ns. */
#ifndef REPORT_INPUT_SCOPE_H
#define REPORT_INPUT_SCOPE_H

#include "report/input/selection.h"

/* Time of one domain, both ends included; none if it begins after its end. */
struct scope_span {
	uint32_t domain; /* by the trace's own index */
	uint64_t from_ns, to_ns;
};

/* What of one trace counts, and where it goes when several are shown as one. */
struct scope {
	const struct selection *selection;
	uint64_t from_ns, to_ns; /* [from, to) */
	uint64_t later_ns;       /* added to the trace's own times before */
	bool some_domains;
	bool some;                              /* not every record counts */
	uint64_t domains[UPF_DOMAINS_MAX / 64]; /* by the trace's own index */
	/* What earlier traces have of the same guests, by the trace's own time: it counts there. */
	const struct scope_span *covered;
	size_t ncovered;
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
bool scope_has_some(const struct scope *scope, const struct upf_record *rec);
/* Does another trace have this time of the record's domain? */
bool scope_is_covered(const struct scope *scope, const struct upf_record *rec);
static inline bool scope_has(const struct scope *scope, const struct upf_record *rec)
{
	return !scope->some || scope_has_some(scope, rec);
}
/* Do samples of @domain, as all traces together number it, count, and are there any? */
bool scope_has_domain(const struct scope *scope, uint32_t domain);
/* The index of a record's @domain, as all traces together number it. */
static inline uint32_t scope_domain(const struct scope *scope, uint32_t domain)
{
	if (!scope->domain_map)
		return domain;
	return domain < scope->nmapped ? scope->domain_map[domain] : scope->unmapped + domain;
}
/* Domain and time as all traces together have them. */
static inline void scope_place(const struct scope *scope, struct upf_record *rec)
{
	rec->time_ns += scope->later_ns;
	rec->domain = scope_domain(scope, rec->domain);
}

/* Is @text the domain's name or number? */
bool domain_is_called(const struct upf_domain *d, const char *text, size_t len);
/* One line in @why: @option names a domain that is not there, and which ones are. */
void scope_no_domain(const struct upf_session *session, const char *option, const char *text, size_t len, char *why,
                     size_t size);
/* A domain as users know it: its name, "[domain 3]" or "[unknown domain 3]". Not made safe. */
void domain_text(const struct upf_session *session, uint32_t domain, char *text, size_t size);

#endif
