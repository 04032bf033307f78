/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/pages.h"
#include "common/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t frame;
	const void *page; /* NULL: the hypervisor refused to map it */
};

/* Entries are only ever removed all at once, or the refused ones together. All memory is there from the start. */
struct pages {
	const struct memory_ops *ops;
	struct guest *guest;
	struct hash_table by_frame;
	struct entry *entries;
	size_t limit, used, mapped, most;
	uint64_t generation;
	uint64_t wanted[GUEST_MAP_MAX]; /* noted between two pages_fill() */
	size_t nwanted;
};

struct pages *pages_new(const struct memory_ops *ops, struct guest *guest, size_t limit)
{
	size_t room = limit < GUEST_MAP_MAX ? GUEST_MAP_MAX : limit;
	struct pages *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->ops = ops;
	p->guest = guest;
	p->limit = limit;
	p->entries = calloc(room, sizeof(*p->entries));
	if (p->entries && hash_table_init(&p->by_frame, room) == 0)
		return p;
	free(p->entries);
	free(p);
	return NULL;
}

struct pages *pages_beside(const struct pages *p, size_t limit)
{
	return pages_new(p->ops, p->guest, limit);
}

void pages_free(struct pages *p)
{
	if (!p)
		return;
	pages_drop(p);
	hash_table_free(&p->by_frame);
	free(p->entries);
	free(p);
}

/*
 * Multiply-shift hashing: one multiplication, since this runs while the guest is paused, by the table's random seed,
 * since a guest chooses the frames in its page tables.
 */
static uint32_t hash_frame(const struct pages *p, uint64_t frame)
{
	return (uint32_t)(frame * (p->by_frame.seed | 1) >> 32);
}

static const struct entry *find_page(const struct pages *p, uint64_t frame)
{
	uint32_t hash = hash_frame(p, frame), id;

	for (size_t at = hash_table_first(&p->by_frame, hash); hash_table_id(&p->by_frame, &at, hash, &id);
	     at = hash_table_next(&p->by_frame, at))
		if (p->entries[id].frame == frame)
			return &p->entries[id];
	return NULL;
}

static void note_page(struct pages *p, uint64_t frame)
{
	for (size_t i = 0; i < p->nwanted; i++)
		if (p->wanted[i] == frame)
			return;
	if (p->nwanted < GUEST_MAP_MAX)
		p->wanted[p->nwanted++] = frame;
}

int pages_find(struct pages *p, uint64_t frame, const void **page)
{
	const struct entry *entry = find_page(p, frame);

	if (!entry) {
		note_page(p, frame);
		return -EAGAIN;
	}
	*page = entry->page;
	return entry->page ? 0 : -EIO;
}

bool pages_remote(const struct pages *p)
{
	return p->ops->copy != NULL;
}

void pages_plan(struct pages *p, uint32_t vcpu, const struct iovec *to, const struct iovec *from, size_t nfrom)
{
	if (p->ops->plan)
		p->ops->plan(p->guest, vcpu, to, from, nfrom);
}

int pages_copy(struct pages *p, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom)
{
	return p->ops->copy(p->guest, to, nto, from, nfrom);
}

int pages_read(struct pages *p, const void *page, uint32_t offset, void *to, uint32_t size)
{
	const uint8_t *at = (const uint8_t *)page + offset;

	if (!pages_remote(p)) {
		memcpy(to, at, size);
		return 0;
	}
	return pages_copy(p, &(struct iovec){to, size}, 1, &(struct iovec){(void *)(uintptr_t)at, size}, 1) == 0
	               ? 0
	               : -EIO;
}

static void remember_page(struct pages *p, uint64_t frame, const void *page)
{
	hash_table_add(&p->by_frame, hash_frame(p, frame), (uint32_t)p->used);
	p->entries[p->used++] = (struct entry){frame, page};
	p->mapped += page != NULL;
	if (p->mapped > p->most)
		p->most = p->mapped;
}

int pages_fill(struct pages *p)
{
	const void *got[GUEST_MAP_MAX];
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
		remember_page(p, p->wanted[i], got[i]);
		fresh += got[i] != NULL;
	}
	return fresh;
}

static void forget_all(struct pages *p)
{
	hash_table_clear(&p->by_frame);
	p->used = p->mapped = 0;
	p->generation++;
}

void pages_drop(struct pages *p)
{
	for (size_t i = 0; i < p->used; i++)
		if (p->entries[i].page)
			p->ops->unmap(p->guest, p->entries[i].page);
	forget_all(p);
}

/* Removing single entries would break the table's probing: what is mapped is put in again. */
void pages_retry(struct pages *p)
{
	size_t n = p->used;

	if (p->used == p->mapped)
		return;
	forget_all(p);
	for (size_t i = 0; i < n; i++)
		if (p->entries[i].page)
			remember_page(p, p->entries[i].frame, p->entries[i].page);
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
