/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/batches.h"
#include "common/radix_sort.h"
#include "report/profile/noise.h"

#include <errno.h>
#include <stdlib.h>

#define BATCHES_MIN 6  /* fewer tell nothing */
#define BATCHES_MAX 64 /* many traces have more: neighbours become one */
#define SHARE_MIN 1e-4 /* of functions that are looked at: all others together weigh little or nothing */
#define NO_FUNCTION UINT32_MAX

/* What one stack adds to its leaf's function in one batch. */
struct cell {
	uint32_t function, batch;
	uint64_t weight;
};

struct batches {
	struct cell *cells;
	uint32_t *order; /* of the cells */
	size_t ncells, n;
	double *all, *own; /* by batch: what all samples weigh, and those of one function */
	double *differ;    /* by lag: by how much batches differ from those that are so many later */
	double sum;        /* of all */
};

static uint64_t by_batch(const void *ctx, uint32_t cell)
{
	return ((const struct batches *)ctx)->cells[cell].batch;
}

static uint64_t by_function(const void *ctx, uint32_t cell)
{
	return ((const struct batches *)ctx)->cells[cell].function;
}

/* The function that a stack ends in; found once for each leaf. */
static int leaf_of(struct display_stacks *stacks, uint32_t *functions, const struct stack *s, uint32_t *function)
{
	uint32_t *known = &functions[(size_t)s->node * 2 + stack_is_user(s)];
	int rc = *known == NO_FUNCTION ? display_stack_make(stacks, s) : 0;

	if (rc == 0 && *known == NO_FUNCTION && stacks->chain.n)
		*known = stacks->chain.frames[stacks->chain.n - 1].function;
	*function = *known;
	return rc;
}

static int make_cells(struct batches *b, const struct fold_request *q)
{
	const struct profile *p = q->run[FOLD_NEW].profile;
	struct display_stacks stacks = fold_stacks(q, FOLD_NEW);
	uint32_t *functions = malloc(p->tree.n * 2 * sizeof(*functions));
	int rc = functions ? 0 : -ENOMEM;

	stacks.domains = stacks.vcpus = stacks.spaces = false;
	for (size_t i = 0; rc == 0 && i < p->tree.n * 2; i++)
		functions[i] = NO_FUNCTION;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];
		struct cell cell = {.batch = s->slot, .weight = fold_weight(q, s)};

		if (cell.weight == 0)
			continue;
		rc = leaf_of(&stacks, functions, s, &cell.function);
		b->order[b->ncells] = (uint32_t)b->ncells;
		b->cells[b->ncells++] = cell;
	}
	free(functions);
	display_stacks_free(&stacks);
	return rc;
}

/* Slots without samples are no batches: the others get numbers without gaps, and their sums. */
static int number_batches(struct batches *b)
{
	uint32_t slot = 0;
	size_t each;
	int rc = radix_sort(b->order, b->ncells, by_batch, b);

	for (size_t i = 0; rc == 0 && i < b->ncells; i++) {
		struct cell *cell = &b->cells[b->order[i]];

		b->n += i == 0 || cell->batch != slot;
		slot = cell->batch;
		cell->batch = (uint32_t)b->n - 1;
	}
	each = (b->n + BATCHES_MAX - 1) / BATCHES_MAX;
	for (size_t i = 0; each > 1 && i < b->ncells; i++)
		b->cells[i].batch /= (uint32_t)each;
	b->n = each > 1 ? (b->n - 1) / each + 1 : b->n;
	b->all = calloc(3 * b->n + 1, sizeof(*b->all));
	if (!b->all)
		return -ENOMEM;
	b->own = b->all + b->n;
	b->differ = b->own + b->n;
	for (size_t i = 0; i < b->ncells; i++) {
		b->all[b->cells[i].batch] += (double)b->cells[i].weight;
		b->sum += (double)b->cells[i].weight;
	}
	return rc;
}

/* Up to this lag, differences between batches are noise; those that come slower are phases of the guest's work. */
static size_t longest(const struct batches *b)
{
	return b->n / 16 ? b->n / 16 : 1;
}

/* Adds by how much batches differ in the share of the function whose samples b->own has, by lag: half the variogram. */
static void add_function_variance(struct batches *b, double share)
{
	for (size_t i = 0; i < b->n; i++)
		b->own[i] -= share * b->all[i];
	for (size_t lag = 1; lag <= longest(b); lag++) {
		for (size_t i = 0; i + lag < b->n; i++) {
			double difference = b->own[i + lag] - b->own[i];

			b->differ[lag] += difference * difference / (2 * (double)(b->n - lag));
		}
	}
}

/*
 * The variance of a share, of all functions together. Batches that are not alike differ by most; as far as nearer ones
 * differ less they are alike, and add to it. Few that are not alike tell less exactly: by Student's t.
 */
static double variance(const struct batches *b)
{
	double most = 0, sum, alike;

	for (size_t lag = 1; lag <= longest(b); lag++)
		most = b->differ[lag] > most ? b->differ[lag] : most;
	sum = most;
	for (size_t lag = 1; lag < longest(b); lag++)
		sum += 2 * (most - b->differ[lag]);
	alike = most > 0 ? sum / most : 1;
	return (double)b->n * sum * (1 + 2.5 * alike / (double)b->n) / (b->sum * b->sum);
}

/* Of all functions together, since one alone tells too little: with so many independent samples it were as large. */
static double independent(struct batches *b)
{
	double binomial = 0, measured;

	for (size_t i = 0; i < b->ncells;) {
		uint32_t function = b->cells[b->order[i]].function;
		double share = 0;

		for (size_t k = 0; k < b->n; k++)
			b->own[k] = 0;
		for (; i < b->ncells && b->cells[b->order[i]].function == function; i++) {
			const struct cell *cell = &b->cells[b->order[i]];

			b->own[cell->batch] += (double)cell->weight;
			share += (double)cell->weight / b->sum;
		}
		if (share < SHARE_MIN)
			continue;
		binomial += share * (1 - share);
		add_function_variance(b, share);
	}
	measured = variance(b);
	return measured > 0 ? binomial / measured : 0;
}

static int measure_batches(struct profile *p, const struct fold_request *q)
{
	struct batches b = {.cells = malloc((p->nstacks + 1) * sizeof(*b.cells)), .order = radix_sort_ids(p->nstacks)};
	int rc = b.cells && b.order ? make_cells(&b, q) : -ENOMEM;
	double samples = 0;

	if (rc == 0)
		rc = number_batches(&b);
	if (rc == 0 && b.n >= BATCHES_MIN)
		rc = radix_sort(b.order, b.ncells, by_function, &b);
	if (rc == 0 && b.n >= BATCHES_MIN)
		samples = independent(&b);
	if (samples > 0 && samples < p->effective)
		p->effective = samples;
	free(b.cells);
	free(b.order);
	free(b.all);
	return rc;
}

int batches_measure(struct profile *p, const struct fold_request *q)
{
	p->effective = noise_samples(p, q->selection->states, q->selection->weight);
	return p->quantum_ns ? measure_batches(p, q) : 0;
}
