/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WANTED_MAX 64 /* frames noted between two pages_fill() */

struct slot {
	uint64_t frame;   /* + 1, 0: empty */
	const void *page; /* NULL: refused */
};

/* An open hash table with linear probing, never more than half full; slots are only ever removed all at once. */
struct pages {
	const struct hypervisor_ops *ops;
	struct guest *guest;
	struct slot *slots;
	size_t mask, limit, used, mapped, most;
	uint64_t generation;
	uint64_t wanted[WANTED_MAX];
	size_t nwanted;
};

struct pages *pages_new(const struct hypervisor_ops *ops, struct guest *guest, size_t limit)
{
	struct pages *p = calloc(1, sizeof(*p));
	size_t slots = 64;

	if (!p)
		return NULL;
	while (slots < 2 * limit)
		slots *= 2;
	p->ops = ops;
	p->guest = guest;
	p->limit = limit;
	p->mask = slots - 1;
	p->slots = calloc(slots, sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return NULL;
	}
	return p;
}

void pages_free(struct pages *p)
{
	if (!p)
		return;
	pages_drop(p);
	free(p->slots);
	free(p);
}

/* The frame's slot, or the empty one where it belongs. */
static struct slot *slot_of(struct pages *p, uint64_t frame)
{
	size_t i = (frame * 0x9e3779b97f4a7c15ull) >> 32 & p->mask;

	while (p->slots[i].frame != 0 && p->slots[i].frame != frame + 1)
		i = (i + 1) & p->mask;
	return &p->slots[i];
}

static void note(struct pages *p, uint64_t frame)
{
	for (size_t i = 0; i < p->nwanted; i++)
		if (p->wanted[i] == frame)
			return;
	if (p->nwanted < WANTED_MAX)
		p->wanted[p->nwanted++] = frame;
}

int pages_find(struct pages *p, uint64_t frame, const void **page)
{
	const struct slot *slot = slot_of(p, frame);

	if (slot->frame == 0) {
		note(p, frame);
		return -EAGAIN;
	}
	*page = slot->page;
	return slot->page ? 0 : -EIO;
}

static void remember(struct pages *p, uint64_t frame, const void *page)
{
	struct slot *slot = slot_of(p, frame);

	slot->frame = frame + 1;
	slot->page = page;
	p->used++;
	p->mapped += page != NULL;
	if (p->mapped > p->most)
		p->most = p->mapped;
}

int pages_fill(struct pages *p)
{
	const void *got[WANTED_MAX];
	size_t n = p->nwanted;
	int fresh = 0, rc;

	p->nwanted = 0;
	if (n == 0)
		return 0;
	if (p->used + n > p->limit)
		pages_drop(p);
	rc = p->ops->map(p->guest, p->wanted, n, got);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		remember(p, p->wanted[i], got[i]);
		fresh += got[i] != NULL;
	}
	return fresh;
}

void pages_drop(struct pages *p)
{
	for (size_t i = 0; i <= p->mask; i++)
		if (p->slots[i].page)
			p->ops->unmap(p->guest, p->slots[i].page);
	memset(p->slots, 0, (p->mask + 1) * sizeof(*p->slots));
	p->used = p->mapped = 0;
	p->generation++;
}

/* Removing single slots would break the probing: what is mapped is put in again. */
void pages_retry(struct pages *p)
{
	struct slot *old = p->slots, *fresh;

	if (p->used == p->mapped)
		return;
	fresh = calloc(p->mask + 1, sizeof(*fresh));
	if (!fresh)
		return;
	p->slots = fresh;
	p->used = p->mapped = 0;
	for (size_t i = 0; i <= p->mask; i++)
		if (old[i].page)
			remember(p, old[i].frame - 1, old[i].page);
	free(old);
}

uint64_t pages_generation(const struct pages *p)
{
	return p->generation;
}

size_t pages_mapped(const struct pages *p)
{
	return p->mapped;
}

size_t pages_most(const struct pages *p)
{
	return p->most;
}
