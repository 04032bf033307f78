/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_table.h - finds by key whatever is kept only once: nodes, stacks, addresses, functions, mapped pages.
 *
 * It maps hashes to ids, from 0. The things themselves are elements of an array of the caller, who compares them:
 *
 *	hash_table_reserve(t);
 *	hash = hash_table_hash(t, key, 0);
 *	for (size_t at = hash_table_first(t, hash); hash_table_id(t, &at, hash, &id); at = hash_table_next(t, at))
 *		if (same(things[id], key))
 *			return id;
 *
 * hash_table_id() skips slots of other hashes by itself: it moves @at. Each table has a random seed, so that nobody
 * can make a trace or a file whose keys collide. Slots lie in one array with linear probing, at most two thirds full;
 * single ids cannot be removed. (The encoder alone has hash_chains.h, which says why.)
 */
#ifndef COMMON_HASH_TABLE_H
#define COMMON_HASH_TABLE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_table_slot {
	uint32_t hash;
	uint32_t id_1; /* id + 1; 0: free */
};

/* Zero-initialise, call hash_table_reserve() before the first look, hash_table_free() at the end. */
struct hash_table {
	struct hash_table_slot *slots;
	size_t mask;
	size_t used;
	uint64_t seed;
};

/*
 * For code that must not allocate later: allocates room for @n ids. Up to @n ids, hash_table_reserve() is not needed
 * and no slot moves. 0 or -ENOMEM.
 */
int hash_table_init(struct hash_table *t, size_t n);

int hash_table_grow(struct hash_table *t); /* what hash_table_reserve() does when there is no room */

/*
 * Makes room for one more id; 0 or -ENOMEM. May choose the seed and move slots: call it before hash_table_hash() and
 * hash_table_first().
 */
static inline int hash_table_reserve(struct hash_table *t)
{
	return t->slots && (t->used + 1) * 3 <= (t->mask + 1) * 2 ? 0 : hash_table_grow(t);
}

/* Adds an id that is not in the table, where hash_table_reserve() or hash_table_init() made room. */
void hash_table_add(struct hash_table *t, uint32_t hash, uint32_t id);
void hash_table_clear(struct hash_table *t); /* removes all ids, keeps the room and the seed */
void hash_table_free(struct hash_table *t);

uint32_t hash_table_hash_text(const struct hash_table *t, const char *text, size_t len);

static inline uint32_t hash_table_mix(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ seed) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32 ^ b) * 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return (uint32_t)((x * 0xd6e8feb86659fd93u) >> 32);
}

static inline uint32_t hash_table_hash(const struct hash_table *t, uint64_t a, uint64_t b)
{
	return hash_table_mix(t->seed, a, b);
}

static inline size_t hash_table_first(const struct hash_table *t, uint32_t hash)
{
	return hash & t->mask;
}

static inline size_t hash_table_next(const struct hash_table *t, size_t at)
{
	return (at + 1) & t->mask;
}

/* Asks the processor for the slot where a look for @hash begins. */
static inline void hash_table_prefetch(const struct hash_table *t, uint32_t hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[hash & t->mask]);
}

static inline bool hash_table_id(const struct hash_table *t, size_t *at, uint32_t hash, uint32_t *id)
{
	for (; t->slots[*at].id_1 != 0; *at = hash_table_next(t, *at)) {
		if (t->slots[*at].hash == hash) {
			*id = t->slots[*at].id_1 - 1;
			return true;
		}
	}
	return false;
}

#endif
