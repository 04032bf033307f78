/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/quality.h"
#include "report/unwind/unwind.h"
#include "report/output/text.h"
#include "report/profile/vcpus.h"

#include <stdlib.h>
#include <string.h>

uint64_t quality_duration(const struct report *r)
{
	uint64_t duration = traces_duration(&r->traces);

	return duration ? duration : r->profile.counters.last_ns;
}

/* --- the trace --------------------------------------------------------------------------------------------------- */

bool quality_sound(const struct upf_health *h, const struct counters *t)
{
	return !h->damaged && !h->missing && !h->skipped_bytes && !h->cut && h->has_footer && !t->bad_blocks;
}

static void append(char *text, size_t size, const char *what, uint64_t n)
{
	size_t len = strlen(text);

	if (n != 0)
		snprintf(text + len, size - len, "%s%s %s", len ? ", " : "", text_count(n).s, what);
}

void quality_faults(const struct upf_health *h, const struct counters *t, char *text, size_t size)
{
	uint64_t damaged = h->damaged + t->bad_blocks;
	uint64_t missing =
		h->missing > h->damaged ? h->missing - h->damaged : 0; /* a damaged block leaves a hole as well */
	size_t len;

	text[0] = '\0';
	append(text, size, damaged == 1 ? "block damaged" : "blocks damaged", damaged);
	append(text, size, missing == 1 ? "block missing" : "blocks missing", missing);
	append(text, size, "bytes skipped", h->skipped_bytes);
	len = strlen(text);
	if (h->cut || !h->has_footer)
		snprintf(text + len, size - len, "%s%s", len ? ", " : "",
		         h->cut ? "cut off before its end"
		                : "no footer: the recorder was killed, or the end is cut off");
}

static void print_trace(const struct report *r, FILE *out)
{
	const struct upf_health health = traces_health(&r->traces);
	char text[256];
	struct para p;

	if (quality_sound(&health, &r->profile.counters))
		return;
	quality_faults(&health, &r->profile.counters, text, sizeof(text));
	para_start(&p, out, r->utf8, "Trace");
	para_item(&p, "not whole: %s", text);
	para_end(&p);
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static void item_left_out(const struct report *r, struct para *p)
{
	const struct counters *t = &r->profile.counters;
	const char *hint = " (--state all counts them)";

	for (unsigned s = 0; s < COUNTERS_STATES; s++) {
		uint64_t n = t->state[s] + r->profile.left_out[s].samples;

		if ((r->states & 1u << s) || n == 0)
			continue;
		para_item(p, "%s %s samples left out%s", text_count(n).s, upf_state_text(s), hint);
		hint = "";
	}
}

uint64_t quality_left_out(const struct report *r)
{
	return r->profile.counters.out_of_scope + profile_left_out(&r->profile, r->states, WEIGHT_SAMPLES);
}

bool quality_filtered_all(const struct report *r)
{
	return r->profile.counters.samples == 0 && quality_left_out(r) > 0 &&
	       (!r->old || r->old->profile.counters.samples == 0);
}

static void print_samples(const struct report *r, FILE *out)
{
	const struct counters *t = &r->profile.counters;
	struct para p;

	para_start(&p, out, r->utf8, "Samples");
	para_item(&p, "%s counted", text_count(profile_count(&r->profile, r->states)).s);
	item_left_out(r, &p);
	if (quality_left_out(r))
		para_item(&p, "%s left out by filters", text_count(quality_left_out(r)).s);
	if (counters_lost(t) == 0)
		para_item(&p, "none lost");
	for (unsigned i = 0; i < COUNTERS_LOST; i++)
		if (t->lost[i])
			para_item(&p, "%s lost: %s", text_count(t->lost[i]).s, upf_lost_text(i));
	if (t->late)
		para_item(&p, "%s deadlines late", text_count(t->late).s);
	para_end(&p);
}

static uint64_t of_states(const struct report *r, const uint64_t ends[COUNTERS_STATES][COUNTERS_ENDS], unsigned end)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (r->states & 1u << s)
			sum += ends[s][end];
	return sum;
}

static uint64_t ended(const struct report *r, unsigned end)
{
	return of_states(r, r->profile.counters.end, end);
}

static uint64_t user_samples(const struct report *r)
{
	uint64_t sum = 0;

	for (unsigned end = 0; end < COUNTERS_ENDS; end++)
		sum += of_states(r, r->profile.counters.user_end, end);
	return sum;
}

/* More of it is there, but was not kept. */
static bool is_truncated(unsigned end)
{
	return end == UPF_END_DEPTH || end == UPF_END_COLD || end == CHAIN_END_COPY;
}

