/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/radix_sort.h"
#include "report/fold/display_stack.h"
#include "report/fold/fold.h"
#include "report/profile/noise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The leaf in the fold of a stack of the call tree, and the domain, vCPU and address space of that stack. */
struct folded {
	uint32_t leaf; /* FOLD_NONE: not folded yet */
	uint32_t domain;
	uint16_t vcpu;
	uint32_t frames, unnamed;
	uint64_t space;
};

/* What folding one run needs. */
struct folding {
	struct fold *fold;
	bool old, bottom_up;
	unsigned states;
	struct display_stacks stacks;
	struct folded *folded; /* by node, kernel's and user mode's apart */
	bool *unnamed;         /* by function: met already */
	size_t nunnamed;
};

/* --- the tree ---------------------------------------------------------------------------------------------------- */

static int find_child(struct fold *f, uint32_t parent, uint32_t function, uint32_t *node)
{
	const struct fold_node key = {
		.function = function, .parent = parent, .child = FOLD_NONE, .sibling = FOLD_NONE};

	return hash_array_add(&f->by_parent, node, parent, &key);
}

/* --- one stack --------------------------------------------------------------------------------------------------- */

static int note_unnamed(struct folding *g, uint32_t function)
{
	size_t old = g->nunnamed;

	if (g->stacks.common->functions[function].named)
		return 0;
	if (array_room(&g->unnamed, &g->nunnamed, function, sizeof(*g->unnamed)) != 0)
		return -ENOMEM;
	memset(g->unnamed + old, 0, (g->nunnamed - old) * sizeof(*g->unnamed));
	g->fold->unnamed += !g->unnamed[function] && !g->old;
	g->unnamed[function] = true;
	return 0;
}

/* Frames that stand for no code stay in front. */
static void turn_frames(struct callchain *c)
{
	size_t a = 0, b = c->n;

	while (a < b && !display_is_code(&c->frames[a]))
		a++;
	for (; a + 1 < b; a++) {
		struct callchain_frame frame = c->frames[a];

		c->frames[a] = c->frames[--b];
		c->frames[b] = frame;
	}
}

static int fold_stack(struct folding *g, const struct stack *s, struct folded *at)
{
	struct callchain *c = &g->stacks.chain;
	uint32_t frames = 0, leaf = 0;
	int rc = display_stack_make(&g->stacks, s);

	if (rc == 0 && g->bottom_up)
		turn_frames(c);
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		frames += display_is_code(&c->frames[i]);
		rc = find_child(g->fold, leaf, c->frames[i].function, &leaf);
		if (rc == 0)
			rc = note_unnamed(g, c->frames[i].function);
	}
	*at = (struct folded){leaf, s->domain, s->vcpu, frames, g->stacks.unnamed, s->space};
	return rc;
}

static void count(struct folding *g, const struct stack *s, const struct folded *at, uint64_t weight)
{
	if (g->old) {
		g->fold->nodes[at->leaf].old_self += weight;
		return;
	}
	g->fold->nodes[at->leaf].self += weight;
	g->fold->samples += s->samples;
	g->fold->frames += at->frames * s->samples;
	g->fold->unnamed_frames += at->unnamed * s->samples;
}

static bool is_folded(const struct folding *g, const struct folded *at, const struct stack *s)
{
	return at->leaf != FOLD_NONE && (!g->stacks.domains || at->domain == s->domain) &&
	       (!g->stacks.vcpus || at->vcpu == s->vcpu) && (!g->stacks.spaces || at->space == s->space);
}

static int add_stack(struct folding *g, const struct stack *s)
{
	struct folded *at = &g->folded[(size_t)s->node * 2 + stack_is_user(s)];
	uint64_t weight = stack_weight(s, g->fold->weight);
	int rc = 0;

	if (!(g->states & 1u << s->state) || weight == 0)
		return 0;
	if (!is_folded(g, at, s))
		rc = fold_stack(g, s, at);
	if (rc == 0)
		count(g, s, at, weight);
	return rc;
}

/* --- one run ----------------------------------------------------------------------------------------------------- */

