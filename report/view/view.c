/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/view.h"
#include "common/say.h"
#include "report/fold/batches.h"
#include "report/view/quality.h"

#include <errno.h>
#include <unistd.h>

/* Afterwards only --sort time still needs stacks of different times apart. */
static int measure_noise(const struct report *r, struct recording *run)
{
	const struct report alone = {.selection = r->selection, .run = run};
	const struct fold_request request = view_request(&alone);
	int rc = batches_measure(&run->profile, &request);

	return rc == 0 && !r->selection->quantum_ns ? profile_forget_slots(&run->profile) : rc;
}

static int load_run(const struct report *r, struct recording *run, const struct load_hooks *hooks)
{
	int rc = recording_load(run, hooks, r->progress);

	return rc == 0 && r->selection->noise ? measure_noise(r, run) : rc;
}

/* A new run without a sample that counts would make everything of the old one look gone. */
static bool has_nothing(const struct report *r)
{
	const struct profile *p = &r->run->profile, *old = &r->old->profile;
	unsigned states = r->selection->states;

	return profile_count(p, states) == 0 && profile_left_out(p, states, WEIGHT_SAMPLES) == 0 &&
	       profile_count(old, states) > 0;
}

int view_load(const struct report *r, const struct load_hooks *hooks)
{
	int rc = load_run(r, r->run, hooks);

	if (rc == 0 && r->old)
		rc = load_run(r, r->old, NULL);
	return rc == 0 && r->old && has_nothing(r) ? -ENODATA : rc;
}

struct fold_request view_request(const struct report *r)
{
	struct fold_request request = {.selection = r->selection};
	struct recording *const runs[] = {[FOLD_NEW] = r->run, [FOLD_OLD] = r->old};

	for (unsigned i = 0; i < FOLD_RUNS; i++) {
		if (!runs[i])
			continue;
		request.run[i].profile = &runs[i]->profile;
		request.run[i].names = &runs[i]->names;
		request.run[i].session = &runs[i]->traces.session;
	}
	return request;
}

struct keys view_keys(const struct report *r)
{
	const struct fold_request request = view_request(r);
	struct keys keys = r->options->keys;
	enum group group = r->selection->group;

	if (keys.n)
		return keys;
	if (group != GROUP_BY_NEED && fold_tells_domains(&request))
		keys.key[keys.n++] = KEY_DOM;
	if (group == GROUP_BY_VCPU)
		keys.key[keys.n++] = KEY_VCPU;
	if (group == GROUP_BY_SPACE)
		keys.key[keys.n++] = KEY_SPACE;
	keys.key[keys.n++] = KEY_SYM;
	return keys;
}

double view_limit(const struct view_options *options, double otherwise)
{
	return (options->percent_limit >= 0 ? options->percent_limit : otherwise) / 100;
}

int view_fold(const struct report *r, const struct load_hooks *hooks, bool page,
              int (*show)(const struct report *r, struct fold *fold, void *ctx), void *ctx)
{
	int rc = view_load(r, hooks);
	struct fold_request request = view_request(r);
	struct fold fold;

	request.page = page;
	if (rc == 0)
		rc = fold_make(&fold, &request);
	if (rc != 0)
		return rc;
	if (page)
		rc = fold_sort(&fold, &r->run->names, FOLD_BY_NAME);
	if (rc == 0)
		rc = show(r, &fold, ctx);
	fold_free(&fold);
	return rc;
}

/* --- stacks ------------------------------------------------------------------------------------------------------ */

static void put_hex(FILE *out, uint64_t n)
{
	char text[18];
	char *at = text + sizeof(text) - 1;

	*at = '\0';
	do
		*--at = "0123456789abcdef"[n & 15];
	while ((n >>= 4) != 0);
	fputs_unlocked("0x", out);
	fputs_unlocked(at, out);
}

static void print_frame(const struct report *r, const struct callchain_frame *f)
{
	if (r->run->names.functions[f->function].named) {
		fputs_unlocked(r->run->names.functions[f->function].name, r->out.file);
		if (!f->is_outside) {
			putc_unlocked('+', r->out.file);
			put_hex(r->out.file, f->offset);
		}
	} else {
		put_hex(r->out.file, f->address);
	}
}

void view_frames(const struct report *r, const struct callchain *c, const char *restored, const char *separator)
{
	for (size_t i = c->n; i-- > 0;) {
		print_frame(r, &c->frames[i]);
		if (c->frames[i].restored)
			fputs_unlocked(restored, r->out.file);
		fputs_unlocked(separator, r->out.file);
	}
}

/* --- notes ------------------------------------------------------------------------------------------------------- */

static bool has_filtered_all(const struct report *r)
{
	return quality_filtered_all(r->run, r->old, r->selection);
}

static void print_notes(const struct report *r, const struct fold *fold, const struct text_out *out)
{
	quality_print(r->run, r->old, r->selection->states, fold, out);
}

/* If the filters left no sample, main() says so. */
static void print_no_samples(const struct report *r, const struct text_out *out)
{
	if (!has_filtered_all(r))
		quality_no_samples(&r->run->profile, r->selection->states, out);
}

static int show_table(const struct report *r, struct fold *fold, const struct view *view, struct view_result *found)
{
	int rc = 0;

	if (!r->options->quiet && fold->samples)
		quality_names(r->run, r->selection->states, fold, &r->out);
	if (fold->total[FOLD_NEW] || fold->total[FOLD_OLD])
		rc = view->table(r, fold, found);
	else
		print_no_samples(r, &r->out);
	if (rc == 0 && !r->options->quiet && !found->nothing && !has_filtered_all(r)) {
		fputc('\n', r->out.file);
		print_notes(r, fold, &r->out);
	}
	return rc;
}

struct showing {
	const struct view *view;
	struct view_result *found;
};

static int show_fold(const struct report *r, struct fold *fold, void *ctx)
{
	const struct showing *s = ctx;

	return s->view->table ? show_table(r, fold, s->view, s->found) : s->view->write(r, fold);
}

int view_run(const struct view *view, const struct report *r, struct view_result *found)
{
	if (view->run)
		return view->run(r, found);
	return view_fold(r, NULL, view->page, show_fold, &(struct showing){view, found});
}

/* Messages go where the terminal or its pager is. */
static struct text_out on_stderr(const struct report *r)
{
	return (struct text_out){.file = stderr,
	                         .utf8 = r->out.utf8,
	                         .width = r->out.width ? r->out.width : terminal_columns(STDERR_FILENO)};
}

void view_notes(const struct report *r, const struct fold *fold)
{
	const struct text_out out = on_stderr(r);

	fflush(r->out.file);
	if (!r->options->quiet && !has_filtered_all(r))
		print_notes(r, fold, &out);
}

void view_end(const struct report *r, const struct fold *fold, uint64_t samples)
{
	const struct text_out out = on_stderr(r);

	fflush(r->out.file);
	if (samples == 0 && !r->options->quiet)
		print_no_samples(r, &out);
	view_notes(r, fold);
}

int view_exported(const struct report *r, int rc)
{
	if (rc == 0)
		view_end(r, NULL, profile_count(&r->run->profile, r->selection->states));
	return rc;
}
