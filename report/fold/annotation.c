/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/annotation.h"
#include "report/profile/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 0, WANTED, UNWANTED };

struct search {
	struct annotation *annotation;
	const struct patterns *wanted;
	struct symbolizer *names;
	uint8_t *verdicts; /* by function */
	size_t nverdicts;
	struct callchain chain;
	size_t stack; /* number of the one at hand */
};

/* --- counting ---------------------------------------------------------------------------------------------------- */

static int count_annotated(const struct search *s, struct annotated_set *set, const struct annotated *key,
                           uint64_t weight, bool leaf)
{
	struct annotated *spot;
	uint32_t id;
	int rc = hash_array_add(&set->by_place, &id, address, key);

	if (rc != 0)
		return rc;
	spot = &set->of[id];
	spot->self += leaf ? weight : 0;
	spot->total += spot->stack != s->stack ? weight : 0;
	spot->stack = s->stack;
	return 0;
}

/* 1, 0, or -ENOMEM. A name is matched once. */
static int is_wanted_function(struct search *s, uint32_t function)
{
	if (array_room_zeroed(&s->verdicts, &s->nverdicts, function, sizeof(*s->verdicts)) != 0)
		return -ENOMEM;
	if (s->verdicts[function] == UNKNOWN)
		s->verdicts[function] =
			patterns_match(s->wanted, s->names->functions[function].name) ? WANTED : UNWANTED;
	return s->verdicts[function] == WANTED;
}

static int annotate_frame(struct search *s, const struct callchain_frame *f, uint64_t weight, bool leaf)
{
	const struct annotated line = {
		.function = f->function, .file = f->file, .line = f->file ? f->line : 0, .stack = SIZE_MAX};
	const struct annotated address = {.function = f->function,
	                                  .program = f->program,
	                                  .address = f->address,
	                                  .caller = f->caller,
	                                  .stack = SIZE_MAX};
	int rc = f->is_outside ? 0 : is_wanted_function(s, f->function);

	if (rc <= 0)
		return rc;
	rc = count_annotated(s, &s->annotation->lines, &line, weight, leaf);
	return rc == 0 ? count_annotated(s, &s->annotation->addresses, &address, weight, leaf) : rc;
}

static int annotate_stacks(struct search *s, const struct fold_request *q)
{
	const struct profile *p = q->run[FOLD_NEW].profile;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->nstacks; i++) {
		uint64_t weight = fold_weight(q, &p->stacks[i]);

		if (weight == 0)
			continue;
		rc = filter_callchain(&s->chain, p, s->names, p->stacks[i].node, p->stacks[i].user);
		s->stack = i;
		for (size_t k = 0; rc == 0 && k < s->chain.n; k++)
			rc = annotate_frame(s, &s->chain.frames[k], weight, k + 1 == s->chain.n);
	}
	return rc;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

/* A set has either lines or addresses. */
static int compare_annotated(const void *va, const void *vb)
{
	const struct annotated *a = va, *b = vb;
	int order = array_compare(a->function, b->function);

	if (order == 0 && a->file != b->file)
		order = !a->file ? -1 : !b->file ? 1 : strcmp(a->file, b->file);
	if (order == 0)
		order = array_compare(a->line, b->line);
	if (order == 0)
		order = array_compare(a->program, b->program);
	if (order == 0)
		order = array_compare(annotated_instruction(a), annotated_instruction(b));
	return order ? order : (int)a->caller - (int)b->caller;
}

const struct annotated *annotation_of(const struct annotated_set *set, uint32_t function, size_t *n)
{
	size_t low, end;

	ARRAY_SEARCH(low, set->n, set->of[low].function < function);
	for (end = low; end < set->n && set->of[end].function == function; end++)
		;
	*n = end - low;
	return *n ? &set->of[low] : NULL;
}

int annotation_make(struct annotation *s, const struct fold_request *request, const struct patterns *wanted)
{
	struct search search = {.annotation = s, .wanted = wanted, .names = request->run[FOLD_NEW].names};
	int rc;

	*s = (struct annotation){0};
	rc = annotate_stacks(&search, request);
	free(search.verdicts);
	callchain_free(&search.chain);
	if (rc != 0) {
		annotation_free(s);
		return rc;
	}
	array_sort(s->lines.of, s->lines.n, sizeof(*s->lines.of), compare_annotated);
	array_sort(s->addresses.of, s->addresses.n, sizeof(*s->addresses.of), compare_annotated);
	return 0;
}

void annotation_free(struct annotation *s)
{
	hash_array_free(&s->lines.by_place);
	hash_array_free(&s->addresses.by_place);
}
