/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 8 /* stacks: as long as memory takes to answer */

int profile_init(struct profile *p)
{
	*p = (struct profile){0};
	return calltree_init(&p->tree);
}

void profile_free(struct profile *p)
{
	calltree_free(&p->tree);
	free(p->stacks);
	free(p->latest);
	hash_table_free(&p->index);
	hash_array_free(&p->left_out_vcpus.by_vcpu);
	*p = (struct profile){0};
}

/* Before the nodes of the call tree are forgotten, if they are. */
static void forget_stacks(struct profile *p)
{
	if (p->nlatest)
		memset(p->latest, 0, (p->nlatest < p->tree.n ? p->nlatest : p->tree.n) * sizeof(*p->latest));
	p->nstacks = 0;
	hash_table_clear(&p->index);
}

void profile_clear(struct profile *p)
{
	forget_stacks(p);
	calltree_clear(&p->tree);
	p->counters = (struct counters){0};
}

static size_t index_bytes(const struct hash_table *t)
{
	return t->slots ? (t->mask + 1) * sizeof(*t->slots) : 0;
}

size_t profile_bytes(const struct profile *p)
{
	return p->tree.cap * sizeof(*p->tree.nodes) + index_bytes(&p->tree.index) + p->cap * sizeof(*p->stacks) +
	       p->nlatest * sizeof(*p->latest) + index_bytes(&p->index) + p->tree.function_bytes;
}

/* All that tells stacks apart is in front of their weights, without gaps. */
static inline bool same_stack(const struct stack *a, const struct stack *b)
{
	static_assert(offsetof(struct stack, samples) == 24, "no gaps");
	return memcmp(a, b, offsetof(struct stack, samples)) == 0;
}

/* --- vCPUs ------------------------------------------------------------------------------------------------------- */

/* Found, or added with no samples: valid until the next call. NULL: out of memory. */
static struct vcpu_states *find_vcpu(struct vcpu_list *list, uint32_t domain, uint32_t vcpu)
{
	uint32_t id;
	int rc = hash_array_add(&list->by_vcpu, &id, vcpu, &(struct vcpu_states){.domain = domain, .vcpu = vcpu});

	return rc == 0 ? &list->v[id] : NULL;
}

static int add_vcpus(struct vcpu_list *list, const struct vcpu_list *more)
{
	for (size_t i = 0; i < more->n; i++) {
		const struct vcpu_states *from = &more->v[i];
		struct vcpu_states *v = find_vcpu(list, from->domain, from->vcpu);

		if (!v)
			return -ENOMEM;
		for (unsigned s = 0; s < COUNTERS_STATES; s++) {
			v->state[s] += from->state[s];
			v->time[s] += from->time[s];
		}
	}
	return 0;
}

static int compare_vcpus(const void *va, const void *vb)
{
	const struct vcpu_states *a = va, *b = vb;

	return a->domain != b->domain ? array_compare(a->domain, b->domain) : array_compare(a->vcpu, b->vcpu);
}

/* --- stacks ------------------------------------------------------------------------------------------------------ */

static uint32_t hash_stack(const struct profile *p, const struct stack *key)
{
	uint64_t who = (uint64_t)key->domain << 32 | (uint64_t)key->vcpu << 8 | key->state << 1 | key->user;

	return hash_table_hash(&p->index, (uint64_t)key->slot << 32 | key->node, who ^ key->space << 16);
}

static int append_stack(struct profile *p, const struct stack *key, uint32_t *stack)
{
	int rc = p->nstacks < PROFILE_SEVERAL - 1 ? array_room(&p->stacks, &p->cap, p->nstacks, sizeof(*p->stacks))
	                                          : -EOVERFLOW;

	if (rc != 0)
		return rc;
	*stack = (uint32_t)p->nstacks++;
	p->stacks[*stack] = *key;
	return 0;
}

static int index_stack(struct profile *p, uint32_t stack)
{
	int rc = hash_table_reserve(&p->index);

	if (rc == 0)
		hash_table_add(&p->index, hash_stack(p, &p->stacks[stack]), stack);
	return rc;
}