static int fold_run(struct folding *g)
{
	const struct profile *p = g->stacks.profile;
	size_t n = p->tree.n * 2;
	int rc = 0;

	g->folded = malloc(n * sizeof(*g->folded));
	if (!g->folded)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		g->folded[i].leaf = FOLD_NONE;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++)
		rc = add_stack(g, &p->stacks[i]);
	free(g->folded);
	free(g->unnamed);
	display_stacks_free(&g->stacks);
	return rc;
}

bool fold_tells_domains(const struct fold_request *q)
{
	return (q->selection && q->selection->group == GROUP_BY_DOMAIN) || q->session->ndomains > 1 ||
	       (q->old && q->old_session->ndomains > 1);
}

static int fold_runs(struct fold *f, const struct profile *p, struct symbolizer *names, const struct fold_request *q)
{
	const struct selection *selection = q->selection;
	bool absolute = !selection || !selection->relative;
	struct folding new = {.fold = f,
	                      .states = q->states,
	                      .stacks = {.profile = p,
	                                 .names = names,
	                                 .common = names,
	                                 .session = q->session,
	                                 .domains = fold_tells_domains(q),
	                                 .vcpus = selection && selection->group == GROUP_BY_VCPU,
	                                 .spaces = selection && selection->group == GROUP_BY_SPACE}};
	struct folding old;
	int rc;

	new.bottom_up = selection && selection->bottom_up;
	old = new;
	f->weight = selection ? selection->weight : WEIGHT_TIME;
	f->unit = profile_unit(p, q->old, f->weight);
	f->compared = q->old != NULL;
	f->whole = absolute ? profile_left_out(p, q->states, f->weight) : 0;
	rc = fold_run(&new);
	if (rc != 0 || !q->old)
		return rc;
	f->old_whole = absolute ? profile_left_out(q->old, q->states, f->weight) : 0;
	old.old = true;
	old.stacks.profile = q->old;
	old.stacks.names = q->old_names;
	old.stacks.session = q->old_session;
	return fold_run(&old);
}

/* --- totals ------------------------------------------------------------------------------------------------------ */

static void sum_nodes(struct fold *f)
{
	for (size_t i = f->n; i-- > 0;) {
		struct fold_node *node = &f->nodes[i];

		node->total += node->self;
		node->old_total += node->old_self;
		if (i == 0)
			break;
		f->nodes[node->parent].total += node->total;
		f->nodes[node->parent].old_total += node->old_total;
	}
	f->total = f->nodes[0].total;
	f->old_total = f->nodes[0].old_total;
	f->whole += f->total;
	f->old_whole += f->old_total;
}

/* Children in the order in which @order, of f->n nodes, has them. */
static void link_children(struct fold *f, const uint32_t *order)
{
	for (size_t i = 0; i < f->n; i++)
		f->nodes[i].child = FOLD_NONE;
	for (size_t i = f->n; i-- > 0;) {
		uint32_t n = order ? order[i] : (uint32_t)i;

		if (n == 0)
			continue;
		f->nodes[n].sibling = f->nodes[f->nodes[n].parent].child;
		f->nodes[f->nodes[n].parent].child = n;
	}
}

/* Walks the tree without recursion. A function counts where it comes first on the way from the root. */
static int sum_functions(struct fold *f)
{
	uint32_t *on_path = calloc(f->nfunctions + 1, sizeof(*on_path)), n = f->nodes[0].child;

	if (!on_path)
		return -ENOMEM;
	while (n != FOLD_NONE && n != 0) {
		const struct fold_node *node = &f->nodes[n];
		struct fold_function *function = &f->functions[node->function];

		function->self += node->self;
		function->old_self += node->old_self;
		if (on_path[node->function]++ == 0) {
			function->total += node->total;
			function->old_total += node->old_total;
		}
		if (node->child != FOLD_NONE) {
			n = node->child;
			continue;
		}
		while (n != 0 && f->nodes[n].sibling == FOLD_NONE) {
			on_path[f->nodes[n].function]--;
			n = f->nodes[n].parent;
		}
		if (n != 0) {
			on_path[f->nodes[n].function]--;
			n = f->nodes[n].sibling;
		}
	}
	free(on_path);
	return 0;
}

