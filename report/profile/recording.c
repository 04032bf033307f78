/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define BATCHES 32 /* of time: enough to see how much they differ, and long beside what a guest does at a time */

int recording_prepare(struct recording *r, const struct selection *selection, bool mangled,
                      const struct debug_search *where)
{
	int rc = profile_init(&r->profile);

	symbolizer_init(&r->names, r->binaries.resolvers);
	r->names.mangled = mangled;
	r->names.monitor = (struct monitor_names){.where = where, .mangled = mangled};
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < r->traces.n; i++)
		r->profile.counters.bad_blocks += r->traces.list[i].bad_blocks;
	r->profile.quantum_ns = selection->quantum_ns;
	if (selection->noise && !selection->quantum_ns)
		r->profile.quantum_ns = traces_length(&r->traces) / BATCHES;
	r->profile.spaces = selection->spaces;
	r->filter.selection = selection;
	r->filter.names = &r->names;
	r->profile.filter = filter_needed(selection) ? &r->filter : NULL;
	return 0;
}

static bool has_rate(const struct traces *t, uint64_t rate_mhz)
{
	for (size_t i = 0; i < t->n; i++)
		if (upf_reader_session(t->list[i].reader)->rate_mhz != rate_mhz)
			return false;
	return true;
}

void recording_units(struct recording *r, struct recording *old)
{
	uint64_t rate_mhz = r->traces.session.rate_mhz;

	r->profile.by_ns = !has_rate(&r->traces, rate_mhz) || (old && !has_rate(&old->traces, rate_mhz));
	if (old)
		old->profile.by_ns = r->profile.by_ns;
}

void recording_close(struct recording *r)
{
	filter_free(&r->filter);
	symbolizer_free(&r->names);
	profile_free(&r->profile);
	binaries_free(&r->binaries);
	traces_close(&r->traces);
}

/* --- loading ----------------------------------------------------------------------------------------------------- */

static uint64_t file_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

struct load_options recording_options(const struct recording *r)
{
	return (struct load_options){.binaries = &r->binaries, .archived = binaries_have_stacks(&r->binaries)};
}

static void tell_trace(struct progress *progress, const struct traces *t, size_t i)
{
	const char *path = t->list[i].path;
	char what[128], number[64] = "";

	if (t->n > 1)
		snprintf(number, sizeof(number), "%zu of %zu: ", i + 1, t->n);
	snprintf(what, sizeof(what), "reading %s%s", number, strcmp(path, "-") == 0 ? "standard input" : path);
	progress_start(progress, what);
}

int recording_load_trace(struct recording *r, struct profile *p, struct trace *t, const struct load_options *options)
{
	uint64_t bad_blocks = p->counters.bad_blocks;
	int rc = trace_resume(t);

	if (rc == 0)
		rc = load_trace(p, t->reader, options);
	t->bad_blocks += p->counters.bad_blocks - bad_blocks;
	if (rc != 0)
		r->failed = t->path;
	return rc;
}

static int load_one_trace(struct recording *r, struct trace *t, const struct load_hooks *hooks,
                          struct progress *progress)
{
	struct load_options options = recording_options(r);
	uint64_t covered = r->profile.counters.covered;
	int rc;

	options.scope = &t->scope;
	options.rounds = t->rounds;
	options.hooks = hooks;
	options.progress = progress;
	if (trace_resume(t) == 0)
		options.size = file_size(t->fd);
	rc = recording_load_trace(r, &r->profile, t, &options);
	trace_suspend(t);
	t->covered_samples = r->profile.counters.covered - covered;
	return rc;
}

int recording_load(struct recording *r, const struct load_hooks *hooks, struct progress *progress)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->traces.n; i++) {
		tell_trace(progress, &r->traces, i);
		rc = traces_cover(&r->traces, i);
		if (rc == 0)
			rc = load_one_trace(r, &r->traces.list[i], hooks, progress);
	}
	progress_end(progress);
	if (rc == 0)
		recording_pauses(r);
	r->has_wrong = rc == 0 && !r->any_build && build_check(&r->binaries, &r->profile, &r->wrong);
	return r->has_wrong ? -ENOEXEC : rc;
}

/* All pauses of a trace that counts as a whole, as its footer tells; NULL: it does not tell. */
static const struct upf_hist *footer_pauses(const struct trace *t)
{
	enum upf_reason reason;
	const struct upf_totals *totals = upf_reader_totals(t->reader, &reason);

	return totals && !selection_by_record(t->scope.selection) && !t->covered_samples ? &totals->pause : NULL;
}

void recording_pauses(struct recording *r)
{
	struct upf_hist *pause = &r->profile.counters.pause;
	struct upf_hist sum = {0};

	for (size_t i = 0; i < r->traces.n; i++) {
		const struct upf_hist *h = footer_pauses(&r->traces.list[i]);

		if (!h)
			return;
		upf_hist_merge(&sum, h);
	}
	if (sum.count >= pause->count) /* or the footers know less than the records */
		*pause = sum;
}

/* --- afterwards -------------------------------------------------------------------------------------------------- */

bool recording_sound(const struct recording *r)
{
	const struct upf_health health = traces_health(&r->traces);

	return health_sound(&health, r->profile.counters.bad_blocks);
}

uint64_t recording_duration(const struct recording *r)
{
	uint64_t duration = traces_duration(&r->traces);

	return duration ? duration : r->profile.counters.last_ns;
}

uint64_t recording_guest_time(const struct recording *r)
{
	uint64_t time = traces_guest_time(&r->traces), domains = traces_domains(&r->traces);

	return time ? time : r->profile.counters.last_ns * (domains ? domains : 1);
}
