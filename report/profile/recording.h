/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - one recording as the report has it: its traces, the binaries that name its addresses, and the profile
 * made of them. A comparison has two.
 */
#ifndef REPORT_PROFILE_RECORDING_H
#define REPORT_PROFILE_RECORDING_H

#include "report/symbols/symbolizer.h"
#include "report/input/binaries.h"
#include "report/input/traces.h"
#include "report/profile/build_check.h"
#include "report/profile/filter.h"
#include "report/profile/load.h"

/* Zero-initialise, recording_close() at the end. Stays where it is: its parts point at each other. */
struct recording {
	struct traces traces;
	struct binaries binaries;
	struct symbolizer names;
	struct filter filter;
	struct profile profile; /* empty until it is loaded */
	const char *failed;     /* the trace that could not be loaded; NULL: none */
	bool any_build;         /* binaries are used whichever build they are */
	bool has_wrong;         /* otherwise: @wrong is one that is not what ran */
	struct build_check wrong;
};

/*
 * Makes ready what is neither traces nor binaries, which have been joined and loaded. @selection must outlive it;
 * @mangled: names stay as the linker has them. @where: the VMM's files are searched there; it must outlive it, too. 0 or
 * -ENOMEM.
 */
int recording_prepare(struct recording *r, const struct selection *selection, bool mangled,
                      const struct debug_search *where);
/*
 * Adds all traces to r->profile, each in its own scope; @hooks, NULL: none, hear what counts. As load_trace(); or
 * -ENOEXEC: a binary is probably another build than the one that ran, if r->has_wrong.
 */
int recording_load(struct recording *r, const struct load_hooks *hooks, struct progress *progress);
/*
 * Before they are loaded: time is counted in ns if the traces of @r and @old (NULL: nothing is compared) are of several
 * rates; otherwise in periods.
 */
void recording_units(struct recording *r, struct recording *old);
void recording_close(struct recording *r);
/*
 * Takes all pauses from the footers, which have them to the nanosecond and those of lost samples, too, if all traces
 * have one and count as a whole. recording_load() does it; for others when all has been read.
 */
void recording_pauses(struct recording *r);

/* How r->profile's traces are read when it is not done by recording_load(): without scope, hooks and progress. */
struct load_options recording_options(const struct recording *r);
/* Reads one of @r's traces to @p, as load_trace(), and remembers which one is damaged or could not be read. */
int recording_load_trace(struct recording *r, struct profile *p, struct trace *t, const struct load_options *options);
/* Nothing is wrong with the traces, as far as they have been read. */
bool recording_sound(const struct recording *r);
/* Its length, ns. */
uint64_t recording_duration(const struct recording *r);
/* How long its domains in scope were recorded, added up: what the time that they were paused is a share of; ns. */
uint64_t recording_guest_time(const struct recording *r);

#endif
