/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold.h"
#include "report/unwind/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one domain's fold needs for each node of the call tree. */
struct folding {
	struct fold *fold;
	const struct profile *profile;
	struct names *names;
	const struct fold_request *request;
	bool user; /* of user mode's stacks: they are folded by themselves */
	uint64_t *self, *total;
	uint32_t *inner; /* the node in the fold where this frame is a caller */
	bool *unnamed;   /* by function: met already */
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

/* --- one domain ---------------------------------------------------------------------------------------------------- */

static uint64_t weigh_domain(struct folding *g, uint32_t domain)
{
	const struct profile *p = g->profile;
	uint64_t sum = 0;

	memset(g->self, 0, p->tree.n * sizeof(*g->self));
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];

		if (s->domain == domain && (g->request->states & 1u << s->state) && stack_is_user(s) == g->user) {
			g->self[s->node] += s->samples;
			sum += s->samples;
		}
	}
	if (sum == 0)
		return 0;
	memcpy(g->total, g->self, p->tree.n * sizeof(*g->total));
	for (size_t i = p->tree.n - 1; i > 0; i--)
		g->total[p->tree.nodes[i].parent] += g->total[i];
	return sum;
}

void fold_domain_name(const struct upf_session *session, uint32_t domain, char *text, size_t size)
{
	if (domain < session->ndomains && session->domains[domain].name)
		snprintf(text, size, "%s", session->domains[domain].name);
	else if (domain < session->ndomains)
		snprintf(text, size, "[domain %u]", session->domains[domain].id);
	else
		snprintf(text, size, "[unknown domain %u]", domain);
}

/* Where the domain's stacks begin: the root itself when there is one domain only. */
static int domain_root(struct folding *g, uint32_t domain, uint32_t *root)
{
	char text[256];
	uint32_t function;
	int rc;

	*root = 0;
	if (g->request->session->ndomains <= 1)
		return 0;
	fold_domain_name(g->request->session, domain, text, sizeof(text));
	rc = names_function(g->names, text, &function);
	return rc == 0 ? find_child(g->fold, 0, function, root) : rc;
}

static int note_unnamed(struct folding *g, uint32_t function, uint64_t samples)
{
	size_t old = g->unnamed_cap;

	g->fold->frames += samples;
	if (g->names->functions[function].named)
		return 0;
	if (array_room(&g->unnamed, &g->unnamed_cap, function, sizeof(*g->unnamed)) != 0)
		return -ENOMEM;
	memset(g->unnamed + old, 0, (g->unnamed_cap - old) * sizeof(*g->unnamed));
	g->fold->unnamed_frames += samples;
	g->fold->unnamed += !g->unnamed[function];
	g->unnamed[function] = true;
	return 0;
}

/*
 * In user mode what has no name is no function of its own: [user] stands for it, as there are programs without number. An
 * address in the kernel's half is there by accident, from a stack without frame pointers.
 */
bool fold_hides(const struct names *names, uint64_t address, uint32_t function)
{
	return address >> 63 || !names->functions[function].named;
}

/* The fold's node for call tree node @i, as a caller or as the leaf; @samples of it are counted. */
static int fold_frame(struct folding *g, size_t i, bool caller, uint64_t samples, uint32_t *node)
{
	const struct call_node *frame = &g->profile->tree.nodes[i];
	struct frame_name name;
	int rc = names_find(g->names, frame->address, caller && !(frame->flags & FRAME_EXACT), &name);

	if (rc == 0 && g->user && fold_hides(g->names, frame->address, name.function)) {
		*node = g->inner[frame->parent];
		return 0;
	}
	if (rc == 0)
		rc = note_unnamed(g, name.function, samples);
	return rc == 0 ? find_child(g->fold, g->inner[frame->parent], name.function, node) : rc;
}

