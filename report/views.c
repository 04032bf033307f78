/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view.h"
#include "report/text.h"
#include "report/trust.h"

const struct view *const views[] = {
	&view_flat, &view_tree, &view_folded, &view_stacks, &view_dump, &view_header, &view_verify,
	&view_flamegraph, &view_svg, &view_heatmap, &view_perf_script, NULL,
};

int view_load(struct report *r, const struct load_hooks *hooks)
{
	int rc = traces_load(&r->traces, &r->profile, r->rows, hooks);

	return rc == 0 && r->old ? view_load(r->old, NULL) : rc;
}

int view_fold_loaded(struct report *r, struct fold *fold)
{
	struct fold_request request = {.states = r->states, .session = r->session, .selection = r->selection};

	if (r->old) {
		request.old = &r->old->profile;
		request.old_names = &r->old->names;
		request.old_session = r->old->session;
	}
	return fold_make(fold, &r->profile, &r->names, &request);
}

int view_fold(struct report *r, struct fold *fold)
{
	int rc = view_load(r, NULL);

	return rc == 0 ? view_fold_loaded(r, fold) : rc;
}

void view_no_samples(const struct report *r, FILE *out)
{
	const struct tally *t = &r->profile.tally;
	uint64_t idle = t->state[UPF_BLOCKED] + t->state[UPF_OFFLINE];

	if (t->samples == 0)
		fprintf(out, "The trace holds no samples.\n");
	else if (idle == t->samples)
		fprintf(out, "The guest was idle: none of its %s samples found a vCPU running or waiting for a CPU.\n"
		        "Type --state all to see where it waited.\n", text_count(t->samples).s);
	else
		fprintf(out, "None of the %s samples is in the run states asked for; --state all counts every one.\n",
		        text_count(t->samples).s);
}

int view_table(struct report *r, int (*print)(const struct report *r, struct fold *fold))
{
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	if (fold.samples)
		rc = print(r, &fold);
	else
		view_no_samples(r, r->out);
	if (rc == 0 && !r->quiet) {
		fputc('\n', r->out);
		trust_print(r, &fold, r->out);
	}
	fold_free(&fold);
	return rc;
}
