/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/quality.h"
#include "common/say.h"
#include "report/unwind/unwind.h"
#include "report/output/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 9  /* columns */
#define WIDTH 80 /* of lines that no terminal limits */

/* What the notes are about, and where they go. */
struct notes {
	const struct recording *run;
	unsigned states; /* that count */
	const struct text_out *out;
	const char *label; /* of the paragraph that is being written; NULL: none */
	int column;        /* to which its line has come */
};

static void end_paragraph(struct notes *n)
{
	if (n->label)
		fputc('\n', n->out->file);
	n->label = NULL;
}

/* Before an item of so many columns: the label, if its paragraph begins, or else a new line, or a separator. */
static void begin_item(struct notes *n, const char *label, int columns)
{
	FILE *out = n->out->file;

	if (!n->label || strcmp(n->label, label) != 0) {
		end_paragraph(n);
		n->label = label;
		n->column = fprintf(out, "%-*s", LABEL, label);
	} else if (n->column + 3 + columns > (n->out->width ? n->out->width : WIDTH)) {
		n->column = fprintf(out, "\n%*s", LABEL, "") - 1;
	} else {
		n->column += fprintf(out, "%s", n->out->utf8 ? " \u00b7 " : "; ") - (n->out->utf8 ? 1 : 0);
	}
}

/*
 * An item of the paragraph of that label. One that does not fit into the rest of the line begins the next one. On a
 * terminal, one that does not fit into a line goes on in the next; elsewhere it stays whole, for programs that search
 * it.
 */
__attribute__((format(printf, 3, 4))) static void note(struct notes *n, const char *label, const char *format, ...)
{
	char text[512], *safe;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	safe = safe_text(text);
	if (!safe)
		return;
	begin_item(n, label, text_columns(safe));
	n->column = print_words(n->out->file, safe, n->column, LABEL + 2, n->out->width);
	free(safe);
}

/* --- the trace --------------------------------------------------------------------------------------------------- */

/* Adds "12 blocks damaged" to a list with commas. */
static void append_item(char *text, size_t size, struct text number, const char *what)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s %s", len ? ", " : "", number.s, what);
}

void quality_faults(const struct upf_health *h, uint64_t bad_blocks, char *text, size_t size)
{
	uint64_t damaged = h->damaged + bad_blocks;
	uint64_t missing =
		h->missing > h->damaged ? h->missing - h->damaged : 0; /* a damaged block leaves a hole as well */
	size_t len;

	text[0] = '\0';
	if (damaged)
		append_item(text, size, text_count(damaged), damaged == 1 ? "block damaged" : "blocks damaged");
	if (missing)
		append_item(text, size, text_count(missing), missing == 1 ? "block missing" : "blocks missing");
	if (h->skipped_bytes)
		append_item(text, size, text_count(h->skipped_bytes), "bytes skipped");
	len = strlen(text);
	if (h->cut || !h->has_footer)
		snprintf(text + len, size - len, "%s%s", len ? ", " : "",
		         h->cut ? "cut off before its end"
		                : "no footer: the recorder was killed, or the end is cut off");
}

