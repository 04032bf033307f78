/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/calltree.h"

#include <errno.h>
#include <stdlib.h>

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
	hash_table_clear(&t->index);
}

void calltree_free(struct calltree *t)
{
	free(t->nodes);
	hash_table_free(&t->index);
	*t = (struct calltree){0};
}

int calltree_child(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node)
{
	uint32_t hash, id;
	int rc = hash_table_reserve(&t->index);

	if (rc != 0)
		return rc;
	hash = hash_table_hash(&t->index, address, (uint64_t)flags << 32 | parent);
	for (size_t at = hash_table_first(&t->index, hash); hash_table_id(&t->index, &at, hash, &id);
	     at = hash_table_next(&t->index, at)) {
		if (t->nodes[id].address == address && t->nodes[id].parent == parent && t->nodes[id].flags == flags) {
			*node = id;
			return 0;
		}
	}
	if (t->n >= UINT32_MAX - 1)
		return -EOVERFLOW;
	rc = array_room(&t->nodes, &t->cap, t->n, sizeof(*t->nodes));
	if (rc != 0)
		return rc;
	*node = (uint32_t)t->n++;
	t->nodes[*node] = (struct call_node){.address = address, .parent = parent, .flags = flags};
	hash_table_add(&t->index, hash, *node);
	return 0;
}