/* Samples whose stack is empty: the vCPU had no registers to start from. */
static int fold_empty(struct folding *g)
{
	uint32_t function, node;
	int rc;

	if (g->self[0] == 0)
		return 0;
	rc = names_function(g->names, "[no stack]", &function);
	if (rc == 0)
		rc = find_child(g->fold, g->inner[0], function, &node);
	if (rc == 0)
		g->fold->nodes[node].self += g->self[0];
	return rc;
}

/* Where the stacks of user mode begin. */
static int user_root(struct folding *g, uint32_t *root)
{
	uint32_t function;
	int rc = names_function(g->names, "[user]", &function);

	return rc == 0 ? find_child(g->fold, *root, function, root) : rc;
}

/* A domain's stacks of one mode. */
static int fold_mode(struct folding *g, uint32_t domain, bool user)
{
	uint64_t samples;
	int rc;

	g->user = user;
	samples = weigh_domain(g, domain);
	if (samples == 0)
		return 0;
	g->fold->samples += samples;
	rc = domain_root(g, domain, &g->inner[0]);
	if (rc == 0 && user)
		rc = user_root(g, &g->inner[0]);
	if (rc == 0)
		rc = fold_empty(g);
	for (size_t i = 1; rc == 0 && i < g->profile->tree.n; i++) {
		uint64_t below = g->total[i] - g->self[i];
		uint32_t leaf = 0;

		if (below)
			rc = fold_frame(g, i, true, below, &g->inner[i]);
		if (rc == 0 && g->self[i])
			rc = fold_frame(g, i, false, g->self[i], &leaf);
		if (rc == 0 && g->self[i])
			g->fold->nodes[leaf].self += g->self[i];
	}
	return rc;
}

static int fold_domain(struct folding *g, uint32_t domain)
{
	int rc = fold_mode(g, domain, false);

	return rc == 0 ? fold_mode(g, domain, true) : rc;
}

/* Every domain that has stacks, once, in the order of their numbers. */
static int fold_domains(struct folding *g)
{
	uint32_t domain = 0, next = 0;
	int rc = 0;

	for (bool more = true; rc == 0 && more; domain = next + 1) {
		more = false;
		for (size_t i = 0; i < g->profile->nstacks; i++) {
			uint32_t other = g->profile->stacks[i].domain;

			if (other >= domain && (!more || other < next)) {
				next = other;
				more = true;
			}
		}
		if (more)
			rc = fold_domain(g, next);
		if (next == UINT32_MAX)
			break;
	}
	return rc;
}

static int fold_all(struct fold *f, const struct profile *p, struct names *names, const struct fold_request *request)
{
	struct folding g = {.fold = f, .profile = p, .names = names, .request = request};
	int rc = -ENOMEM;

	g.self = calloc(p->tree.n, sizeof(*g.self));
	g.total = calloc(p->tree.n, sizeof(*g.total));
	g.inner = calloc(p->tree.n, sizeof(*g.inner));
	if (g.self && g.total && g.inner)
		rc = fold_domains(&g);
	free(g.self);
	free(g.total);
	free(g.inner);
	free(g.unnamed);
	return rc;
}

/* --- totals -------------------------------------------------------------------------------------------------------- */

static void sum_nodes(struct fold *f)
{
	for (size_t i = f->n; i-- > 0;) {
		struct fold_node *node = &f->nodes[i];

		node->total += node->self;
		if (i > 0)
			f->nodes[node->parent].total += node->total;
	}
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
		if (on_path[node->function]++ == 0)
			function->total += node->total;
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
		rc = fold_all(f, p, names, request);
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

/* --- order --------------------------------------------------------------------------------------------------------- */

struct ordering {
	const struct fold *fold;
	const struct names *names;
	enum fold_order order;
};

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct ordering *o = ctx;
	const struct fold_node *a = &o->fold->nodes[*(const uint32_t *)va], *b = &o->fold->nodes[*(const uint32_t *)vb];
	int by_name;

	if (o->order == FOLD_BY_TOTAL && a->total != b->total)
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