static void print_trace_notes(struct notes *n, const char *label)
{
	const struct upf_health health = traces_health(&n->run->traces);
	char text[256];

	quality_faults(&health, n->run->profile.counters.bad_blocks, text, sizeof(text));
	if (*text)
		note(n, label, "incomplete: %s", text);
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

uint64_t quality_left_out(const struct profile *p, unsigned states)
{
	return p->counters.out_of_scope + profile_left_out(p, states, WEIGHT_SAMPLES);
}

static uint64_t kept(const struct profile *p, const struct selection *s)
{
	return s->some_states ? profile_count(p, s->states) : p->counters.samples;
}

bool quality_filtered_all(const struct recording *run, const struct recording *old, const struct selection *selection)
{
	const struct profile *p = &run->profile;

	return kept(p, selection) == 0 && p->counters.samples + quality_left_out(p, selection->states) > 0 &&
	       (!old || kept(&old->profile, selection) == 0);
}

/* Does so much CPU time lack a sample that shares of it tell less? */
static bool lacks_cpu(const struct profile *p)
{
	uint64_t sum = p->counters.cpu_left_ns;

	for (size_t i = 0; i < p->nstacks; i++)
		sum += p->stacks[i].cpu_ns;
	return p->counters.cpu_left_ns > sum / 100;
}

/* Rounds a second, between the first and the last of each guest. 0: not all of them count, or rates differ. */
static double effective_rate(const struct recording *r)
{
	uint64_t ns = 0, rounds = r->profile.counters.rounds;

	if (r->profile.by_ns || r->profile.counters.covered || selection_by_record(r->traces.list[0].scope.selection))
		return 0;
	for (size_t i = 0; i < r->traces.n; i++) {
		const struct trace *t = &r->traces.list[i];

		for (size_t d = 0; t->rounds && d < upf_reader_session(t->reader)->ndomains; d++)
			if (t->rounds[d].from_ns <= t->rounds[d].to_ns)
				ns += t->rounds[d].to_ns - t->rounds[d].from_ns + r->profile.period_ns;
	}
	return ns ? (double)rounds * 1e9 / (double)ns : 0;
}

/* What samples stand for, where it is not one period of the rate that was asked for. */
static void print_rate(struct notes *n)
{
	const struct recording *run = n->run;
	const struct counters *t = &run->profile.counters;
	double asked = (double)run->traces.session.rate_mhz / 1000, rate = effective_rate(run);
	bool whole = recording_sound(run) && counters_lost(t) == 0; /* else it is said what is missing */
	bool slower = whole && rate > 0 && rate < 0.9 * asked;

	if (rate > 0 && (slower || t->throttled))
		note(n, "Rate", "requested %s Hz, effective %s Hz%s", text_count((uint64_t)(asked + 0.5)).s,
		     text_count((uint64_t)(rate + 0.5)).s, t->throttled ? " (throttled)" : "");
	else if (t->throttled)
		note(n, "Rate", "throttled: sampled less often than requested");
	if (t->unsampled_ns)
		note(n, "Rate", "%s not sampled and not counted", text_time(t->unsampled_ns).s);
	if (lacks_cpu(&run->profile))
		note(n, "Rate", "%s of CPU time has no later sample to count for", text_time(t->cpu_left_ns).s);
}

/* Time that several traces have of one guest. */
static void print_covered(struct notes *n)
{
	const struct traces *traces = &n->run->traces;

	for (size_t i = 0; i < traces->n; i++) {
		const struct trace *t = &traces->list[i];

		if (t->covered_samples) {
			char *path = safe_text(t->path), *by = safe_text(t->covered_by->path);

			note(n, "Overlap", "%s samples of %.64s not counted: the same guest and time as in %.64s",
			     text_count(t->covered_samples).s, path ? path : "?", by ? by : "?");
			free(path);
			free(by);
		}
	}
}

/* Those that do not count because of their run state. */
static void item_states(struct notes *n)
{
	const struct profile *profile = &n->run->profile;
	const char *hint = " (--state all counts them)";

	for (unsigned s = 0; s < COUNTERS_STATES; s++) {
		uint64_t samples = profile->counters.state[s] + profile->left_out[s].samples;

		if ((n->states & 1u << s) || samples == 0)
			continue;
		note(n, "Samples", "%s %s samples not counted%s", text_count(samples).s, upf_state_text(s), hint);
		hint = "";
	}
}

static void item_filtered(struct notes *n, const char *label)
{
	uint64_t left_out = quality_left_out(&n->run->profile, n->states);

	if (left_out)
		note(n, label, "%s filtered out", text_count(left_out).s);
}

static void print_sample_notes(struct notes *n)
{
	const struct counters *t = &n->run->profile.counters;

	note(n, "Samples", "%s counted", text_count(profile_count(&n->run->profile, n->states)).s);
	item_states(n);
	item_filtered(n, "Samples");
	if (counters_lost(t) == 0)
		note(n, "Samples", "none lost");
	for (unsigned i = 0; i < COUNTERS_LOST; i++)
		if (t->lost[i])
			note(n, "Samples", "%s lost: %s", text_count(t->lost[i]).s, upf_lost_text(i));
	if (t->late)
		note(n, "Samples", "%s deadline%s missed", text_count(t->late).s, t->late == 1 ? "" : "s");
}

static uint64_t of_states(const uint64_t ends[COUNTERS_STATES][COUNTERS_ENDS], unsigned states, unsigned end)
{
	return counters_sum(&ends[0][end], COUNTERS_ENDS, states);
}

static uint64_t counted(struct notes *n, const uint64_t by_state[COUNTERS_STATES])
{
	return counters_sum(by_state, 1, n->states);
}

static uint64_t ended(struct notes *n, unsigned end)
{
	return of_states(n->run->profile.counters.end, n->states, end);
}

static uint64_t user_samples(struct notes *n)
{
	uint64_t sum = 0;

	for (unsigned end = 0; end < COUNTERS_ENDS; end++)
		sum += of_states(n->run->profile.counters.user_end, n->states, end);
	return sum;
}

/* More of it is there, but was not kept. */
static bool is_truncated(unsigned end)
{
	return end == UPF_END_DEPTH || end == UPF_END_COLD || end == CHAIN_END_COPY;
}

struct quality_stacks quality_stacks(const struct counters *t, unsigned states)
{
	struct quality_stacks stacks = {.whole = of_states(t->end, states, UPF_END_ROOT)};

	for (unsigned end = 0; end < COUNTERS_ENDS; end++)
		if (end != UPF_END_ROOT && end != UPF_END_NONE)
			*(is_truncated(end) ? &stacks.truncated : &stacks.broken) += of_states(t->end, states, end);
	return stacks;
}

/*
 * Do frame pointers lead nowhere in a quarter of the stacks at least, as where there are none? Where the image tells
 * that a stack goes on where frame pointers end, that counts, too.
 */
static bool lacks_frame_pointers(struct notes *n, uint64_t all)
{
	static const uint8_t ends[] = {UPF_END_UNMAPPED, UPF_END_MISALIGNED, UPF_END_NONCANONICAL, UPF_END_DESCENDING,
	                               CHAIN_END_UNSURE};
	uint64_t broken = binaries_have_tables(&n->run->binaries) ? counted(n, n->run->profile.counters.uncertain) : 0;

	for (size_t i = 0; i < sizeof(ends); i++)
		broken += ended(n, ends[i]);
	return n->run->traces.session.tops <= UPF_TOPS_WINDOW && broken >= all / 4 + 1;
}

/* Of stacks that the recorder read in two ways: which share in which. */
static void item_ways(struct notes *n, uint64_t all)
{
	uint64_t copied = counted(n, n->run->profile.counters.copied);

	if (n->run->traces.session.tops != UPF_TOPS_MIXED)
		return;
	if (copied == 0)
		note(n, "Stacks", "all by frame pointers");
	else
		note(n, "Stacks", "%s by frame pointers, %s by copies where these failed",
		     text_share(all - copied, all).s, text_share(copied, all).s);
}

static struct text share_whole(uint64_t whole, uint64_t all)
{
	if (whole == 0)
		return (struct text){"none"};
	return whole < all ? text_share(whole, all) : (struct text){"all"};
}

static void print_stacks(struct notes *n)
{
	const struct counters *t = &n->run->profile.counters;
	uint64_t whole = ended(n, UPF_END_ROOT), missing = ended(n, UPF_END_NONE);
	uint64_t restored = counted(n, t->restored), uncertain = counted(n, t->uncertain);
	uint64_t all = profile_count(&n->run->profile, n->states) - user_samples(n) - missing;

	if (all + missing == 0)
		return;
	if (all)
		note(n, "Stacks", "%s whole", share_whole(whole, all).s);
	for (unsigned end = 1; end < COUNTERS_ENDS; end++)
		if (ended(n, end))
			note(n, "Stacks", "%s %s: %s", text_count(ended(n, end)).s,
			     end == UPF_END_NONE ? "missing"
			     : is_truncated(end) ? "truncated"
			                         : "broken",
			     chain_end_text(end));
	if (all)
		item_ways(n, all);
	if (ended(n, CHAIN_END_UNKNOWN) && n->run->traces.session.tops >= UPF_TOPS_COPY &&
	    !binaries_have_tables(&n->run->binaries))
		note(n, "Stacks", "give the guest's binary with -s FILE: its unwind tables can unwind them");
	if (lacks_frame_pointers(n, all))
		note(n, "Stacks", "if the guest was compiled without frame pointers, record with --call-graph dwarf");
	if (restored)
		note(n, "Stacks", "%s with restored callers", text_count(restored).s);
	if (uncertain)
		note(n, "Stacks", "%s may lack a caller", text_count(uncertain).s);
}

/*
 * Programs in the guest: their stacks say nothing of the kernel's, which most readers ask for, nor of how well those
 * were read.
 */
static void print_user(struct notes *n)
{
	uint64_t user = user_samples(n), whole = of_states(n->run->profile.counters.user_end, n->states, UPF_END_ROOT);

	if (user == 0)
		return;
	note(n, "User", "%s samples in user mode, %s, below [user]", text_count(user).s,
	     text_share(user, profile_count(&n->run->profile, n->states)).s);
	note(n, "User", "%s of their stacks whole", share_whole(whole, user).s);
}

/* --- names, pauses, vCPUs ---------------------------------------------------------------------------------------- */

static bool lacks_symbols(const struct program *p)
{
	return !p->has_symbols;
}

/* The guests whose program is so: "web1 and others". The first one, or NULL: there is none. */
static const struct upf_domain *guests_text(struct notes *n, bool (*is)(const struct program *p), char *text,
                                            size_t size)
{
	const struct recording *run = n->run;
	const struct upf_session *s = &run->traces.session;
	const struct upf_domain *first = NULL;
	size_t len = 0;

	for (uint32_t i = 0; i < s->ndomains; i++) {
		if (!traces_have(&run->traces, i) || !binaries_ran_any(&run->binaries, i, is))
			continue;
		if (first) {
			snprintf(text + len, size - len, " and others");
			break;
		}
		first = &s->domains[i];
		domain_text(s, i, text, size - sizeof(" and others"));
		len = strlen(text);
	}
	return first;
}

/* Which guest has no names while others have. */
static void item_nameless(struct notes *n)
{
	char guests[128];
	const struct upf_domain *first = guests_text(n, lacks_symbols, guests, sizeof(guests));

	if (first && first->name)
		note(n, "Names", "no binary of %s: -s %.64s=FILE", guests, first->name);
	else if (first)
		note(n, "Names", "no binary of %s: -s %u=FILE", guests, first->id);
}

static void item_dwarf(struct notes *n)
{
	char guests[128] = "";

	if (!binaries_lack_dwarf(&n->run->binaries))
		return;
	if (n->run->binaries.nprograms > 1)
		guests_text(n, program_lacks_dwarf, guests, sizeof(guests));
	note(n, "Names", "no inlined functions and no source lines: no debug information (DWARF) in the binary%s%s",
	     guests[0] ? " of " : "", guests);
}

/* Which guest ran something else from when on. Of several restarts, the first is told. */
static void item_restarts(struct notes *n)
{
	const struct traces *t = &n->run->traces;
	const struct binaries *b = &n->run->binaries;
	const struct boot *first = NULL;
	char guest[128];
	size_t more = 0;

	for (size_t i = 1; i < b->boots.n; i++) {
		const struct boot *boot = &b->boots.list[i];

		if (b->program_of[i] == b->program_of[i - 1] || boot->domain != boot[-1].domain ||
		    !boots_count(&b->boots, t, i - 1) || !boots_count(&b->boots, t, i))
			continue;
		more += first != NULL;
		first = first ? first : boot;
	}
	if (!first)
		return;
	domain_text(&t->session, first->domain, guest, sizeof(guest));
	note(n, "Names", "%s was started again at %.1f s%s: each boot has its own", guest,
	     (double)first->from_ns / 1e9, more ? ", and later" : "");
}

/* No address has a name: there is only [user], or code without one. */
static bool is_nameless(struct notes *n, const struct fold *fold)
{
	return fold->frames == fold->unnamed_frames && (fold->frames || user_samples(n));
}

static void print_name_notes(struct notes *n, const struct fold *fold)
{
	const struct binaries *binaries = &n->run->binaries;

	if (!fold || (fold->frames == 0 && (binaries->has_symbols || !is_nameless(n, fold))))
		return;
	if (fold->frames == 0)
		note(n, "Names", "none");
	else if (fold->unnamed == 0)
		note(n, "Names", "every address has a name");
	else
		note(n, "Names", "%s address%s without one, %s of frames (--sort address)",
		     text_count(fold->unnamed).s, fold->unnamed == 1 ? "" : "es",
		     text_share(fold->unnamed_frames, fold->frames).s);
	if (!binaries->has_symbols)
		note(n, "Names", "-s FILE gives names: the guest's binary or nm's list of it");
	else if (fold->unnamed)
		item_nameless(n);
	item_restarts(n);
	item_dwarf(n);
}

static void print_pause_notes(struct notes *n)
{
	const struct upf_hist *h = &n->run->profile.counters.pause;
	uint64_t guest_time = recording_guest_time(n->run);
	bool several = traces_domains(&n->run->traces) > 1;

	if (h->count == 0)
		return;
	note(n, "Pauses", "%s of the guest%s: %s in all, %.3g%% of %s%s", text_count(h->count).s, several ? "s" : "",
	     text_time(h->sum_ns).s, guest_time ? 100.0 * (double)h->sum_ns / (double)guest_time : 0.0,
	     several ? "their " : "", text_time(guest_time).s);
	note(n, "Pauses", "p50 %s, p99 %s, max %s", text_time(upf_hist_quantile(h, 500)).s,
	     text_time(upf_hist_quantile(h, 990)).s, text_time(h->max_ns).s);
}

static void states_text(const struct vcpu_states *v, char *text, size_t size)
{
	uint64_t all = counters_sum(v->time, 1, STATES_ALL);

	text[0] = '\0';
	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (v->time[s])
			append_item(text, size, text_share(v->time[s], all), upf_state_text(s));
}

static void item_vcpus(struct notes *n, const struct vcpu_states *from, const struct vcpu_states *to, const char *text)
{
	const struct upf_session *session = &n->run->traces.session;
	char range[32] = "";

	if (to != from)
		snprintf(range, sizeof(range), "-%u", to->vcpu);
	if (session->ndomains <= 1)
		note(n, "vCPUs", "vcpu %u%s: %s", from->vcpu, range, text);
	else if (from->domain < session->ndomains)
		note(n, "vCPUs", "%.64s vcpu %u%s: %s",
		     session->domains[from->domain].name ? session->domains[from->domain].name : "?", from->vcpu,
		     range, text);
	else
		note(n, "vCPUs", "unknown domain %u vcpu %u%s: %s", from->domain, from->vcpu, range, text);
}

/* Where those that read the same as @v[i] end, its neighbours. */
static size_t end_of_same(const struct vcpu_states *v, size_t count, size_t i)
{
	char text[128], next[128];
	size_t j = i + 1;

	states_text(&v[i], text, sizeof(text));
	for (; j < count && v[j].domain == v[i].domain && v[j].vcpu == v[j - 1].vcpu + 1; j++) {
		states_text(&v[j], next, sizeof(next));
		if (strcmp(text, next) != 0)
			break;
	}
	return j;
}

/* Neighbours that read the same are said once: "vcpu 1-7: 100.0% blocked". */
static void print_vcpus(struct notes *n)
{
	struct vcpu_list vcpus;
	char text[128];
	int rc = profile_vcpus(&n->run->profile, &vcpus);

	for (size_t i = 0, end; rc == 0 && i < vcpus.n; i = end) {
		end = end_of_same(vcpus.v, vcpus.n, i);
		states_text(&vcpus.v[i], text, sizeof(text));
		item_vcpus(n, &vcpus.v[i], &vcpus.v[end - 1], text);
	}
	hash_array_free(&vcpus.by_vcpu);
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static void print_old(struct notes *n)
{
	const struct profile *p = &n->run->profile;
	uint64_t lost = counters_lost(&p->counters);

	note(n, "Old run", "%s counted", text_count(profile_count(p, n->states)).s);
	item_filtered(n, "Old run");
	note(n, "Old run", "%s lost", lost ? text_count(lost).s : "none");
	print_trace_notes(n, "Old run");
	end_paragraph(n);
}

/* What the +- of changes rests on. */
static void print_noise(struct notes *n, const struct fold *fold)
{
	note(n, "Noise", "%s: 95%% confidence interval of a change", n->out->utf8 ? "\u00b1" : "+-");
	note(n, "Noise", "~: not significant, may be chance");
	note(n, "Noise", "old and new run tell as much as %s and %s independent samples",
	     text_count((uint64_t)fold->effective[FOLD_OLD]).s, text_count((uint64_t)fold->effective[FOLD_NEW]).s);
}

void quality_print(const struct recording *run, const struct recording *old, unsigned states, const struct fold *fold,
                   const struct text_out *out)
{
	struct notes n = {.run = run, .states = states, .out = out};

	print_sample_notes(&n);
	print_rate(&n);
	print_covered(&n);
	print_stacks(&n);
	print_user(&n);
	print_name_notes(&n, fold);
	print_pause_notes(&n);
	print_vcpus(&n);
	print_trace_notes(&n, "Trace");
	if (old && fold)
		print_noise(&n, fold);
	end_paragraph(&n);
	if (old)
		print_old(&(struct notes){.run = old, .states = states, .out = out});
}

/* A line of our own words: on a terminal broken between them. */
static void print_wrapped(const struct text_out *out, const char *text)
{
	print_words(out->file, text, 0, 0, out->width);
	fputc('\n', out->file);
}

void quality_names(const struct recording *run, unsigned states, const struct fold *fold, const struct text_out *out)
{
	struct notes n = {.run = run, .states = states, .out = out};

	if (!is_nameless(&n, fold) || (run->binaries.has_symbols && fold->frames == 0))
		return;
	if (!run->binaries.has_symbols)
		print_wrapped(out, "No names: -s FILE gives them, from the guest's binary or its /proc/kallsyms.");
	else
		print_wrapped(out, "No address has a name in the files of -s: another build, or loaded elsewhere?");
	fputc('\n', out->file);
}

void quality_no_samples(const struct profile *p, unsigned states, const struct text_out *out)
{
	const struct counters *t = &p->counters;
	uint64_t idle = t->state[UPF_BLOCKED] + t->state[UPF_OFFLINE], lost = counters_lost(t);
	uint64_t counted = profile_count(p, states);
	const struct text all = text_count(t->samples);
	char text[256];

	if (t->samples == 0 && lost)
		snprintf(text, sizeof(text), "The trace holds no samples: all %s were lost.", text_count(lost).s);
	else if (t->samples == 0)
		snprintf(text, sizeof(text), "The trace holds no samples.");
	else if (counted)
		snprintf(text, sizeof(text), "The %s samples used no CPU time; --weight samples counts them.",
		         text_count(counted).s);
	else if (idle == t->samples)
		snprintf(text, sizeof(text), "%s %s samples found a vCPU running or waiting for a CPU.",
		         quality_left_out(p, STATES_ALL) ? "What the filters leave was idle: none of these"
		                                         : "The guest was idle: none of its",
		         all.s);
	else
		snprintf(text, sizeof(text),
		         "None of the %s samples is in the run states asked for; --state all counts every one.",
		         all.s);
	print_wrapped(out, text);
	if (counted == 0 && t->samples && idle == t->samples)
		print_wrapped(out, "Use --state all to see where it waited.");
}
