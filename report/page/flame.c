/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/flame.h"
#include "common/radix_sort.h"
#include "report/input/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a stack of the profile's call tree ends in the flame's. */
struct leaf {
	uint32_t node; /* FLAME_NONE: not known */
	uint32_t domain;
	uint16_t vcpu;
	uint64_t space;
};

/* One run being added. */
struct adding {
	struct flame *flame;
	struct display_stacks *stacks;
	unsigned states;
	enum weight weight;
	unsigned run;
	struct leaf *leaves; /* by node, kernel's and user mode's stacks apart */
};

/* --- frames ------------------------------------------------------------------------------------------------------ */

static enum flame_kind kind_of(const struct callchain_frame *frame, const struct function *function)
{
	if (!display_is_code(frame))
		return FLAME_GROUP;
	if (!function->named)
		return FLAME_ADDRESS;
	return frame->inlined ? FLAME_INLINED : FLAME_FUNCTION;
}

static int find_name(struct flame *f, const struct callchain_frame *frame, const struct symbolizer *names,
                     uint32_t *name)
{
	const struct function *function = &names->functions[frame->function];

	return hash_array_add(&f->by_name, name, kind,
	                      &(struct flame_name){frame->function, kind_of(frame, function), function->name});
}

static int make_root(struct flame *f)
{
	uint32_t root;

	return hash_array_add(&f->by_node, &root, parent,
	                      &(struct flame_node){.name = FLAME_NONE, .parent = FLAME_NONE});
}

static int enter_frames(struct adding *a, uint32_t *node)
{
	const struct callchain *c = &a->stacks->chain;
	uint32_t name;
	int rc = 0;

	*node = 0;
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		rc = find_name(a->flame, &c->frames[i], a->stacks->common, &name);
		if (rc == 0)
			rc = hash_array_add(&a->flame->by_node, node, parent,
			                    &(struct flame_node){.name = name, .parent = *node});
	}
	return rc;
}

/* A stack is walked once, however many vCPUs and run states have it. */
static int find_leaf(struct adding *a, const struct stack *s, uint32_t *node)
{
	struct leaf *leaf = &a->leaves[(size_t)s->node * 2 + stack_is_user(s)];
	bool known = leaf->node != FLAME_NONE && (!a->stacks->domains || leaf->domain == s->domain) &&
	             (!a->stacks->vcpus || leaf->vcpu == s->vcpu) && (!a->stacks->spaces || leaf->space == s->space);
	int rc = known ? 0 : display_stack_make(a->stacks, s);

	if (rc == 0 && !known) {
		*leaf = (struct leaf){.domain = s->domain, .vcpu = s->vcpu, .space = s->space};
		rc = enter_frames(a, &leaf->node);
	}
	*node = leaf->node;
	return rc;
}

/* --- stacks by vCPU ---------------------------------------------------------------------------------------------- */

/* Labels of domains are stored once, as names are, so that they can be compared by pointer. */
static int find_vcpu(struct adding *a, const struct stack *s, uint32_t *vcpu)
{
	struct flame_vcpu key = {.number = s->vcpu};
	char label[256];
	uint32_t function;
	int rc = 0;

	if (a->stacks->domains) {
		domain_text(a->stacks->session, s->domain, label, sizeof(label));
		rc = symbolizer_function(a->stacks->common, label, &function);
		if (rc == 0)
			key.domain = a->stacks->common->functions[function].name;
	}
	return rc == 0 ? hash_array_add(&a->flame->by_vcpu, vcpu, number, &key) : rc;
}

static int add_stack(struct adding *a, const struct stack *s, uint32_t *stack)
{
	uint64_t weight = stack_weight(s, a->weight);
	uint32_t node, vcpu;
	int rc;

	if (!(a->states & 1u << s->state) || weight == 0)
		return 0;
	rc = find_leaf(a, s, &node);
	if (rc == 0)
		rc = find_vcpu(a, s, &vcpu);
	if (rc == 0)
		rc = hash_array_add(&a->flame->by_stack, stack, vcpu,
		                    &(struct flame_stack){.node = node, .vcpu = vcpu});
	if (rc == 0)
		a->flame->stacks[*stack].weight[a->run] += weight;
	return rc;
}

static int add_stacks(struct adding *a, uint32_t *stack_of)
{
	const struct profile *p = a->stacks->profile;
	int rc = make_root(a->flame);

	for (size_t i = 0; i < p->tree.n * 2; i++)
		a->leaves[i].node = FLAME_NONE;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++) {
		uint32_t stack = FLAME_NONE;

		rc = add_stack(a, &p->stacks[i], &stack);
		if (stack_of)
			stack_of[i] = stack;
	}
	return rc;
}

