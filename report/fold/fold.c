/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/fold.h"
#include "common/radix_sort.h"
#include "report/input/scope.h"
#include "report/profile/noise.h"

#include <errno.h>
#include <math.h>
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
	const struct fold_request *request;
	enum fold_run run;
	struct display_stacks stacks;
	struct folded *folded; /* by node, kernel's and user mode's apart */
};

bool fold_tells_domains(const struct fold_request *q)
{
	return q->selection->group == GROUP_BY_DOMAIN || q->run[FOLD_NEW].session->ndomains > 1 ||
	       (q->run[FOLD_OLD].profile && q->run[FOLD_OLD].session->ndomains > 1);
}

struct display_stacks fold_stacks(const struct fold_request *q, enum fold_run run)
{
	return (struct display_stacks){.profile = q->run[run].profile,
	                               .names = q->run[run].names,
	                               .common = q->run[FOLD_NEW].names,
	                               .session = q->run[run].session,
	                               .domains = fold_tells_domains(q),
	                               .vcpus = q->selection->group == GROUP_BY_VCPU,
	                               .spaces = q->selection->group == GROUP_BY_SPACE};
}

/* --- one stack --------------------------------------------------------------------------------------------------- */

/* Frames that stand for no code stay in front. */
static void turn_frames(struct callchain *c)
{
	size_t first = 0;

	while (first < c->n && !display_is_code(&c->frames[first]))
		first++;
	callchain_turn(c, first);
}

static enum fold_kind kind_of(const struct folding *g, const struct callchain_frame *frame)
{
	if (!display_is_code(frame))
		return FOLD_GROUP;
	if (!g->stacks.common->functions[frame->function].named)
		return FOLD_ADDRESS;
	return frame->inlined && g->request->page ? FOLD_INLINED : FOLD_FUNCTION;
}

static int fold_stack(struct folding *g, const struct stack *s, struct folded *at)
{
	struct callchain *c = &g->stacks.chain;
	uint32_t frames = 0, leaf = 0;
	int rc = display_stack_make(&g->stacks, s);

	if (rc == 0 && g->request->selection->bottom_up)
		turn_frames(c);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		const struct fold_node node = {.parent = leaf,
		                               .function = c->frames[i].function,
		                               .kind = kind_of(g, &c->frames[i]),
		                               .depth = i + 1};

		frames += node.kind != FOLD_GROUP;
		rc = hash_array_add(&g->fold->by_caller, &leaf, kind, &node);
	}
	*at = (struct folded){leaf, s->domain, s->vcpu, frames, g->stacks.unnamed, s->space};
	return rc;
}

/* Labels of domains are stored once, as names are, so that they can be compared by pointer. */
static int find_fold_vcpu(struct folding *g, const struct stack *s, uint32_t *vcpu)
{
	struct fold_vcpu key = {.number = s->vcpu};
	char label[256];
	uint32_t function;
	int rc = 0;

	if (g->stacks.domains) {
		domain_text(g->stacks.session, s->domain, label, sizeof(label));
		rc = symbolizer_function(g->stacks.common, label, &function);
		if (rc == 0)
			key.domain = g->stacks.common->functions[function].name;
	}
	return rc == 0 ? hash_array_add(&g->fold->by_vcpu, vcpu, number, &key) : rc;
}

static int count_vcpu(struct folding *g, const struct stack *s, uint32_t node, uint64_t weight)
{
	struct fold_stack key = {.node = node};
	uint32_t stack;
	int rc = find_fold_vcpu(g, s, &key.vcpu);

	if (rc == 0)
		rc = hash_array_add(&g->fold->by_stack, &stack, vcpu, &key);
	if (rc != 0)
		return rc;
	g->fold->stacks[stack].weight[g->run] += weight;
	if (g->run == FOLD_NEW)
		g->fold->stack_of[s - g->stacks.profile->stacks] = stack;
	return 0;
}

static void count_weight(struct folding *g, const struct stack *s, const struct folded *at, uint64_t weight)
{
	g->fold->nodes[at->leaf].w.self[g->run] += weight;
	if (g->run != FOLD_NEW)
		return;
	g->fold->samples += s->samples;
	g->fold->frames += at->frames * s->samples;
	g->fold->unnamed_frames += at->unnamed * s->samples;
}