static int look_up_stack(struct profile *p, const struct stack *key, uint32_t *stack)
{
	uint32_t hash = hash_stack(p, key);
	int rc;

	for (size_t at = hash_table_first(&p->index, hash); hash_table_id(&p->index, &at, hash, stack);
	     at = hash_table_next(&p->index, at))
		if (same_stack(&p->stacks[*stack], key))
			return 0;
	rc = append_stack(p, key, stack);
	return rc == 0 ? index_stack(p, *stack) : rc;
}

/* A stack that its node did not have last. */
static int find_other_stack(struct profile *p, const struct stack *key, struct stack **out)
{
	int rc = array_room_zeroed(&p->latest, &p->nlatest, key->node, sizeof(*p->latest));
	uint32_t latest = rc == 0 ? p->latest[key->node] : 0, several = latest & PROFILE_SEVERAL;
	uint32_t stack = (latest ^ several) - 1;

	if (rc == 0 && !latest) {
		rc = append_stack(p, key, &stack);
	} else if (rc == 0 && !same_stack(&p->stacks[stack], key)) {
		rc = several ? 0 : index_stack(p, stack);
		if (rc == 0)
			rc = look_up_stack(p, key, &stack);
		several = PROFILE_SEVERAL;
	}
	if (rc != 0)
		return rc;
	p->latest[key->node] = several | (stack + 1);
	*out = &p->stacks[stack];
	return 0;
}

/* @key with no weight: found, or added. */
static inline int find_stack(struct profile *p, const struct stack *key, struct stack **out)
{
	uint32_t latest = key->node < p->nlatest ? p->latest[key->node] & ~PROFILE_SEVERAL : 0;

	if (!latest || !same_stack(&p->stacks[latest - 1], key))
		return find_other_stack(p, key, out);
	*out = &p->stacks[latest - 1];
	return 0;
}

static uint32_t time_slot(const struct profile *p, uint64_t time_ns)
{
	uint64_t slot = p->quantum_ns ? time_ns / p->quantum_ns : 0;

	return slot < UINT32_MAX ? (uint32_t)slot : UINT32_MAX;
}

int profile_leave_out(struct profile *p, const struct upf_record *rec)
{
	unsigned state = counters_state(rec->state);
	struct vcpu_states *v = find_vcpu(&p->left_out_vcpus, rec->domain, rec->vcpu);

	if (!v)
		return -ENOMEM;
	v->state[state] += rec->count;
	v->time[state] += profile_time(p, rec);
	p->left_out[state].samples += rec->count;
	p->left_out[state].cpu_ns += rec->cpu_ns;
	p->left_out[state].time += profile_time(p, rec);
	return 0;
}

int profile_sample(struct profile *p, const struct upf_record *rec, uint32_t node, uint32_t *number)
{
	struct stack key = {.node = node,
	                    .domain = rec->domain,
	                    .vcpu = (uint16_t)rec->vcpu,
	                    .state = (uint8_t)counters_state(rec->state),
	                    .user = rec->user,
	                    .slot = time_slot(p, rec->time_ns),
	                    .space = profile_space(p, rec)};
	struct stack *stack;
	int rc = find_stack(p, &key, &stack);

	if (rc != 0)
		return rc;
	stack->samples += rec->count;
	stack->cpu_ns += rec->cpu_ns;
	stack->time += profile_time(p, rec);
	if (number)
		*number = (uint32_t)(stack - p->stacks);
	return 0;
}

/* Adds the weight of @from to the same stack of @node in @slot. */
static int add_profile_stack(struct profile *p, const struct stack *from, uint32_t node, uint32_t slot)
{
	struct stack key = *from, *stack;
	int rc;

	key.node = node;
	key.slot = slot;
	key.samples = key.cpu_ns = key.time = 0;
	rc = find_stack(p, &key, &stack);
	if (rc != 0)
		return rc;
	stack->samples += from->samples;
	stack->cpu_ns += from->cpu_ns;
	stack->time += from->time;
	return 0;
}

