/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intern.h - the hash index behind everything that is kept once: nodes, stacks, addresses, functions.
 *
 * It maps hashes to ids, 0 upwards; the things themselves stand in an array of the caller, who compares them:
 *
 *	intern_reserve(t);
 *	hash = intern_hash(t, key, 0);
 *	for (size_t at = intern_first(t, hash); intern_id(t, &at, hash, &id); at = intern_next(t, at))
 *		if (same(things[id], key))
 *			return id;
 *
 * intern_id() passes over slots of other hashes by itself: it moves @at. Hashes are seeded anew in every index, so that no
 * trace can be made to collide.
 */
#ifndef REPORT_INTERN_H
#define REPORT_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_slot {
	uint32_t hash;
	uint32_t id_1; /* id + 1; 0: free */
};

/* Zero-initialise, intern_reserve() before the first look, intern_free() at the end. */
struct intern {
	struct intern_slot *slots;
	size_t mask;
	size_t used;
	uint64_t seed;
};

int intern_grow(struct intern *t); /* what intern_reserve() does when there is no room */

/* Room for one more; 0 or -ENOMEM. Chooses the seed and moves slots: comes before intern_hash() and intern_first(). */
static inline int intern_reserve(struct intern *t)
{
	return t->slots && (t->used + 1) * 3 <= (t->mask + 1) * 2 ? 0 : intern_grow(t);
}

/* Adds an id that is not there, in the room that intern_reserve() made. */
void intern_add(struct intern *t, uint32_t hash, uint32_t id);
void intern_clear(struct intern *t); /* forgets all, keeps the room */
void intern_free(struct intern *t);

uint32_t intern_hash_text(const struct intern *t, const char *text, size_t len);

static inline uint32_t intern_mix(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ seed) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32 ^ b) * 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return (uint32_t)((x * 0xd6e8feb86659fd93u) >> 32);
}

static inline uint32_t intern_hash(const struct intern *t, uint64_t a, uint64_t b)
{
	return intern_mix(t->seed, a, b);
}

static inline size_t intern_first(const struct intern *t, uint32_t hash)
{
	return hash & t->mask;
}

static inline size_t intern_next(const struct intern *t, size_t at)
{
	return (at + 1) & t->mask;
}

static inline bool intern_id(const struct intern *t, size_t *at, uint32_t hash, uint32_t *id)
{
	for (; t->slots[*at].id_1 != 0; *at = intern_next(t, *at)) {
		if (t->slots[*at].hash == hash) {
			*id = t->slots[*at].id_1 - 1;
			return true;
		}
	}
	return false;
}

/* *@array of @size bytes an element has room for element @n afterwards; 0 or -ENOMEM. *@cap in elements. */
int array_room(void *array, size_t *cap, size_t n, size_t size);

#endif