static bool is_folded(const struct folding *g, const struct folded *at, const struct stack *s)
{
	return at->leaf != FOLD_NONE && (!g->stacks.domains || at->domain == s->domain) &&
	       (!g->stacks.vcpus || at->vcpu == s->vcpu) && (!g->stacks.spaces || at->space == s->space);
}

/* A stack is walked once, however many vCPUs and run states have it. */
static int fold_one_stack(struct folding *g, const struct stack *s)
{
	struct folded *at = &g->folded[(size_t)s->node * 2 + stack_is_user(s)];
	uint64_t weight = fold_weight(g->request, s);
	int rc = weight == 0 || is_folded(g, at, s) ? 0 : fold_stack(g, s, at);

	if (rc != 0 || weight == 0)
		return rc;
	count_weight(g, s, at, weight);
	return g->request->page ? count_vcpu(g, s, at->leaf, weight) : 0;
}

/* --- one run ----------------------------------------------------------------------------------------------------- */

static int fold_run(struct fold *f, const struct fold_request *q, enum fold_run run)
{
	struct folding g = {.fold = f, .request = q, .run = run, .stacks = fold_stacks(q, run)};
	const struct profile *p = q->run[run].profile;
	size_t n = p->tree.n * 2;
	int rc = 0;

	if (!q->selection->relative)
		f->whole[run] = profile_left_out(p, q->selection->states, f->weight);
	g.folded = malloc(n * sizeof(*g.folded));
	if (!g.folded)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		g.folded[i].leaf = FOLD_NONE;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++)
		rc = fold_one_stack(&g, &p->stacks[i]);
	free(g.folded);
	display_stacks_free(&g.stacks);
	return rc;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

struct ordering {
	const struct fold *fold;
	const uint32_t *ranks; /* of functions, by name */
};

static const struct fold_node *node_of(const void *ctx, uint32_t node)
{
	return &((const struct ordering *)ctx)->fold->nodes[node];
}

static uint64_t by_name(const void *ctx, uint32_t n)
{
	const struct fold_node *node = node_of(ctx, n);

	return n == 0 ? 0 : (uint64_t)((const struct ordering *)ctx)->ranks[node->function] << 8 | node->kind;
}

static uint64_t by_total(const void *ctx, uint32_t node)
{
	return ~node_of(ctx, node)->w.total[FOLD_NEW];
}

static uint64_t node_change(const void *ctx, uint32_t node)
{
	return fold_largest_change_first(((const struct ordering *)ctx)->fold, node_of(ctx, node)->w.total);
}

static uint64_t by_depth(const void *ctx, uint32_t node)
{
	return node_of(ctx, node)->depth;
}

static uint64_t by_node(const void *ctx, uint32_t stack)
{
	const struct fold_stack *s = &((const struct ordering *)ctx)->fold->stacks[stack];

	return (uint64_t)s->node << 32 | s->vcpu;
}

/* Makes nodes depth first; @moved gets their new numbers, in the order of @order if that has callers first. */
static int move_nodes(struct fold *f, const uint32_t *order, uint32_t *moved)
{
	struct fold_node *nodes = malloc(f->n * sizeof(*nodes));
	uint32_t *next = malloc(f->n * sizeof(*next)); /* where what a node called goes */

	if (!nodes || !next) {
		free(nodes);
		free(next);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct fold_node *node = &f->nodes[order[i]];
		uint32_t to = order[i] == 0 ? 0 : next[node->parent];

		if (order[i] != 0)
			next[node->parent] += 1 + node->below;
		moved[order[i]] = to;
		next[order[i]] = to + 1;
		nodes[to] = *node;
		nodes[to].parent = moved[node->parent];
	}
	free(next);
	free(f->nodes);
	f->nodes = nodes;
	f->by_caller.cap = f->n;
	return 0;
}