/* Were there images to unwind by, now or when the archive was made? */
static bool had_tables(const struct report *r)
{
	return r->archive ? archive_flags(r->archive) & ARCHIVE_TABLES : r->rows && cfi_any(r->rows);
}

void quality_stacks(const struct report *r, struct quality_stacks *stacks)
{
	*stacks = (struct quality_stacks){.whole = ended(r, UPF_END_ROOT)};
	for (unsigned end = 0; end < COUNTERS_ENDS; end++)
		if (end != UPF_END_ROOT)
			*(is_truncated(end) ? &stacks->truncated : &stacks->broken) += ended(r, end);
}

/*
 * Do frame pointers lead nowhere in a quarter of the stacks at least, as where there are none? Where the image tells
 * that a stack goes on where frame pointers end, that counts, too.
 */
static bool lacks_frame_pointers(const struct report *r, uint64_t all)
{
	static const uint8_t ends[] = {UPF_END_UNMAPPED, UPF_END_MISALIGNED, UPF_END_NONCANONICAL, UPF_END_DESCENDING,
	                               CHAIN_END_UNSURE};
	uint64_t broken = had_tables(r) ? r->profile.counters.doubtful : 0;

	for (size_t i = 0; i < sizeof(ends); i++)
		broken += ended(r, ends[i]);
	return r->session->tops != UPF_TOPS_COPY && broken >= all / 4 + 1;
}

static void print_stacks(const struct report *r, FILE *out)
{
	const struct counters *t = &r->profile.counters;
	uint64_t whole = ended(r, UPF_END_ROOT), all = profile_count(&r->profile, r->states) - user_samples(r);
	struct para p;

	if (all == 0)
		return;
	para_start(&p, out, r->utf8, "Stacks");
	para_item(&p, "%s whole", whole == all ? "all" : whole == 0 ? "none" : text_share(whole, all).s);
	for (unsigned end = 1; end < COUNTERS_ENDS; end++)
		if (ended(r, end))
			para_item(&p, "%s %s: %s", text_count(ended(r, end)).s,
			          is_truncated(end) ? "truncated" : "broken", chain_end_text(end));
	if (ended(r, CHAIN_END_UNKNOWN) && r->session->tops == UPF_TOPS_COPY && !had_tables(r))
		para_item(&p, "-s FILE unwinds them: the guest's binary, with its unwind tables");
	if (lacks_frame_pointers(r, all))
		para_item(&p, "if the guest was compiled without frame pointers, record with --call-graph dwarf");
	if (t->restored)
		para_item(&p, "%s with callers put back", text_count(t->restored).s);
	if (t->doubtful)
		para_item(&p, "%s lack one that was not sure", text_count(t->doubtful).s);
	para_end(&p);
}

/*
 * Programs in the guest: their stacks say nothing of the kernel's, which most readers ask for, nor of how well those
 * were read.
 */
static void print_user(const struct report *r, FILE *out)
{
	uint64_t user = user_samples(r), whole = of_states(r, r->profile.counters.user_end, UPF_END_ROOT);
	struct para p;

	if (user == 0)
		return;
	para_start(&p, out, r->utf8, "User");
	para_item(&p, "%s samples in user mode, %s, below [user]", text_count(user).s,
	          text_share(user, profile_count(&r->profile, r->states)).s);
	para_item(&p, "%s of their stacks whole",
	          whole == user ? "all"
	          : whole == 0  ? "none"
	                        : text_share(whole, user).s);
	para_end(&p);
}

/* --- names, pauses, vCPUs ---------------------------------------------------------------------------------------- */

/* Of binaries that were asked. */
static bool lacks_dwarf(const struct report *r)
{
	if (r->archive)
		return !r->names.resolver.no_inline && (archive_flags(r->archive) & ARCHIVE_NO_DWARF);
	for (size_t i = 0; i < r->nlines; i++)
		if (lines_any(r->lines[i]))
			return false;
	return r->nlines > 0;
}

static void print_names(const struct report *r, const struct fold *fold, FILE *out)
{
	struct para p;

	if (!fold || fold->frames == 0)
		return;
	para_start(&p, out, r->utf8, "Names");
	if (fold->unnamed == 0)
		para_item(&p, "every address has one");
	else
		para_item(&p, "%s address%s without one, %s of frames", text_count(fold->unnamed).s,
		          fold->unnamed == 1 ? "" : "es", text_share(fold->unnamed_frames, fold->frames).s);
	if (!r->has_symbols && r->several_images)
		para_item(&p, "the guests ran different binaries: --domain NAME takes the one of that guest");
	else if (!r->has_symbols)
		para_item(&p, "-s FILE gives names: the guest's binary or nm's list of it");
	if (lacks_dwarf(r))
		para_item(&p, "no inlined functions and no source lines: no debug information (DWARF) in the binary");
	para_end(&p);
}

