/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_array.h - a growing array whose elements are found by key: the members that each of them begins with, which
 * leave no padding between them. It declares three members of the structure it is in:
 *
 *	struct edge {
 *		uint32_t from, to;
 *		uint64_t weight;
 *	};
 *	HASH_ARRAY(struct edge, edges, nedges, by_ends); -> struct edge *edges; size_t nedges; struct hash_array by_ends
 *
 *	rc = hash_array_add(&g->by_ends, &id, to, &(struct edge){from, to, 0});
 *	if (rc == 0)
 *		g->edges[id].weight += weight;
 *
 * Zero-initialise, hash_array_free() at the end. Elements may move when one is added; numbers stay.
 */
#ifndef COMMON_HASH_ARRAY_H
#define COMMON_HASH_ARRAY_H

#include "common/hash_table.h"

#include <stdlib.h>
#include <string.h>

struct hash_array {
	void *elements;
	size_t n, cap;
	struct hash_table table;
};

#define HASH_ARRAY(type, elements_, n_, name) \
	union { \
		struct hash_array name; \
		struct { \
			type *elements_; \
			size_t n_; \
		}; \
	}

/*
 * Sets the uint32_t @id to the number of the element whose key is that of the element that the last argument points
 * to, of the array's type; the key's last member is @last. False: there is none.
 */
#define hash_array_find(array, id, last, ...) \
	hash_array_find_key(array, __VA_ARGS__, sizeof(*(__VA_ARGS__)), HASH_ARRAY_KEY(last, __VA_ARGS__), id)

/* The same, but adds the element if there is none with its key. 0 or -ENOMEM, -EOVERFLOW. */
#define hash_array_add(array, id, last, ...) \
	hash_array_add_key(array, __VA_ARGS__, sizeof(*(__VA_ARGS__)), HASH_ARRAY_KEY(last, __VA_ARGS__), id)

/* Has the array an element with this key already? 1: yes; 0: no, now it has; or as hash_array_add(). */
#define hash_array_meet(array, last, ...) \
	hash_array_meet_key(array, __VA_ARGS__, sizeof(*(__VA_ARGS__)), HASH_ARRAY_KEY(last, __VA_ARGS__))

#define HASH_ARRAY_KEY(last, ...) (offsetof(__typeof__(*(__VA_ARGS__)), last) + sizeof((__VA_ARGS__)->last))

/* Removes all elements, keeps the room. */
static inline void hash_array_clear(struct hash_array *a)
{
	a->n = 0;
	hash_table_clear(&a->table);
}

static inline void hash_array_free(struct hash_array *a)
{
	free(a->elements);
	hash_table_free(&a->table);
	*a = (struct hash_array){0};
}

/*
 * Below, sizes are constants, of which nothing is left when all is inlined. Keys are read by halves of words, as most of
 * them were written: a wider read would wait until what was written is in the cache.
 */
#define HASH_ARRAY_INLINE static inline __attribute__((always_inline))

HASH_ARRAY_INLINE uint64_t hash_array_word(const uint8_t *key, size_t at, size_t size)
{
	uint32_t low = 0, high = 0;

	if (at < size)
		memcpy(&low, key + at, size - at < sizeof(low) ? size - at : sizeof(low));
	if (at + 4 < size)
		memcpy(&high, key + at + 4, size - at - 4 < sizeof(high) ? size - at - 4 : sizeof(high));
	return (uint64_t)high << 32 | low;
}

HASH_ARRAY_INLINE uint32_t hash_array_hash(const struct hash_array *a, const uint8_t *key, size_t size)
{
	uint64_t h = a->table.seed;

	for (size_t at = 16; at < size; at += 8) {
		h = (h ^ hash_array_word(key, at, size)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return hash_table_mix(h, hash_array_word(key, 0, size), hash_array_word(key, 8, size));
}

HASH_ARRAY_INLINE bool hash_array_look(const struct hash_array *a, const uint8_t *element, size_t size, size_t key,
                                       uint32_t hash, uint32_t *id)
{
	for (size_t at = hash_table_first(&a->table, hash); hash_table_id(&a->table, &at, hash, id);
	     at = hash_table_next(&a->table, at)) {
		const uint8_t *known = (const uint8_t *)a->elements + *id * size;

		if (hash_array_word(known, 0, key) == hash_array_word(element, 0, key) &&
		    hash_array_word(known, 8, key) == hash_array_word(element, 8, key) &&
		    (key <= 16 || memcmp(known + 16, element + 16, key - 16) == 0))
			return true;
	}
	return false;
}

HASH_ARRAY_INLINE bool hash_array_find_key(const struct hash_array *a, const void *element, size_t size, size_t key,
                                           uint32_t *id)
{
	return a->table.slots && hash_array_look(a, element, size, key, hash_array_hash(a, element, key), id);
}

HASH_ARRAY_INLINE int hash_array_add_key(struct hash_array *a, const void *element, size_t size, size_t key,
                                         uint32_t *id)
{
	uint32_t hash;

	if (hash_table_reserve(&a->table) != 0)
		return -ENOMEM;
	hash = hash_array_hash(a, element, key);
	if (hash_array_look(a, element, size, key, hash, id))
		return 0;
	if (a->n >= UINT32_MAX - 1)
		return -EOVERFLOW;
	if (array_room(&a->elements, &a->cap, a->n, size) != 0)
		return -ENOMEM;
	*id = (uint32_t)a->n++;
	memcpy((uint8_t *)a->elements + *id * size, element, size);
	hash_table_add(&a->table, hash, *id);
	return 0;
}

HASH_ARRAY_INLINE int hash_array_meet_key(struct hash_array *a, const void *element, size_t size, size_t key)
{
	size_t n = a->n;
	uint32_t id;
	int rc = hash_array_add_key(a, element, size, key, &id);

	return rc == 0 ? a->n == n : rc;
}

#endif
