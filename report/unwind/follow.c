/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/follow.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>

#define INSTRUCTIONS_MAX 65536 /* in one function */
#define VISITS_MAX 8           /* of one instruction, on average */
#define SWEEP_MAX 1024         /* instructions looked at for a callee's return */
#define SWEEPS_MAX 1000000     /* and for those of all callees */
#define JUMPS_MAX 4            /* tail calls followed for it */

/* How an instruction is reached, the least certain first. */
enum arrival { AFTER_CALL, GUESSED, BY_FLOW };

#define FROM_OUTSIDE UINT32_MAX
#define FROM_SEVERAL (UINT32_MAX - 1)

struct step {
	uint64_t address;
	struct frame_state state;
	uint32_t from;
	uint8_t arrival;
};

struct follow {
	const struct isa *isa;
	const struct image *image;
	struct flow_reader *reader;
	struct followed *f;
	struct step *steps; /* still to be done */
	size_t nsteps, steps_cap;
	struct step *later; /* after calls: when nothing else is left */
	size_t nlater, later_cap;
	size_t visits, swept;
	bool has_frame; /* something is pushed somewhere */
	/* Jumps through a register: with a frame built, within the function; else perhaps to another. */
	struct unread {
		bool any, agree;
		struct frame_state state;
	} inside, outside;
};

static int plan(struct follow *w, uint64_t address, const struct frame_state *state, uint32_t from,
                enum arrival arrival)
{
	const struct step step = {address, *state, from, (uint8_t)arrival};

	return arrival == AFTER_CALL ? array_add(w->later, w->later_cap, w->nlater, step)
	                             : array_add(w->steps, w->steps_cap, w->nsteps, step);
}

static struct followed_at *find_at(const struct follow *w, uint64_t address)
{
	uint32_t id;

	return hash_array_find(&w->f->by_address, &id, address, &(struct followed_at){.address = address})
	               ? &w->f->at[id]
	               : NULL;
}

/* True: this way to the instruction tells something new, and is to be followed from there. */
static bool arrive(struct followed_at *at, const struct step *s)
{
	struct frame_state met;

	if (flow_same(&at->before, &s->state)) {
		if (s->arrival > at->arrival)
			at->arrival = s->arrival;
		return false;
	}
	if ((at->from == s->from && s->from != FROM_OUTSIDE) || at->arrival < s->arrival) {
		at->before = s->state;
		at->from = s->from;
		at->arrival = s->arrival;
		return true;
	}
	if (at->arrival > s->arrival || at->disagreed)
		return false;
	met = at->before;
	at->disagreed = !flow_meet(&met, &s->state);
	if (at->disagreed || flow_same(&met, &at->before))
		return false;
	at->before = met;
	at->from = FROM_SEVERAL;
	return true;
}

static int leave_function(struct follow *w, uint64_t target)
{
	struct followed *f = w->f;

	if (f->njumps == FOLLOWED_JUMPS_MAX)
		f->jumps_anywhere = true;
	else
		f->jumps[f->njumps++] = target;
	return 0;
}

static int go_to(struct follow *w, uint64_t target, const struct frame_state *state, uint32_t from)
{
	/* Its own beginning is a loop or a tail call of itself: the stack tells which, and both are known. */
	return parts_have(w->f->parts, target) ? plan(w, target, state, from, BY_FLOW) : leave_function(w, target);
}

static bool is_bare(const struct follow *w, const struct frame_state *state)
{
	return state->sp_known && state->sp == flow_entry(w->isa).sp;
}

static void note_indirect(struct follow *w, const struct frame_state *state)
{
	struct unread *u = is_bare(w, state) ? &w->outside : &w->inside;

	u->agree = !u->any || (u->agree && flow_same(&u->state, state));
	u->any = true;
	u->state = *state;
	if (u == &w->outside || !state->sp_known)
		w->f->jumps_anywhere = true;
}

/*
 * Bytes of arguments that the function at @address takes off the stack: its first return, or its tail call's, tells.
 */
static uint16_t pops_of(struct follow *w, uint64_t address)
{
	for (unsigned n = 0, jumps = 0; n < SWEEP_MAX && w->swept < SWEEPS_MAX; n++, w->swept++) {
		struct instruction x;
		size_t left;
		const uint8_t *code = image_code(w->image, address, &left), *next;

		if (!code || !flow_step(w->reader, w->isa, code, left, address, NULL, &x))
			break;
		if (x.returns)
			return x.pops;
		address += x.size;
		if (x.flow != FLOW_JUMP)
			continue;
		next = image_code(w->image, address, &left);
		if ((!next || w->isa->is_padding(next, left)) && jumps++ < JUMPS_MAX)
			address = x.target;
	}
	return 0;
}

static int return_to(struct follow *w, uint64_t next, const struct instruction *x, const struct frame_state *after,
                     uint32_t i)
{
	struct frame_state state = *after;

	if (w->isa->callee_pops && !x->indirect_call)
		frame_move_sp(&state, pops_of(w, x->target));
	return plan(w, next, &state, i, AFTER_CALL);
}