/* What names left out was sampled as well, and is taken to be as noisy as what they kept. */
static double effective(const struct profile *p, const struct fold *f, unsigned states, uint64_t total, uint64_t whole)
{
	double samples = p->effective > 0 ? p->effective : noise_samples(p, states, f->weight);

	return total   ? samples * ((double)whole / (double)total)
	       : whole ? (double)profile_left_out(p, states, WEIGHT_SAMPLES)
	               : 0;
}

int fold_make(struct fold *f, const struct profile *p, struct symbolizer *names, const struct fold_request *request)
{
	uint32_t root;
	int rc;

	*f = (struct fold){0};
	rc = find_child(f, 0, FOLD_NONE, &root);
	if (rc == 0)
		rc = fold_runs(f, p, names, request);
	if (rc == 0) {
		f->nfunctions = names->nfunctions;
		f->functions = calloc(f->nfunctions + 1, sizeof(*f->functions));
		rc = f->functions ? 0 : -ENOMEM;
	}
	if (rc == 0) {
		sum_nodes(f);
		f->effective = effective(p, f, request->states, f->total, f->whole);
		if (request->old)
			f->old_effective = effective(request->old, f, request->states, f->old_total, f->old_whole);
		link_children(f, NULL);
		rc = sum_functions(f);
	}
	if (rc != 0)
		fold_free(f);
	return rc;
}

void fold_free(struct fold *f)
{
	free(f->functions);
	hash_array_free(&f->by_parent);
	*f = (struct fold){0};
}

double fold_share(const struct fold *f, uint64_t weight)
{
	return f->whole ? (double)weight / (double)f->whole : 0;
}

double fold_old_share(const struct fold *f, uint64_t old)
{
	return f->old_whole ? (double)old / (double)f->old_whole : 0;
}

double fold_error(const struct fold *f, uint64_t weight)
{
	return noise_error(fold_share(f, weight), f->effective);
}

double fold_change_error(const struct fold *f, uint64_t old, uint64_t weight)
{
	return noise_error_of_change(fold_old_share(f, old), f->old_effective, fold_share(f, weight), f->effective);
}

bool fold_is_noise(const struct fold *f, uint64_t old, uint64_t weight)
{
	return fabs(fold_share(f, weight) - fold_old_share(f, old)) <= fold_change_error(f, old, weight);
}

uint64_t fold_normal(const struct fold *f, uint64_t old)
{
	return f->old_whole ? (uint64_t)(((unsigned __int128)old * f->whole + f->old_whole / 2) / f->old_whole) : 0;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

struct ordering {
	const struct fold *fold;
	const uint32_t *ranks; /* of functions, by name */
};

static uint64_t by_name(const void *ctx, uint32_t node)
{
	const struct ordering *o = ctx;
	uint32_t function = o->fold->nodes[node].function;

	return function == FOLD_NONE ? UINT64_MAX : o->ranks[function];
}

static uint64_t by_total(const void *ctx, uint32_t node)
{
	const struct ordering *o = ctx;

	return ~o->fold->nodes[node].total;
}

static uint64_t by_change(const void *ctx, uint32_t node)
{
	const struct ordering *o = ctx;
	const struct fold_node *n = &o->fold->nodes[node];

	return fold_largest_first(fabs(fold_share(o->fold, n->total) - fold_old_share(o->fold, n->old_total)));
}

uint64_t fold_largest_first(double share)
{
	uint64_t bits;

	memcpy(&bits, &share, sizeof(bits)); /* of numbers that are not negative, the bits have the same order */
	return ~bits;
}

int fold_sort(struct fold *f, const struct symbolizer *names, enum fold_order order)
{
	struct ordering o = {f, symbolizer_ranks(names, strcmp)};
	uint32_t *nodes = radix_sort_ids(f->n);
	int rc = nodes && o.ranks ? radix_sort(nodes, f->n, by_name, &o) : -ENOMEM;

	if (rc == 0 && order != FOLD_BY_NAME)
		rc = radix_sort(nodes, f->n, by_total, &o);
	if (rc == 0 && order == FOLD_BY_CHANGE)
		rc = radix_sort(nodes, f->n, by_change, &o);
	if (rc == 0)
		link_children(f, nodes);
	free(nodes);
	free((uint32_t *)o.ranks);
	return rc;
}