static void print_pauses(const struct report *r, FILE *out)
{
	const struct upf_hist *h = &r->profile.counters.pause;
	size_t guests = r->session->ndomains ? r->session->ndomains : 1;
	uint64_t wall = quality_duration(r);
	struct para p;

	if (h->count == 0)
		return;
	para_start(&p, out, r->utf8, "Pauses");
	para_item(&p, "%s of the guest%s: %s in all, %.3g%% of %s", text_count(h->count).s, guests > 1 ? "s" : "",
	          text_time(h->sum_ns).s, wall ? 100.0 * (double)h->sum_ns / (double)wall / (double)guests : 0.0,
	          text_time(wall).s);
	para_item(&p, "p50 %s, p99 %s, max %s", text_time(upf_hist_quantile(h, 500)).s,
	          text_time(upf_hist_quantile(h, 990)).s, text_time(h->max_ns).s);
	para_end(&p);
}

static void states_text(const struct vcpu_states *v, char *text, size_t size)
{
	uint64_t all = v->state[0] + v->state[1] + v->state[2] + v->state[3];

	text[0] = '\0';
	for (unsigned s = 0; s < COUNTERS_STATES; s++) {
		size_t len = strlen(text);

		if (v->state[s])
			snprintf(text + len, size - len, "%s%s %s", len ? ", " : "", text_share(v->state[s], all).s,
			         upf_state_text(s));
	}
}

static void item_vcpus(const struct report *r, struct para *p, const struct vcpu_states *from,
                       const struct vcpu_states *to, const char *text)
{
	char range[32] = "";

	if (to != from)
		snprintf(range, sizeof(range), "-%u", to->vcpu);
	if (r->session->ndomains <= 1)
		para_item(p, "vcpu %u%s: %s", from->vcpu, range, text);
	else if (from->domain < r->session->ndomains)
		para_item(p, "%.64s vcpu %u%s: %s",
		          r->session->domains[from->domain].name ? r->session->domains[from->domain].name : "?",
		          from->vcpu, range, text);
	else
		para_item(p, "unknown domain %u vcpu %u%s: %s", from->domain, from->vcpu, range, text);
}

/* Neighbours that read the same are said once: "vcpu 1-7: 100.0% blocked". */
static void print_vcpus(const struct report *r, FILE *out)
{
	size_t n;
	struct vcpu_states *v = vcpus_make(&r->profile, &n);
	char text[128], next[128];
	struct para p;

	if (!v)
		return;
	if (n > 0)
		para_start(&p, out, r->utf8, "vCPUs");
	for (size_t i = 0, j; i < n; i = j) {
		states_text(&v[i], text, sizeof(text));
		for (j = i + 1; j < n && v[j].domain == v[i].domain && v[j].vcpu == v[j - 1].vcpu + 1; j++) {
			states_text(&v[j], next, sizeof(next));
			if (strcmp(text, next) != 0)
				break;
		}
		item_vcpus(r, &p, &v[i], &v[j - 1], text);
	}
	if (n > 0)
		para_end(&p);
	free(v);
}

static void print_old(const struct report *old, FILE *out, bool utf8)
{
	const struct upf_health health = traces_health(&old->traces);
	const struct counters *t = &old->profile.counters;
	char text[256];
	struct para p;

	para_start(&p, out, utf8, "Old run");
	para_item(&p, "%s counted", text_count(profile_count(&old->profile, old->states)).s);
	if (quality_left_out(old))
		para_item(&p, "%s left out by filters", text_count(quality_left_out(old)).s);
	if (counters_lost(t))
		para_item(&p, "%s lost", text_count(counters_lost(t)).s);
	else
		para_item(&p, "none lost");
	if (!quality_sound(&health, t)) {
		quality_faults(&health, t, text, sizeof(text));
		para_item(&p, "not whole: %s", text);
	}
	para_end(&p);
}

void quality_print(const struct report *r, const struct fold *fold, FILE *out)
{
	if (r->quiet || quality_filtered_all(r))
		return;
	print_samples(r, out);
	print_stacks(r, out);
	print_user(r, out);
	print_names(r, fold, out);
	print_pauses(r, out);
	print_vcpus(r, out);
	print_trace(r, out);
	if (r->old)
		print_old(r->old, out, r->utf8);
}
