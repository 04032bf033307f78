/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/view.h"
#include "report/output/text.h"
#include "report/view/quality.h"

const struct view *const views[] = {
	&view_flat,    &view_tree,       &view_peek,       &view_list, &view_folded,  &view_stacks,      &view_dump,
	&view_header,  &view_verify,     &view_flamegraph, &view_svg,  &view_heatmap, &view_perf_script, &view_pprof,
	&view_firefox, &view_speedscope, &view_callgrind,  &view_csv,  &view_json,    &view_archive,     NULL,
};

int view_load(struct report *r, const struct load_hooks *hooks)
{
	const struct load_options options = {
		.rows = r->rows, .archived = r->archive && !r->no_repair, .hooks = hooks, .progress = r->progress};
	int rc = traces_load(&r->traces, &r->profile, &options);

	return rc == 0 && r->old ? view_load(r->old, NULL) : rc;
}

struct fold_request view_request(const struct report *r)
{
	struct fold_request request = {.states = r->states, .session = r->session, .selection = r->selection};

	if (r->old) {
		request.old = &r->old->profile;
		request.old_names = &r->old->names;
		request.old_session = r->old->session;
	}
	return request;
}

struct keys view_keys(const struct report *r)
{
	struct keys keys = r->keys;

	if (keys.n)
		return keys;
	if (r->selection->group == GROUP_BY_DOMAIN ||
	    (r->selection->group == GROUP_BY_VCPU && r->session->ndomains > 1))
		keys.key[keys.n++] = KEY_DOM;
	if (r->selection->group == GROUP_BY_VCPU)
		keys.key[keys.n++] = KEY_VCPU;
	keys.key[keys.n++] = KEY_SYM;
	return keys;
}

int view_fold_loaded(struct report *r, struct fold *fold)
{
	const struct fold_request request = view_request(r);

	return fold_make(fold, &r->profile, &r->names, &request);
}

int view_fold(struct report *r, struct fold *fold)
{
	int rc = view_load(r, NULL);

	return rc == 0 ? view_fold_loaded(r, fold) : rc;
}

void view_no_samples(const struct report *r, FILE *out)
{
	const struct counters *t = &r->profile.counters;
	uint64_t idle = t->state[UPF_BLOCKED] + t->state[UPF_OFFLINE], lost = counters_lost(t);
	uint64_t counted = profile_count(&r->profile, r->states);

	if (quality_filtered_all(r))
		return;
	if (t->samples == 0 && lost)
		fprintf(out, "The trace holds no samples: all %s were lost.\n", text_count(lost).s);
	else if (t->samples == 0)
		fprintf(out, "The trace holds no samples.\n");
	else if (counted)
		fprintf(out, "The %s samples used no CPU time; --weight samples counts them.\n",
		        text_count(counted).s);
	else if (idle == t->samples)
		fprintf(out,
		        "The guest was idle: none of its %s samples found a vCPU running or waiting for a CPU.\n"
		        "Type --state all to see where it waited.\n",
		        text_count(t->samples).s);
	else
		fprintf(out, "None of the %s samples is in the run states asked for; --state all counts every one.\n",
		        text_count(t->samples).s);
}

int view_table(struct report *r, int (*print)(struct report *r, struct fold *fold))
{
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	if (fold.total || fold.old_total)
		rc = print(r, &fold);
	else
		view_no_samples(r, r->out);
	if (rc == 0 && !r->quiet && !r->nothing && !quality_filtered_all(r)) {
		fputc('\n', r->out);
		quality_print(r, &fold, r->out);
	}
	fold_free(&fold);
	return rc;
}