static int sort_stacks(struct ordering *o, struct fold *f, const uint32_t *moved)
{
	struct fold_stack *stacks = malloc((f->nstacks + 1) * sizeof(*stacks));
	uint32_t *order = radix_sort_ids(f->nstacks), *place = radix_sort_ids(f->nstacks);
	int rc = stacks && order && place ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < f->nstacks; i++)
		f->stacks[i].node = moved[f->stacks[i].node];
	if (rc == 0)
		rc = radix_sort(order, f->nstacks, by_node, o);
	for (size_t i = 0; rc == 0 && i < f->nstacks; i++) {
		stacks[i] = f->stacks[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; rc == 0 && i < f->nstack_of; i++)
		if (f->stack_of[i] != FOLD_NONE)
			f->stack_of[i] = place[f->stack_of[i]];
	free(order);
	free(place);
	free(rc == 0 ? f->stacks : stacks);
	if (rc == 0) {
		f->stacks = stacks;
		f->by_stack.cap = f->nstacks + 1;
	}
	return rc;
}

/* By @keys, the least important first. */
static int sort_by(struct fold *f, const uint32_t *ranks, uint64_t (*const keys[])(const void *ctx, uint32_t id))
{
	struct ordering o = {f, ranks};
	uint32_t *order = radix_sort_ids(f->n), *moved = radix_sort_ids(f->n);
	int rc = order && moved ? 0 : -ENOMEM;

	for (; rc == 0 && *keys; keys++)
		rc = radix_sort(order, f->n, *keys, &o);
	if (rc == 0)
		rc = radix_sort(order, f->n, by_depth, &o);
	if (rc == 0)
		rc = move_nodes(f, order, moved);
	if (rc == 0 && f->nstacks)
		rc = sort_stacks(&o, f, moved);
	free(order);
	free(moved);
	return rc;
}

int fold_sort(struct fold *f, const struct symbolizer *names, enum fold_order order)
{
	static uint64_t (*const keys[][4])(const void *ctx,
	                                   uint32_t id) = {[FOLD_BY_TOTAL] = {by_name, by_total},
	                                                   [FOLD_BY_NAME] = {by_name},
	                                                   [FOLD_BY_CHANGE] = {by_name, by_total, node_change}};
	uint32_t *ranks = symbolizer_ranks(names, strcmp);
	int rc = ranks ? sort_by(f, ranks, keys[order]) : -ENOMEM;

	free(ranks);
	return rc;
}

/* --- totals ------------------------------------------------------------------------------------------------------ */

static void sum_nodes(struct fold *f)
{
	for (size_t i = f->n; i-- > 0;) {
		struct fold_node *node = &f->nodes[i], *caller = &f->nodes[node->parent];

		for (unsigned r = 0; r < FOLD_RUNS; r++) {
			node->w.total[r] += node->w.self[r];
			caller->w.total[r] += i > 0 ? node->w.total[r] : 0;
		}
		caller->below += i > 0 ? node->below + 1 : 0;
	}
	for (unsigned r = 0; r < FOLD_RUNS; r++) {
		f->total[r] = f->nodes[0].w.total[r];
		f->whole[r] += f->total[r];
	}
}

/* A function counts where it comes first on the way from the root: not below that node again. */
static int sum_functions(struct fold *f, const struct symbolizer *names)
{
	uint32_t *end = calloc(names->nfunctions + 1, sizeof(*end)); /* of what is below the node that counted last */

	f->nfunctions = names->nfunctions;
	f->functions = calloc(f->nfunctions + 1, sizeof(*f->functions));
	if (!end || !f->functions) {
		free(end);
		return -ENOMEM;
	}
	for (uint32_t i = 1; i < f->n; i++) {
		const struct fold_node *node = &f->nodes[i];
		struct fold_weights *w = &f->functions[node->function];
		bool first = i >= end[node->function];

		for (unsigned r = 0; r < FOLD_RUNS; r++) {
			w->self[r] += node->w.self[r];
			w->total[r] += first ? node->w.total[r] : 0;
		}
		if (first)
			end[node->function] = i + 1 + node->below;
	}
	for (size_t i = 0; i < f->nfunctions; i++)
		f->unnamed += !names->functions[i].named && f->functions[i].total[FOLD_NEW];
	free(end);
	return 0;
}

