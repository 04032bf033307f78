/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export_stacks.h - what exporters share: a recording's stacks with the frames that --folded shows, and the names that
 * other programs' files have for domains and binaries.
 *
 * Other programs' files are data: all text in them is made safe as it is on a terminal, control characters as \xNN and
 * UTF-8 well-formed, before the format's own quoting.
 */
#ifndef REPORT_EXPORT_EXPORT_STACKS_H
#define REPORT_EXPORT_EXPORT_STACKS_H

#include "report/fold/display_stack.h"
#include "report/profile/recording.h"

/*
 * Stacks as --folded shows them, without frames for domains and vCPUs: each format has its own way to tell those.
 * display_stacks_free() at the end.
 */
static inline struct display_stacks stacks_of(struct recording *r)
{
	return (struct display_stacks){
		.profile = &r->profile, .names = &r->names, .common = &r->names, .session = &r->traces.session};
}

/* Makes stacks->chain of one sample's stack. 0 or -ENOMEM. */
static inline int stacks_make(struct display_stacks *stacks, uint32_t domain, uint32_t node, bool user)
{
	return display_stack_make(stacks, &(struct stack){.domain = domain, .node = node, .user = user});
}

/* Each stack of the loaded profile in these run states; not 0 from @each ends it with that value. 0 or -ENOMEM. */
int stacks_each(struct recording *r, unsigned states,
                int (*each)(void *ctx, const struct stack *s, const struct callchain *c), void *ctx);

/* The domain's name, made up if it has none; safe on a terminal, lives as long as @r. 0 or -ENOMEM. */
int stacks_domain_name(struct recording *r, uint32_t domain, const char **name);
/*
 * The same of the file that its code comes from; without one, of the domain's name in brackets, as perf has a
 * kernel's.
 */
int stacks_image(struct recording *r, uint32_t domain, const char **name);
/* What is known of the domain, NULL: nothing. */
const struct upf_domain *stacks_domain(const struct upf_session *session, uint32_t domain);
/*
 * A number that is this domain's alone: the one that its host gave it, or, if an earlier domain of another host has
 * that, or it is not known, one that no host gives.
 */
uint32_t stacks_pid(const struct upf_session *session, uint32_t domain);

/* The requested period, at least 1 ns. */
uint64_t stacks_period(const struct upf_session *session);
/* Time that the samples of a stack stand for, ns. */
static inline uint64_t stacks_time(const struct recording *r, const struct stack *s)
{
	return r->profile.by_ns ? s->time : s->time * r->profile.period_ns;
}
/* Do samples weigh the time that they stand for, and not all the same? */
static inline bool stacks_weigh_time(const struct recording *r, const struct selection *selection)
{
	return selection->weight == WEIGHT_TIME && profile_unit(&r->profile, NULL, WEIGHT_TIME) != UNIT_SAMPLES;
}
/* Time that a sample, which a hook hears of, stands for, ns; as a sample weighs: one period if all weigh the same. */
uint64_t stacks_span(const struct recording *r, const struct selection *selection, const struct upf_record *rec);

#endif
