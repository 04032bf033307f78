/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/vcpus.h"

#include <stdlib.h>

struct vcpu_list {
	struct vcpu_states *v;
	size_t n, cap;
	struct intern index;
};

static struct vcpu_states *find(struct vcpu_list *list, uint32_t domain, uint16_t vcpu)
{
	uint32_t hash, id;

	if (intern_reserve(&list->index) != 0)
		return NULL;
	hash = intern_hash(&list->index, domain, vcpu);
	for (size_t at = intern_first(&list->index, hash); intern_id(&list->index, &at, hash, &id);
	     at = intern_next(&list->index, at))
		if (list->v[id].domain == domain && list->v[id].vcpu == vcpu)
			return &list->v[id];
	if (array_room(&list->v, &list->cap, list->n, sizeof(*list->v)) != 0)
		return NULL;
	list->v[list->n] = (struct vcpu_states){.domain = domain, .vcpu = vcpu};
	intern_add(&list->index, hash, (uint32_t)list->n);
	return &list->v[list->n++];
}

static int compare(const void *va, const void *vb)
{
	const struct vcpu_states *a = va, *b = vb;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	return (a->vcpu > b->vcpu) - (a->vcpu < b->vcpu);
}

struct vcpu_states *vcpus_make(const struct profile *p, size_t *n)
{
	struct vcpu_list list = {0};

	*n = 0;
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];
		struct vcpu_states *v = find(&list, s->domain, s->vcpu);

		if (!v) {
			free(list.v);
			intern_free(&list.index);
			return NULL;
		}
		v->state[s->state] += s->samples;
	}
	intern_free(&list.index);
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), compare);
	*n = list.n;
	return list.v;
}
