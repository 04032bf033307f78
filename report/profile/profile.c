/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/profile.h"

#include <errno.h>
#include <stdlib.h>

int profile_init(struct profile *p)
{
	*p = (struct profile){0};
	return calltree_init(&p->tree);
}

void profile_free(struct profile *p)
{
	calltree_free(&p->tree);
	free(p->stacks);
	hash_table_free(&p->index);
	*p = (struct profile){0};
}

void profile_clear(struct profile *p)
{
	calltree_clear(&p->tree);
	p->nstacks = 0;
	hash_table_clear(&p->index);
	p->counters = (struct counters){0};
}

static size_t index_bytes(const struct hash_table *t)
{
	return t->slots ? (t->mask + 1) * sizeof(*t->slots) : 0;
}

size_t profile_bytes(const struct profile *p)
{
	return p->tree.cap * sizeof(*p->tree.nodes) + index_bytes(&p->tree.index) + p->cap * sizeof(*p->stacks) +
	       index_bytes(&p->index);
}

static bool same_stack(const struct stack *a, const struct stack *b)
{
	return a->node == b->node && a->vcpu == b->vcpu && a->domain == b->domain && a->state == b->state &&
	       a->user == b->user && a->slot == b->slot;
}

static int add_stack(struct profile *p, const struct stack *key, uint32_t hash, struct stack **out)
{
	int rc = p->nstacks < UINT32_MAX - 1 ? 0 : -EOVERFLOW;

	if (rc == 0)
		rc = array_room(&p->stacks, &p->cap, p->nstacks, sizeof(*p->stacks));
	if (rc != 0)
		return rc;
	p->stacks[p->nstacks] = *key;
	*out = &p->stacks[p->nstacks];
	hash_table_add(&p->index, hash, (uint32_t)p->nstacks++);
	return 0;
}

static int find_stack(struct profile *p, const struct stack *key, struct stack **out)
{
	uint64_t who = (uint64_t)key->domain << 32 | (uint64_t)key->vcpu << 8 | key->state << 1 | key->user;
	uint32_t hash, id;
	int rc = hash_table_reserve(&p->index);

	if (rc != 0)
		return rc;
	hash = hash_table_hash(&p->index, (uint64_t)key->slot << 32 | key->node, who);
	for (size_t at = hash_table_first(&p->index, hash); hash_table_id(&p->index, &at, hash, &id);
	     at = hash_table_next(&p->index, at)) {
		if (same_stack(&p->stacks[id], key)) {
			*out = &p->stacks[id];
			return 0;
		}
	}
	return add_stack(p, key, hash, out);
}

static uint32_t slot_of(const struct profile *p, uint64_t time_ns)
{
	uint64_t slot = p->quantum_ns ? time_ns / p->quantum_ns : 0;

	return slot < UINT32_MAX ? (uint32_t)slot : UINT32_MAX;
}

void profile_leave_out(struct profile *p, const struct upf_record *rec)
{
	unsigned state = counters_state(rec->state);

	p->left_out[state].samples += rec->count;
	p->left_out[state].cpu_ns += rec->cpu_ns;
}

int profile_sample(struct profile *p, const struct upf_record *rec, uint32_t node)
{
	struct stack key = {.node = node,
	                    .domain = rec->domain,
	                    .vcpu = (uint16_t)rec->vcpu,
	                    .state = (uint8_t)counters_state(rec->state),
	                    .user = rec->user,
	                    .slot = slot_of(p, rec->time_ns)};
	struct stack *stack;
	int rc = find_stack(p, &key, &stack);

	if (rc != 0)
		return rc;
	stack->samples += rec->count;
	stack->cpu_ns += rec->cpu_ns;
	return 0;
}

/* The node here that each of @part's is. */
static int map_nodes(struct profile *p, const struct calltree *part, uint32_t *map)
{
	int rc = 0;

	map[0] = 0;
	for (size_t i = 1; rc == 0 && i < part->n; i++) {
		const struct call_node *node = &part->nodes[i];

		rc = calltree_child(&p->tree, map[node->parent], node->address, node->flags, &map[i]);
	}
	return rc;
}

int profile_add(struct profile *p, const struct profile *part)
{
	uint32_t *map = malloc(part->tree.n * sizeof(*map));
	int rc = map ? map_nodes(p, &part->tree, map) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < part->nstacks; i++) {
		struct stack key = part->stacks[i], *stack;

		key.node = map[key.node];
		key.samples = key.cpu_ns = 0;
		rc = find_stack(p, &key, &stack);
		if (rc == 0) {
			stack->samples += part->stacks[i].samples;
			stack->cpu_ns += part->stacks[i].cpu_ns;
		}
	}
	if (rc == 0)
		counters_add(&p->counters, &part->counters);
	free(map);
	return rc;
}

uint64_t profile_count(const struct profile *p, unsigned states)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (states & 1u << s)
			sum += p->counters.state[s];
	return sum;
}

uint64_t profile_left_out(const struct profile *p, unsigned states, enum weight weight)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (states & 1u << s)
			sum += weight == WEIGHT_CPU ? p->left_out[s].cpu_ns : p->left_out[s].samples;
	return sum;
}
