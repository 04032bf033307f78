/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/vcpus.h"

#include <errno.h>
#include <stdlib.h>

struct vcpu_states *vcpu_list_find(struct vcpu_list *list, uint32_t domain, uint32_t vcpu)
{
	uint32_t id;
	int rc = hash_array_add(&list->by_vcpu, &id, vcpu, &(struct vcpu_states){.domain = domain, .vcpu = vcpu});

	return rc == 0 ? &list->v[id] : NULL;
}

int vcpu_list_add(struct vcpu_list *list, const struct vcpu_list *more)
{
	for (size_t i = 0; i < more->n; i++) {
		const struct vcpu_states *from = &more->v[i];
		struct vcpu_states *v = vcpu_list_find(list, from->domain, from->vcpu);

		if (!v)
			return -ENOMEM;
		for (unsigned s = 0; s < COUNTERS_STATES; s++) {
			v->state[s] += from->state[s];
			v->time[s] += from->time[s];
		}
	}
	return 0;
}

static int compare_vcpus(const void *va, const void *vb)
{
	const struct vcpu_states *a = va, *b = vb;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	return (a->vcpu > b->vcpu) - (a->vcpu < b->vcpu);
}

void vcpu_list_sort(struct vcpu_list *list)
{
	hash_table_free(&list->by_vcpu.table);
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare_vcpus);
}

void vcpu_list_free(struct vcpu_list *list)
{
	hash_array_free(&list->by_vcpu);
}
