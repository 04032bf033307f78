/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_SLOTS 1024u

static uint64_t choose_seed(const struct hash_table *t)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)t;
	return seed;
}

int hash_table_init(struct hash_table *t, size_t n)
{
	size_t slots = FIRST_SLOTS / 16;

	if (n > UINT32_MAX)
		return -ENOMEM;
	while (slots / 3 * 2 < n)
		slots *= 2;
	*t = (struct hash_table){.slots = calloc(slots, sizeof(*t->slots)), .mask = slots - 1};
	t->seed = choose_seed(t);
	return t->slots ? 0 : -ENOMEM;
}

int hash_table_grow(struct hash_table *t)
{
	size_t n = t->slots ? (t->mask + 1) * 2 : FIRST_SLOTS;
	struct hash_table_slot *old = t->slots, *slots = calloc(n, sizeof(*slots));
	size_t old_n = old ? t->mask + 1 : 0;

	if (!slots)
		return -ENOMEM;
	if (!old)
		t->seed = choose_seed(t);
	t->slots = slots;
	t->mask = n - 1;
	t->used = 0;
	for (size_t i = 0; i < old_n; i++)
		if (old[i].id_1 != 0)
			hash_table_add(t, old[i].hash, old[i].id_1 - 1);
	free(old);
	return 0;
}

void hash_table_add(struct hash_table *t, uint32_t hash, uint32_t id)
{
	size_t at = hash_table_first(t, hash);

	while (t->slots[at].id_1 != 0)
		at = hash_table_next(t, at);
	t->slots[at] = (struct hash_table_slot){.hash = hash, .id_1 = id + 1};
	t->used++;
}

void hash_table_clear(struct hash_table *t)
{
	if (t->used)
		memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
	t->used = 0;
}

void hash_table_free(struct hash_table *t)
{
	free(t->slots);
	*t = (struct hash_table){0};
}

uint32_t hash_table_hash_text(const struct hash_table *t, const char *text, size_t len)
{
	uint64_t word, h = t->seed;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	word = 0;
	if (len)
		memcpy(&word, text, len);
	return hash_table_mix(h, word, len);
}
