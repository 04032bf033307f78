/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/flame_view.h"

/* Domains, vCPUs and address spaces are separate where --folded has them separate. */
static struct display_stacks grouped_stacks(const struct report *r, struct recording *run)
{
	const struct fold_request request = view_request(r);
	const enum group group = r->selection->group;

	return (struct display_stacks){
		.profile = &run->profile,
		.names = &run->names,
		.common = &r->run->names,
		.session = &run->traces.session,
		.domains = fold_tells_domains(&request),
		.vcpus = group == GROUP_BY_VCPU,
		.spaces = group == GROUP_BY_SPACE,
	};
}

int flame_view_make(const struct report *r, struct flame *flame, uint32_t *stack_of, uint32_t *moved)
{
	const enum weight weight = r->selection->weight;
	struct display_stacks stacks = grouped_stacks(r, r->run);
	int rc = flame_add(flame, &stacks, r->selection->states, weight, FLAME_NEW, stack_of);

	if (rc == 0 && r->old) {
		stacks = grouped_stacks(r, r->old);
		rc = flame_add(flame, &stacks, r->selection->states, weight, FLAME_OLD, NULL);
	}
	return rc == 0 ? flame_finish(flame, &r->run->names, moved) : rc;
}

int flame_view_run(const struct report *r,
                   int (*write)(const struct report *r, const struct fold *fold, const struct flame *flame))
{
	struct flame flame = {0};
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	rc = flame_view_make(r, &flame, NULL, NULL);
	if (rc == 0)
		rc = write(r, &fold, &flame);
	if (rc == 0)
		view_end(r, &fold, fold.samples);
	flame_free(&flame);
	fold_free(&fold);
	return rc;
}