/* Memory is asked ahead, as in calltree_map(). */
static int add_part_stacks(struct profile *p, const struct profile *part, const uint32_t *map)
{
	int rc = array_room_zeroed(&p->latest, &p->nlatest, p->tree.n - 1, sizeof(*p->latest));

	for (size_t i = 0; rc == 0 && i < part->nstacks + 2 * AHEAD; i++) {
		if (i < part->nstacks)
			__builtin_prefetch(&p->latest[map[part->stacks[i].node]]);
		if (i >= AHEAD && i - AHEAD < part->nstacks) {
			uint32_t latest = p->latest[map[part->stacks[i - AHEAD].node]] & ~PROFILE_SEVERAL;

			if (latest)
				__builtin_prefetch(&p->stacks[latest - 1]);
		}
		if (i >= 2 * AHEAD) {
			const struct stack *from = &part->stacks[i - 2 * AHEAD];

			rc = add_profile_stack(p, from, map[from->node], from->slot);
		}
	}
	return rc;
}

int profile_add(struct profile *p, const struct profile *part)
{
	uint32_t *map = malloc(part->tree.n * sizeof(*map));
	int rc = map ? calltree_map(&p->tree, &part->tree, map) : -ENOMEM;

	if (rc == 0)
		rc = add_part_stacks(p, part, map);
	if (rc == 0)
		counters_add(&p->counters, &part->counters);
	free(map);
	return rc;
}

int profile_forget_slots(struct profile *p)
{
	size_t n = p->nstacks;
	int rc = 0;

	forget_stacks(p);
	p->quantum_ns = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) { /* never more than those that were looked at */
		const struct stack from = p->stacks[i];

		rc = add_profile_stack(p, &from, from.node, 0);
	}
	return rc;
}

uint64_t profile_count(const struct profile *p, unsigned states)
{
	return counters_sum(p->counters.state, 1, states);
}

uint64_t profile_left_out(const struct profile *p, unsigned states, enum weight weight)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		if (states & 1u << s)
			sum += weight == WEIGHT_CPU    ? p->left_out[s].cpu_ns
			       : weight == WEIGHT_TIME ? p->left_out[s].time
			                               : p->left_out[s].samples;
	return sum;
}

int profile_vcpus(const struct profile *p, struct vcpu_list *vcpus)
{
	*vcpus = (struct vcpu_list){0};
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];
		struct vcpu_states *v = find_vcpu(vcpus, s->domain, s->vcpu);

		if (!v)
			return -ENOMEM;
		v->state[s->state] += s->samples;
		v->time[s->state] += s->time;
	}
	if (add_vcpus(vcpus, &p->left_out_vcpus) != 0)
		return -ENOMEM;
	array_sort(vcpus->v, vcpus->n, sizeof(*vcpus->v), compare_vcpus);
	return 0;
}

/* Each sample weighs one period or more. */
static bool is_even(const struct profile *p)
{
	uint64_t time = profile_left_out(p, STATES_ALL, WEIGHT_TIME);

	for (unsigned s = 0; s < COUNTERS_STATES; s++)
		time += p->counters.time[s];
	return time == profile_count(p, STATES_ALL) + profile_left_out(p, STATES_ALL, WEIGHT_SAMPLES);
}

enum unit profile_unit(const struct profile *p, const struct profile *old, enum weight weight)
{
	if (weight != WEIGHT_TIME)
		return weight == WEIGHT_CPU ? UNIT_CPU : UNIT_SAMPLES;
	if (p->by_ns)
		return UNIT_TIME;
	return is_even(p) && (!old || is_even(old)) ? UNIT_SAMPLES : UNIT_PERIODS;
}

uint64_t profile_unit_ns(const struct profile *p, enum unit unit)
{
	return unit == UNIT_SAMPLES ? 0 : unit == UNIT_PERIODS ? p->period_ns : 1;
}