/* Plans the ways on from instruction number @i, after which the stack is @after. */
static int follow_on(struct follow *w, uint32_t i, const struct instruction *x, const struct frame_state *after)
{
	uint64_t next = w->f->at[i].address + x->size;
	int rc = 0;

	switch (x->flow) {
	case FLOW_NEXT:
		return plan(w, next, after, i, BY_FLOW);
	case FLOW_CALL:
		return return_to(w, next, x, after, i);
	case FLOW_BRANCH:
		rc = go_to(w, x->target, after, i);
		return rc ? rc : plan(w, next, after, i, BY_FLOW);
	case FLOW_JUMP:
		return go_to(w, x->target, after, i);
	case FLOW_INDIRECT:
		note_indirect(w, after);
		break;
	case FLOW_END:
		break;
	}
	return x->conditional ? plan(w, next, after, i, BY_FLOW) : 0;
}

/* How the function ends here, if it does. @before: the stack. */
static void note_end(struct followed *f, const struct instruction *x, const struct frame_state *before)
{
	f->returns |= x->returns;
	if (!x->resumes)
		return;
	f->resumes_unlike |= !before->sp_known || (f->resumes && f->resumed_below != before->sp);
	f->resumes = true;
	f->resumed_below = before->sp;
}

static int add_at(struct followed *f, const struct step *s, uint32_t *i)
{
	const struct followed_at at = {
		.address = s->address, .before = s->state, .from = s->from, .arrival = s->arrival};

	return f->n < INSTRUCTIONS_MAX ? hash_array_add(&f->by_address, i, address, &at) : -E2BIG;
}

static int take_step(struct follow *w, const struct step *s)
{
	struct frame_state state = s->state;
	struct instruction x;
	const uint8_t *code;
	uint32_t i;
	struct followed_at *at;
	size_t left;
	int rc = 0;

	if (!parts_have(w->f->parts, s->address))
		return 0;
	if (w->visits++ > (size_t)VISITS_MAX * INSTRUCTIONS_MAX)
		return -E2BIG;
	at = find_at(w, s->address);
	if (at && !arrive(at, s))
		return 0;
	code = image_code(w->image, s->address, &left);
	if (!code || !flow_step(w->reader, w->isa, code, left, s->address, &state, &x))
		return 0;
	if (at)
		i = (uint32_t)(at - w->f->at);
	else
		rc = add_at(w->f, s, &i);
	if (rc != 0)
		return rc;
	w->f->at[i].size = x.size;
	note_end(w->f, &x, &s->state);
	w->has_frame |= !is_bare(w, &s->state);
	return follow_on(w, i, &x, &state);
}

static int take_steps(struct follow *w)
{
	int rc = 0;

	while (rc == 0 && (w->nsteps || w->nlater)) {
		struct step s = w->nsteps ? w->steps[--w->nsteps] : w->later[--w->nlater];

		rc = take_step(w, &s);
	}
	return rc;
}

static int compare_starts(const void *va, const void *vb)
{
	const struct followed_at *a = va, *b = vb;

	return array_compare(a->address, b->address);
}

/* Moves *from to the next code of the main part that nothing has led to. False: there is none. */
static bool find_gap(struct follow *w, uint64_t *from)
{
	const struct part *p = &w->f->parts[0];
	uint64_t at = *from;

	while (at < p->end) {
		struct instruction x;
		struct followed_at *known = find_at(w, at);
		size_t left;
		const uint8_t *code = image_code(w->image, at, &left);

		if (!code) /* a symbol may be as large as it says */
			return false;
		if (known || image_is_data(w->image, at)) {
			at += known ? known->size : 1;
			continue;
		}
		if (!w->isa->is_padding(code, left)) {
			*from = at;
			return true;
		}
		if (!flow_step(w->reader, w->isa, code, left, at, NULL, &x))
			return false;
		at += x.size;
	}
	return false;
}

/* Code that is not reached otherwise is where the jumps through registers lead. */
static int fill_gaps(struct follow *w)
{
	const struct unread *u = w->inside.any || w->has_frame ? &w->inside : &w->outside;
	uint64_t at = w->f->parts[0].start;
	int rc = 0;

	if (!u->any || !u->agree)
		return 0;
	while (rc == 0 && find_gap(w, &at)) {
		size_t before = w->f->n;

		rc = plan(w, at, &u->state, FROM_OUTSIDE, GUESSED);
		if (rc == 0)
			rc = take_steps(w);
		if (w->f->n == before) /* not code */
			break;
	}
	return rc;
}

int follow(struct followed *f, const struct image *image, struct flow_reader *reader)
{
	const struct isa *isa = image_isa_at(image, f->parts[0].start);
	struct follow w = {.isa = isa, .image = image, .reader = reader, .f = f};
	const struct frame_state entry = flow_entry(isa);
	int rc = plan(&w, f->parts[0].start, &entry, FROM_OUTSIDE, BY_FLOW);

	f->isa = isa;
	if (rc == 0)
		rc = take_steps(&w);
	if (rc == 0)
		rc = fill_gaps(&w);
	array_sort(f->at, f->n, sizeof(*f->at), compare_starts);
	free(w.steps);
	free(w.later);
	hash_table_free(&f->by_address.table);
	return rc == -E2BIG ? 0 : rc; /* then the rest is not known */
}

const struct followed_at *followed_at(const struct followed *f, uint64_t address)
{
	const struct followed_at key = {.address = address};

	return f->n ? bsearch(&key, f->at, f->n, sizeof(*f->at), compare_starts) : NULL;
}

const struct followed_at *followed_before(const struct followed *f, uint64_t address)
{
	size_t low;

	ARRAY_SEARCH(low, f->n, f->at[low].address < address);
	return low && f->at[low - 1].address + f->at[low - 1].size == address ? &f->at[low - 1] : NULL;
}
