/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/batches.h"
#include "common/radix_sort.h"
#include "report/profile/noise.h"

#include <errno.h>
#include <stdlib.h>

#define BATCHES_MIN 6 /* fewer tell nothing */
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

static int make_cells(struct batches *b, struct display_stacks *stacks, unsigned states, enum weight weight)
{
	const struct profile *p = stacks->profile;
	uint32_t *functions = malloc(p->tree.n * 2 * sizeof(*functions));
	int rc = functions ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < p->tree.n * 2; i++)
		functions[i] = NO_FUNCTION;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];
		struct cell *cell = &b->cells[b->ncells];

		*cell = (struct cell){.batch = s->slot, .weight = stack_weight(s, weight)};
		if (!(states & 1u << s->state) || cell->weight == 0)
			continue;
		rc = leaf_of(stacks, functions, s, &cell->function);
		b->ncells++;
	}
	free(functions);
	return rc;
}

/* Slots without samples are no batches: the others get numbers without gaps, and their sums. */
static int number_batches(struct batches *b)
{
	uint32_t slot = 0;
	int rc = radix_sort(b->order, b->ncells, by_batch, b);

	for (size_t i = 0; rc == 0 && i < b->ncells; i++) {
		struct cell *cell = &b->cells[b->order[i]];

		b->n += i == 0 || cell->batch != slot;
		slot = cell->batch;
		cell->batch = (uint32_t)b->n - 1;
	}
	b->all = calloc(2 * b->n + 1, sizeof(*b->all));
	if (!b->all)
		return -ENOMEM;
	b->own = b->all + b->n;
	for (size_t i = 0; i < b->ncells; i++) {
		b->all[b->cells[i].batch] += (double)b->cells[i].weight;
		b->sum += (double)b->cells[i].weight;
	}
	return rc;
}

/* The variance of the share of the function whose samples b->own has, by how it goes on from batch to batch. */
static double variance(const struct batches *b, double share)
{
	double squares = 0, before = b->own[0] - share * b->all[0];

	for (size_t i = 1; i < b->n; i++) {
		double here = b->own[i] - share * b->all[i];

		squares += (here - before) * (here - before);
		before = here;
	}
	return squares * (double)b->n / (2 * (double)(b->n - 1)) / (b->sum * b->sum);
}

/* Of all functions together, since one alone has too few batches: with so many independent ones it were as large. */
static double independent(struct batches *b)
{
	double binomial = 0, measured = 0;

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
		binomial += share * (1 - share);
		measured += variance(b, share);
	}
	return measured > 0 ? binomial / measured : 0;
}

static int measure(struct profile *p, struct display_stacks *stacks, unsigned states, enum weight weight)
{
	struct batches b = {.cells = malloc((p->nstacks + 1) * sizeof(*b.cells)),
	                    .order = radix_sort_ids(p->nstacks)};
	int rc = b.cells && b.order ? make_cells(&b, stacks, states, weight) : -ENOMEM;
	double samples = 0;

	for (size_t i = 0; rc == 0 && i < b.ncells; i++)
		b.order[i] = (uint32_t)i;
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

int batches_measure(struct profile *p, struct display_stacks *stacks, unsigned states, enum weight weight)
{
	int rc = 0;

	p->effective = noise_samples(p, states, weight);
	if (p->quantum_ns)
		rc = measure(p, stacks, states, weight);
	display_stacks_free(stacks);
	return rc;
}
