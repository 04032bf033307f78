/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/vcputab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/upf.h"

int vcputab_init(struct vcputab *t, size_t slots)
{
	t->slots = calloc(slots, sizeof(*t->slots));
	t->mask = slots - 1;
	t->used = 0;
	return t->slots ? 0 : -ENOMEM;
}

void vcputab_clear(struct vcputab *t)
{
	memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
	t->used = 0;
}

void vcputab_shrink(struct vcputab *t)
{
	if (t->mask >= 127 && t->used * 8 <= t->mask)
		t->mask /= 2;
	vcputab_clear(t);
}

void vcputab_free(struct vcputab *t)
{
	free(t->slots);
	t->slots = NULL;
}

static struct vcpu_slot *place(const struct vcputab *t, uint32_t key)
{
	size_t i = (key * 0x9e3779b1u) >> 7 & t->mask;

	while (t->slots[i].key != 0 && t->slots[i].key != key)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

int vcputab_grow(struct vcputab *t, size_t more)
{
	struct vcputab larger;
	size_t slots = t->mask + 1;

	if ((t->used + more) * 2 <= slots)
		return 0;
	while (slots < (t->used + more) * 2)
		slots *= 2;
	if (vcputab_init(&larger, slots) != 0)
		return -ENOMEM;
	for (size_t i = 0; i <= t->mask; i++)
		if (t->slots[i].key)
			*place(&larger, t->slots[i].key) = t->slots[i];
	larger.used = t->used;
	vcputab_free(t);
	*t = larger;
	return 0;
}

struct vcpu_slot *vcputab_get(struct vcputab *t, uint32_t domain, uint32_t vcpu)
{
	uint32_t key = domain * UPF_VCPUS_MAX + vcpu + 1;
	struct vcpu_slot *slot = place(t, key);

	if (slot->key == 0) {
		slot->key = key;
		t->used++;
	}
	return slot;
}