int flame_add(struct flame *f, struct display_stacks *stacks, unsigned states, enum weight weight, unsigned run,
              uint32_t *stack_of)
{
	struct adding a = {.flame = f, .stacks = stacks, .states = states, .weight = weight, .run = run};
	int rc = -ENOMEM;

	f->compared |= run == FLAME_OLD;
	a.leaves = malloc(stacks->profile->tree.n * 2 * sizeof(*a.leaves));
	if (a.leaves)
		rc = add_stacks(&a, stack_of);
	free(a.leaves);
	display_stacks_free(stacks);
	return rc;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

struct ordering {
	const struct flame *flame;
	const uint32_t *ranks; /* of functions, by name */
};

static uint64_t by_text(const void *ctx, uint32_t name)
{
	const struct ordering *o = ctx;

	return (uint64_t)o->ranks[o->flame->names[name].function] << 8 | o->flame->names[name].kind;
}

static uint64_t by_name(const void *ctx, uint32_t node)
{
	return ((const struct flame *)ctx)->nodes[node].name;
}

static uint64_t by_node(const void *ctx, uint32_t stack)
{
	const struct flame_stack *s = &((const struct flame *)ctx)->stacks[stack];

	return (uint64_t)s->node << 32 | s->vcpu;
}

/* Takes over @names, which get the place of those there are. */
static void move_names(struct flame *f, struct flame_name *names, const uint32_t *order, uint32_t *moved)
{
	for (size_t i = 0; i < f->nnames; i++) {
		names[i] = f->names[order[i]];
		moved[order[i]] = (uint32_t)i;
	}
	for (size_t i = 1; i < f->nnodes; i++)
		f->nodes[i].name = moved[f->nodes[i].name];
	free(f->names);
	f->names = names;
	f->by_name.cap = f->nnames + 1;
}

/* Names in the order of their texts: their numbers then order frames. */
static int sort_names(struct flame *f, const struct symbolizer *names)
{
	uint32_t *order = radix_sort_ids(f->nnames), *moved = radix_sort_ids(f->nnames);
	uint32_t *ranks = symbolizer_ranks(names, strcmp);
	struct flame_name *sorted = malloc((f->nnames + 1) * sizeof(*sorted));
	struct ordering o = {f, ranks};
	int rc = order && moved && ranks && sorted ? radix_sort(order, f->nnames, by_text, &o) : -ENOMEM;

	if (rc == 0)
		move_names(f, sorted, order, moved);
	else
		free(sorted);
	free(order);
	free(moved);
	free(ranks);
	return rc;
}

static void link_children(struct flame *f, const uint32_t *by_name)
{
	for (size_t i = 0; i < f->nnodes; i++)
		f->nodes[i].child = f->nodes[i].sibling = FLAME_NONE;
	for (size_t i = f->nnodes; i-- > 0;) {
		struct flame_node *node = &f->nodes[by_name[i]];

		if (by_name[i] == 0)
			continue;
		node->sibling = f->nodes[node->parent].child;
		f->nodes[node->parent].child = by_name[i];
	}
}

static uint32_t next_node(const struct flame *f, uint32_t n)
{
	if (f->nodes[n].child != FLAME_NONE)
		return f->nodes[n].child;
	while (n != 0 && f->nodes[n].sibling == FLAME_NONE)
		n = f->nodes[n].parent;
	return n == 0 ? FLAME_NONE : f->nodes[n].sibling;
}

/* Renumbers nodes depth first: @moved gets their new numbers. */
static int sort_nodes(struct flame *f, uint32_t *moved)
{
	struct flame_node *nodes = malloc(f->nnodes * sizeof(*nodes));
	uint32_t n = 0, at = 0;
	int rc = nodes ? radix_sort(moved, f->nnodes, by_name, f) : -ENOMEM;

	if (rc != 0) {
		free(nodes);
		return rc;
	}
	link_children(f, moved);
	for (; n != FLAME_NONE; n = next_node(f, n))
		moved[n] = at++;
	for (size_t i = 0; i < f->nnodes; i++) {
		struct flame_node *node = &nodes[moved[i]];

		*node = f->nodes[i];
		node->parent = i == 0 ? FLAME_NONE : moved[node->parent];
		node->child = node->child == FLAME_NONE ? FLAME_NONE : moved[node->child];
		node->sibling = node->sibling == FLAME_NONE ? FLAME_NONE : moved[node->sibling];
	}
	free(f->nodes);
	f->nodes = nodes;
	f->by_node.cap = f->nnodes;
	for (size_t i = 0; i < f->nstacks; i++)
		f->stacks[i].node = moved[f->stacks[i].node];
	return 0;
}

static int sort_stacks(struct flame *f, uint32_t *moved)
{
	struct flame_stack *stacks = malloc((f->nstacks + 1) * sizeof(*stacks));
	uint32_t *order = radix_sort_ids(f->nstacks);
	int rc = stacks && order ? radix_sort(order, f->nstacks, by_node, f) : -ENOMEM;

	if (rc != 0) {
		free(stacks);
		free(order);
		return rc;
	}
	for (size_t i = 0; i < f->nstacks; i++) {
		stacks[i] = f->stacks[order[i]];
		if (moved)
			moved[order[i]] = (uint32_t)i;
	}
	free(order);
	free(f->stacks);
	f->stacks = stacks;
	f->by_stack.cap = f->nstacks + 1;
	return 0;
}

static void sum_up(struct flame *f)
{
	for (size_t i = 0; i < f->nstacks; i++)
		for (unsigned w = 0; w < FLAME_RUNS; w++)
			f->nodes[f->stacks[i].node].self[w] += f->stacks[i].weight[w];
	for (size_t i = f->nnodes; i-- > 0;) {
		for (unsigned w = 0; w < FLAME_RUNS; w++) {
			f->nodes[i].total[w] += f->nodes[i].self[w];
			if (i > 0)
				f->nodes[f->nodes[i].parent].total[w] += f->nodes[i].total[w];
		}
	}
}

int flame_finish(struct flame *f, const struct symbolizer *names, uint32_t *moved)
{
	uint32_t *nodes = NULL;
	int rc = make_root(f);

	if (rc == 0)
		rc = sort_names(f, names);
	if (rc == 0)
		rc = (nodes = radix_sort_ids(f->nnodes)) ? 0 : -ENOMEM;
	if (rc == 0)
		rc = sort_nodes(f, nodes);
	free(nodes);
	if (rc == 0)
		rc = sort_stacks(f, moved);
	if (rc == 0)
		sum_up(f);
	return rc;
}

void flame_free(struct flame *f)
{
	hash_array_free(&f->by_name);
	hash_array_free(&f->by_node);
	hash_array_free(&f->by_vcpu);
	hash_array_free(&f->by_stack);
	*f = (struct flame){0};
}
