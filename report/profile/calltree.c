/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 8 /* nodes: as long as memory takes to answer */

int calltree_init(struct calltree *t)
{
	*t = (struct calltree){0};
	if (array_room(&t->nodes, &t->cap, 0, sizeof(*t->nodes)) != 0)
		return -ENOMEM;
	t->nodes[0] = (struct call_node){0};
	t->n = 1;
	return 0;
}

void calltree_clear(struct calltree *t)
{
	t->n = 1;
	t->has_programs = false;
	hash_table_clear(&t->index);
}

void calltree_free(struct calltree *t)
{
	free(t->nodes);
	hash_table_free(&t->index);
	strings_free(&t->functions);
	*t = (struct calltree){0};
}

int calltree_append(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node)
{
	int rc = t->n < UINT32_MAX - 1 ? array_room(&t->nodes, &t->cap, t->n, sizeof(*t->nodes)) : -EOVERFLOW;

	if (rc != 0)
		return rc;
	*node = (uint32_t)t->n++;
	t->nodes[*node] = (struct call_node){.address = address, .parent = parent, .flags = flags & 15u};
	t->has_programs |= flags & CALLTREE_PROGRAM;
	return 0;
}

/* Of the node for @address below one whose hash is @above. */
static uint32_t hash_below(const struct calltree *t, uint32_t above, uint64_t address, uint8_t flags)
{
	return hash_table_hash(&t->index, address, above << 4 | flags) >> 4;
}

static int find_child(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t hash,
                      uint32_t *node)
{
	uint32_t id;
	int rc;

	for (size_t at = hash_table_first(&t->index, hash); hash_table_id(&t->index, &at, hash, &id);
	     at = hash_table_next(&t->index, at)) {
		if (t->nodes[id].address == address && t->nodes[id].parent == parent && t->nodes[id].flags == flags) {
			*node = id;
			return 0;
		}
	}
	rc = calltree_append(t, parent, address, flags, node);
	if (rc != 0)
		return rc;
	t->nodes[*node].hash = hash & (UINT32_MAX >> 4);
	hash_table_add(&t->index, hash, *node);
	return 0;
}

int calltree_child(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node)
{
	int rc = hash_table_reserve(&t->index);

	return rc == 0 ? find_child(t, parent, address, flags, hash_below(t, t->nodes[parent].hash, address, flags),
	                            node)
	               : rc;
}

int calltree_program(struct calltree *t, uint32_t program, uint32_t *node)
{
	*node = 0;
	return program == 0 ? 0 : calltree_child(t, 0, program, CALLTREE_PROGRAM, node);
}

int calltree_function(struct calltree *t, const char *name, uint32_t *function)
{
	const size_t n = t->functions.n;
	int rc = strings_add(&t->functions, name, function);

	if (rc == 0 && t->functions.n > n)
		t->function_bytes += strlen(t->functions.texts[n]) + sizeof(*t->functions.texts);
	return rc;
}

uint32_t calltree_program_of(const struct calltree *t, uint32_t node)
{
	if (!t->has_programs || node == 0)
		return 0;
	while (t->nodes[node].parent != 0)
		node = t->nodes[node].parent;
	return t->nodes[node].flags & CALLTREE_PROGRAM ? (uint32_t)t->nodes[node].address : 0;
}

/* The numbers here of @part's functions of the host. NULL: no memory. */
static uint32_t *map_functions(struct calltree *t, const struct calltree *part)
{
	uint32_t *map = malloc((part->functions.n + 1) * sizeof(*map));

	for (size_t i = 0; map && i < part->functions.n; i++) {
		if (calltree_function(t, part->functions.texts[i], &map[i]) != 0) {
			free(map);
			return NULL;
		}
	}
	return map;
}

static uint64_t mapped_address(const struct call_node *node, const uint32_t *functions)
{
	if (!(node->flags & CALLTREE_OUTSIDE) || node->address < CALLTREE_FUNCTION)
		return node->address;
	return CALLTREE_FUNCTION + functions[node->address - CALLTREE_FUNCTION];
}

/*
 * A large tree is nowhere near the processor, and each look would wait for memory twice: for the slot, then for the
 * node. The hashes need no look, so slots and nodes are asked for ahead.
 */
static int map_ahead(struct calltree *t, const struct calltree *part, const uint32_t *functions, uint32_t *hash,
                     uint32_t *map)
{
	int rc = hash_table_reserve(&t->index);
	uint32_t id;

	hash[0] = map[0] = 0;
	for (size_t i = 1; rc == 0 && i < part->n + 2 * AHEAD; i++) {
		const struct call_node *node = part->nodes + (i < part->n ? i : 0);

		if (i < part->n) {
			hash[i] = hash_below(t, hash[node->parent], mapped_address(node, functions), node->flags);
			hash_table_prefetch(&t->index, hash[i]);
		}
		if (i > AHEAD && i - AHEAD < part->n) {
			size_t at = hash_table_first(&t->index, hash[i - AHEAD]);

			if (hash_table_id(&t->index, &at, hash[i - AHEAD], &id))
				__builtin_prefetch(&t->nodes[id]);
		}
		if (i <= 2 * AHEAD)
			continue;
		node = &part->nodes[i - 2 * AHEAD];
		rc = hash_table_reserve(&t->index);
		if (rc == 0)
			rc = find_child(t, map[node->parent], mapped_address(node, functions), node->flags,
			                hash[i - 2 * AHEAD], &map[i - 2 * AHEAD]);
	}
	return rc;
}

int calltree_map(struct calltree *t, const struct calltree *part, uint32_t *map)
{
	uint32_t *hash = malloc(part->n * sizeof(*hash));
	uint32_t *functions = map_functions(t, part);
	int rc = hash && functions ? map_ahead(t, part, functions, hash, map) : -ENOMEM;

	free(functions);
	free(hash);
	return rc;
}
