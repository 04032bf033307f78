/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_chains.h - the hash table of the trace's encoder: little memory, all of it from the start, and cheap to clear.
 *
 * It holds the first id of each chain; the caller's things hold the next one, 0 ends a chain, so ids begin at 1:
 *
 *	uint32_t *head = hash_chain(c, hash);
 *	for (id = *head; id && !same(things[id], key); id = things[id].next)
 *		;
 *	to add:	things[id].next = *head; *head = id;
 *
 * All else uses hash_table.h. The encoder does not, because it was measured: with the room that 65,536 nodes need at
 * two thirds full, encoding a sample takes 11 % more instructions, clearing the table for a block of 1,000 samples
 * 955,000 instead of 44,000, and each of the four encoders 1 MiB of locked memory instead of 288 KiB.
 */
#ifndef COMMON_HASH_CHAINS_H
#define COMMON_HASH_CHAINS_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct hash_chains {
	uint32_t *heads;
	unsigned shift; /* what is left of a hash's 64 bits is the chain's number */
};

/* 2^@bits chains, 1 to 31. 0 or -ENOMEM. */
static inline int hash_chains_init(struct hash_chains *c, unsigned bits)
{
	c->shift = 64 - bits;
	c->heads = calloc((size_t)1 << bits, sizeof(*c->heads));
	return c->heads ? 0 : -ENOMEM;
}

static inline void hash_chains_free(struct hash_chains *c)
{
	free(c->heads);
	c->heads = NULL;
}

static inline void hash_chains_clear(struct hash_chains *c)
{
	memset(c->heads, 0, sizeof(*c->heads) << (64 - c->shift));
}

/* The head of the chain for @hash, whose highest bits count. */
static inline uint32_t *hash_chain(const struct hash_chains *c, uint64_t hash)
{
	return &c->heads[hash >> c->shift];
}

#endif
