/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold.h"
#include "report/callchain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the stack at a node of the call tree ends in the fold, of the root it was folded below last. */
struct folded {
	uint32_t root, leaf;
	uint32_t frames, unnamed;
};

/* What folding one run needs. */
struct folding {
	struct fold *fold;
	struct names *common; /* the fold's */
	bool old;

	const struct profile *profile;
	struct names *names;
	const struct upf_session *session;
	const struct fold_request *request;
	enum weight weight;
	enum group group;

	struct callchain chain;
	struct folded *folded; /* by node, kernel's and user mode's apart */
	const struct stack *last; /* the stack that @root belongs to */
	uint32_t root;
	uint32_t *translated; /* from names' functions to the common ones, FOLD_NONE until met */
	size_t ntranslated;
	bool *unnamed; /* by function: met already */
	size_t unnamed_cap;
};

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static int find_child(struct fold *f, uint32_t parent, uint32_t function, uint32_t *node)
{
	uint32_t hash, id;
	int rc = intern_reserve(&f->index);

	if (rc != 0)
		return rc;
	hash = intern_hash(&f->index, function, parent);
	for (size_t at = intern_first(&f->index, hash); intern_id(&f->index, &at, hash, &id);
	     at = intern_next(&f->index, at)) {
		if (f->nodes[id].function == function && f->nodes[id].parent == parent) {
			*node = id;
			return 0;
		}
	}
	rc = f->n < UINT32_MAX - 1 ? array_room(&f->nodes, &f->cap, f->n, sizeof(*f->nodes)) : -EOVERFLOW;
	if (rc != 0)
		return rc;
	*node = (uint32_t)f->n++;
	f->nodes[*node] = (struct fold_node){.function = function, .parent = parent, .child = FOLD_NONE,
	                                     .sibling = FOLD_NONE};
	intern_add(&f->index, hash, *node);
	return 0;
}

static int make_root(struct fold *f)
{
	int rc = array_room(&f->nodes, &f->cap, 0, sizeof(*f->nodes));

	if (rc != 0)
		return rc;
	f->nodes[0] = (struct fold_node){.function = FOLD_NONE, .child = FOLD_NONE, .sibling = FOLD_NONE};
	f->n = 1;
	return 0;
}

/* --- where a stack begins ------------------------------------------------------------------------------------------ */

static int special_child(struct folding *g, const char *name, uint32_t *node)
{
	uint32_t function;
	int rc = names_function(g->common, name, &function);

	return rc == 0 ? find_child(g->fold, *node, function, node) : rc;
}

static bool tells_domains(const struct folding *g)
{
	return g->group == GROUP_BY_DOMAIN || g->session->ndomains > 1 ||
	       (g->request->old_session && (g->request->session->ndomains > 1 || g->request->old_session->ndomains > 1));
}

static bool same_root(const struct folding *g, const struct stack *a, const struct stack *b)
{
	return a->domain == b->domain && stack_is_user(a) == stack_is_user(b) &&
	       (g->group != GROUP_BY_VCPU || a->vcpu == b->vcpu);
}

static int find_root(struct folding *g, const struct stack *s)
{
	char text[256];
	int rc = 0;

	if (g->last && same_root(g, g->last, s))
		return 0;
	g->root = 0;
	if (tells_domains(g)) {
		domain_text(g->session, s->domain, text, sizeof(text));
		rc = special_child(g, text, &g->root);
	}
	if (rc == 0 && g->group == GROUP_BY_VCPU) {
		snprintf(text, sizeof(text), "[vcpu %u]", s->vcpu);
		rc = special_child(g, text, &g->root);
	}
	if (rc == 0 && stack_is_user(s))
		rc = special_child(g, "[user]", &g->root);
	g->last = s;
	return rc;
}

/* --- one stack ----------------------------------------------------------------------------------------------------- */

static int note_unnamed(struct folding *g, uint32_t function)
{
	size_t old = g->unnamed_cap;

	if (array_room(&g->unnamed, &g->unnamed_cap, function, sizeof(*g->unnamed)) != 0)
		return -ENOMEM;
	memset(g->unnamed + old, 0, (g->unnamed_cap - old) * sizeof(*g->unnamed));
	g->fold->unnamed += !g->unnamed[function] && !g->old;
	g->unnamed[function] = true;
	return 0;
}

/* The old run's functions by the names of the new one. */
static int translate(struct folding *g, uint32_t *function)
{
	uint32_t from = *function;
	size_t old = g->ntranslated;
	int rc = 0;

	if (g->names == g->common)
		return 0;
	if (array_room(&g->translated, &g->ntranslated, from, sizeof(*g->translated)) != 0)
		return -ENOMEM;
	for (size_t i = old; i < g->ntranslated; i++)
		g->translated[i] = FOLD_NONE;
	if (g->translated[from] == FOLD_NONE)
		rc = names_like(g->common, &g->names->functions[from], &g->translated[from]);
	*function = g->translated[from];
	return rc;
}

/*
 * In user mode what has no name is no function of its own: [user] stands for it, as there are programs without number. An
 * address in the kernel's half is there by accident, from a stack without frame pointers.
 */
static bool is_hidden(const struct folding *g, bool user, const struct callchain_frame *frame)
{
	return user && (frame->address >> 63 || !g->names->functions[frame->function].named);
}

static int fold_chain(struct folding *g, bool user, struct folded *at)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->chain.n; i++) {
		uint32_t function = g->chain.frames[i].function;

		if (is_hidden(g, user, &g->chain.frames[i]))
			continue;
		at->frames++;
		if (!g->names->functions[function].named) {
			at->unnamed++;
			rc = note_unnamed(g, function);
		}
		if (rc == 0)
			rc = translate(g, &function);
		if (rc == 0)
			rc = find_child(g->fold, at->leaf, function, &at->leaf);
	}
	return rc;
}