/* What names left out was sampled as well, and is taken to be as noisy as what they kept. */
static double effective_samples(const struct profile *p, const struct fold *f, unsigned states, enum fold_run run)
{
	double samples = p->effective > 0 ? p->effective : noise_samples(p, states, f->weight);

	return f->total[run]   ? samples * ((double)f->whole[run] / (double)f->total[run])
	       : f->whole[run] ? (double)profile_left_out(p, states, WEIGHT_SAMPLES)
	                       : 0;
}

static int prepare_fold(struct fold *f, const struct fold_request *q)
{
	const struct fold_node root = {.function = FOLD_NONE};
	const struct profile *p = q->run[FOLD_NEW].profile, *old = q->run[FOLD_OLD].profile;
	uint32_t id;

	*f = (struct fold){
		.weight = q->selection->weight,
		.unit = profile_unit(p, old, q->selection->weight),
		.compared = old != NULL,
	};
	if (q->page) {
		f->nstack_of = p->nstacks;
		f->stack_of = malloc((p->nstacks + 1) * sizeof(*f->stack_of));
		if (!f->stack_of)
			return -ENOMEM;
		memset(f->stack_of, 0xff, p->nstacks * sizeof(*f->stack_of)); /* FOLD_NONE */
	}
	return hash_array_add(&f->by_caller, &id, kind, &root);
}

int fold_make(struct fold *f, const struct fold_request *q)
{
	static uint64_t (*const no_keys[])(const void *ctx, uint32_t id) = {NULL};
	int rc = prepare_fold(f, q);

	for (unsigned r = 0; rc == 0 && r < FOLD_RUNS; r++)
		rc = q->run[r].profile ? fold_run(f, q, r) : 0;
	if (rc == 0) {
		sum_nodes(f);
		rc = sort_by(f, NULL, no_keys);
	}
	if (rc == 0)
		rc = sum_functions(f, q->run[FOLD_NEW].names);
	for (unsigned r = 0; rc == 0 && r < FOLD_RUNS; r++)
		if (q->run[r].profile)
			f->effective[r] = effective_samples(q->run[r].profile, f, q->selection->states, r);
	if (rc != 0)
		fold_free(f);
	return rc;
}

void fold_free(struct fold *f)
{
	free(f->functions);
	free(f->stack_of);
	hash_array_free(&f->by_caller);
	hash_array_free(&f->by_stack);
	hash_array_free(&f->by_vcpu);
	*f = (struct fold){0};
}

/* --- shares ------------------------------------------------------------------------------------------------------ */

double fold_share_of(const struct fold *f, enum fold_run run, uint64_t weight)
{
	return f->whole[run] ? (double)weight / (double)f->whole[run] : 0;
}

double fold_change(const struct fold *f, const uint64_t weight[FOLD_RUNS])
{
	return fold_share_of(f, FOLD_NEW, weight[FOLD_NEW]) - fold_share_of(f, FOLD_OLD, weight[FOLD_OLD]);
}

uint64_t fold_largest_change_first(const struct fold *f, const uint64_t weight[FOLD_RUNS])
{
	double change = fabs(fold_change(f, weight));
	uint64_t bits;

	memcpy(&bits, &change, sizeof(bits)); /* of numbers that are not negative, the bits have the same order */
	return ~bits;
}

bool fold_reaches(const struct fold *f, const uint64_t weight[FOLD_RUNS], double limit)
{
	return fold_share_of(f, FOLD_NEW, weight[FOLD_NEW]) >= limit ||
	       fold_share_of(f, FOLD_OLD, weight[FOLD_OLD]) >= limit;
}

double fold_error(const struct fold *f, uint64_t weight)
{
	return noise_error(fold_share(f, weight), f->effective[FOLD_NEW]);
}

double fold_change_error(const struct fold *f, const uint64_t weight[FOLD_RUNS])
{
	return noise_error_of_change(fold_share_of(f, FOLD_OLD, weight[FOLD_OLD]), f->effective[FOLD_OLD],
	                             fold_share(f, weight[FOLD_NEW]), f->effective[FOLD_NEW]);
}

uint64_t fold_normal(const struct fold *f, uint64_t old)
{
	uint64_t whole = f->whole[FOLD_OLD];

	return whole ? (uint64_t)(((unsigned __int128)old * f->whole[FOLD_NEW] + whole / 2) / whole) : 0;
}