/* Samples whose stack is empty: the vCPU had no registers to start from. */
static int fold_stack(struct folding *g, const struct stack *s, struct folded *at)
{
	int rc;

	*at = (struct folded){.root = g->root, .leaf = g->root};
	if (s->node == 0)
		return special_child(g, "[no stack]", &at->leaf);
	rc = callchain_make(&g->chain, g->profile, g->names, s->node);
	return rc == 0 ? fold_chain(g, stack_is_user(s), at) : rc;
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

static int add_stack(struct folding *g, const struct stack *s)
{
	struct folded *at = &g->folded[(size_t)s->node * 2 + stack_is_user(s)];
	uint64_t weight = stack_weight(s, g->weight);
	int rc;

	if (!(g->request->states & 1u << s->state) || weight == 0)
		return 0;
	rc = find_root(g, s);
	if (rc == 0 && at->root != g->root)
		rc = fold_stack(g, s, at);
	if (rc == 0)
		count(g, s, at, weight);
	return rc;
}

/* --- one run ------------------------------------------------------------------------------------------------------- */

static uint64_t left_out(const struct folding *g)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < TALLY_STATES; s++)
		if (g->request->states & 1u << s)
			sum += g->weight == WEIGHT_CPU ? g->profile->left_out[s].cpu_ns : g->profile->left_out[s].samples;
	return sum;
}

static int fold_run(struct folding *g)
{
	const struct selection *selection = g->request->selection;
	size_t n = g->profile->tree.n * 2;
	int rc = 0;

	g->weight = selection ? selection->weight : WEIGHT_SAMPLES;
	g->group = selection ? selection->group : GROUP_BY_NEED;
	g->folded = malloc(n * sizeof(*g->folded));
	if (!g->folded)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		g->folded[i].root = FOLD_NONE;
	for (size_t i = 0; rc == 0 && i < g->profile->nstacks; i++)
		rc = add_stack(g, &g->profile->stacks[i]);
	if (!selection || !selection->relative)
		*(g->old ? &g->fold->old_whole : &g->fold->whole) = left_out(g);
	free(g->folded);
	free(g->translated);
	free(g->unnamed);
	callchain_free(&g->chain);
	return rc;
}

static int fold_runs(struct fold *f, const struct profile *p, struct names *names, const struct fold_request *request)
{
	struct folding new = {.fold = f, .common = names, .profile = p, .names = names, .session = request->session,
	                      .request = request};
	struct folding old = {.fold = f, .common = names, .old = true, .profile = request->old, .names = request->old_names,
	                      .session = request->old_session, .request = request};
	int rc = fold_run(&new);

	f->weight = new.weight;
	f->compared = request->old != NULL;
	return rc == 0 && request->old ? fold_run(&old) : rc;
}

/* --- totals -------------------------------------------------------------------------------------------------------- */

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

/* Down the tree without recursion; a function counts where it stands first on the way from the root. */
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

int fold_make(struct fold *f, const struct profile *p, struct names *names, const struct fold_request *request)
{
	int rc;

	*f = (struct fold){0};
	rc = make_root(f);
	if (rc == 0)
		rc = fold_runs(f, p, names, request);
	if (rc == 0) {
		f->nfunctions = names->nfunctions;
		f->functions = calloc(f->nfunctions + 1, sizeof(*f->functions));
		rc = f->functions ? 0 : -ENOMEM;
	}
	if (rc == 0) {
		sum_nodes(f);
		link_children(f, NULL);
		rc = sum_functions(f);
	}
	if (rc != 0)
		fold_free(f);
	return rc;
}

void fold_free(struct fold *f)
{
	free(f->nodes);
	free(f->functions);
	intern_free(&f->index);
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

uint64_t fold_normal(const struct fold *f, uint64_t old)
{
	return f->old_whole ? (uint64_t)(((unsigned __int128)old * f->whole + f->old_whole / 2) / f->old_whole) : 0;
}

/* --- order --------------------------------------------------------------------------------------------------------- */

struct ordering {
	const struct fold *fold;
	const struct names *names;
	enum fold_order order;
};

static double change(const struct fold *f, const struct fold_node *n)
{
	return fabs(fold_share(f, n->total) - fold_old_share(f, n->old_total));
}

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct ordering *o = ctx;
	const struct fold_node *a = &o->fold->nodes[*(const uint32_t *)va], *b = &o->fold->nodes[*(const uint32_t *)vb];
	int by_name;

	if (o->order == FOLD_BY_CHANGE && change(o->fold, a) != change(o->fold, b))
		return change(o->fold, a) > change(o->fold, b) ? -1 : 1;
	if (o->order != FOLD_BY_NAME && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->function == FOLD_NONE || b->function == FOLD_NONE)
		return (a->function == FOLD_NONE) - (b->function == FOLD_NONE);
	by_name = strcmp(o->names->functions[a->function].name, o->names->functions[b->function].name);
	if (by_name != 0)
		return by_name;
	return (a > b) - (a < b);
}

int fold_sort(struct fold *f, const struct names *names, enum fold_order order)
{
	struct ordering o = {f, names, order};
	uint32_t *nodes = malloc(f->n * sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		nodes[i] = (uint32_t)i;
	qsort_r(nodes, f->n, sizeof(*nodes), compare, &o);
	link_children(f, nodes);
	free(nodes);
	return 0;
}
