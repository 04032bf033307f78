/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.c - a function's code followed from its beginning along every way it can take, so that at each instruction it
 * is known what lies on the stack. In what compilers make, every way to an instruction agrees.
 *
 * What follows a call is reached by it only if the callee returns; where that disagrees with a jump to the same place,
 * the jump is right: abort() and its like do not return. Where a jump through a register goes nobody tells; in the
 * pieces of a function that nothing else reaches, the stack is taken to be as at those jumps if they agree.
 */
#include "report/unwind/code.h"

#include "common/hash_table.h"
#include "report/unwind/flow.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS_MAX 65536 /* in one function */
#define VISITS_MAX 8           /* of one instruction, on average */
#define JUMPS_MAX 64           /* out of one function, remembered */
#define REACH_MAX 64           /* functions looked through by code_reaches() */

/* How an instruction is come to, the weakest first. */
enum arrival { AFTER_CALL, GUESSED, BY_FLOW };

#define FROM_OUTSIDE UINT32_MAX
#define FROM_SEVERAL (UINT32_MAX - 1)

struct at {
	uint64_t address;
	struct frame_state before;
	uint32_t from;   /* number of the instruction that led here */
	uint8_t arrival; /* enum arrival */
	uint8_t size;
	bool disagreed; /* two ways led here with different stacks */
};

/* [start, end): a function's main part and the cold part that compilers put elsewhere. */
struct part {
	uint64_t start, end;
};

struct function {
	struct part part[2];
	struct at *at; /* by address, once followed */
	size_t n;
	uint64_t jumps[JUMPS_MAX]; /* where tail calls go */
	size_t njumps;
	bool jumps_anywhere; /* a tail call through a register, or more of them than that */
};

struct code {
	const struct image *image;
	const struct symbols *symbols;
	struct flow_reader *reader;
	struct function **functions;
	size_t nfunctions, cap;
	struct hash_table by_start;
	const struct symbol_range **cold; /* symbols of cold parts */
	size_t ncold, cold_cap;
};

/* --- which function ---------------------------------------------------------------------------------------------- */

/* Other symbols may lie inside a function, as labels do: it goes on behind them. */
static struct part part_at(const struct symbols *s, const struct symbol_range *range)
{
	const struct symbol_range *end = s->ranges + s->nranges;
	struct part p = {range->symbol_start, range->end};

	for (const struct symbol_range *next = range + 1; next < end && next->symbol_start == p.start; next++)
		p.end = next->end;
	return p;
}

/* gcc calls the cold part of f f.cold, clang too. The length of f; 0: this is no cold part. */
static size_t cold_stem(const char *name)
{
	const char *dot = strstr(name, ".cold");

	return dot && (dot[5] == '\0' || dot[5] == '.') ? (size_t)(dot - name) : 0;
}

/* Lists the cold parts there are: looking through all symbols for each function would take long. */
static int list_cold(struct code *c)
{
	for (size_t i = 0; i < c->symbols->nranges; i++) {
		const struct symbol_range *range = &c->symbols->ranges[i];

		if (range->start != range->symbol_start || !cold_stem(symbols_name(c->symbols, range)))
			continue;
		if (array_room(&c->cold, &c->cold_cap, c->ncold, sizeof(range)) != 0)
			return -ENOMEM;
		c->cold[c->ncold++] = range;
	}
	return 0;
}

static const struct symbol_range *find_cold(const struct code *c, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < c->ncold; i++) {
		const char *other = symbols_name(c->symbols, c->cold[i]);

		if (cold_stem(other) == len && strncmp(other, name, len) == 0)
			return c->cold[i];
	}
	return NULL;
}

/* The function whose name is the first @len bytes of @name. */
static const struct symbol_range *find_hot(const struct code *c, const char *name, size_t len)
{
	for (size_t i = 0; i < c->symbols->nranges; i++) {
		const struct symbol_range *range = &c->symbols->ranges[i];
		const char *other = symbols_name(c->symbols, range);

		if (range->start == range->symbol_start && strncmp(other, name, len) == 0 && other[len] == '\0')
			return range;
	}
	return NULL;
}

/* The parts of the function at @address. False: no symbol there, or a cold part of nothing. */
static bool find_parts(const struct code *c, uint64_t address, struct part *part)
{
	const struct symbol_range *here = symbols_range(c->symbols, address), *cold;
	const char *name;
	size_t stem;

	if (!here)
		return false;
	name = symbols_name(c->symbols, here);
	stem = cold_stem(name);
	cold = stem ? here : find_cold(c, name);
	if (stem)
		here = find_hot(c, name, stem);
	if (!here)
		return false;
	part[0] = part_at(c->symbols, here);
	part[1] = cold ? part_at(c->symbols, cold) : (struct part){0, 0};
	return true;
}

static bool in_parts(const struct part *part, uint64_t address)
{
	return (address >= part[0].start && address < part[0].end) ||
	       (address >= part[1].start && address < part[1].end);
}

/* --- following it ------------------------------------------------------------------------------------------------ */

struct step {
	uint64_t address;
	struct frame_state state;
	uint32_t from;
	uint8_t arrival;
};

struct follow {
	struct code *code;
	struct function *f;
	size_t at_cap;
	struct hash_table by_address;
	struct step *steps; /* still to be taken */
	size_t nsteps, steps_cap;
	struct step *later; /* behind calls: when all else is done */
	size_t nlater, later_cap;
	size_t visits;
	bool has_frame; /* something is pushed somewhere */
	/* Jumps that go nobody knows where: with a frame made, within the function; else perhaps to another. */
	struct unread {
		bool any, agree;
		struct frame_state state;
	} inside, outside;
};

static int plan(struct follow *w, uint64_t address, const struct frame_state *state, uint32_t from,
                enum arrival arrival)
{
	const struct step step = {address, *state, from, (uint8_t)arrival};

	if (arrival == AFTER_CALL) {
		if (array_room(&w->later, &w->later_cap, w->nlater, sizeof(step)) != 0)
			return -ENOMEM;
		w->later[w->nlater++] = step;
		return 0;
	}
	if (array_room(&w->steps, &w->steps_cap, w->nsteps, sizeof(step)) != 0)
		return -ENOMEM;
	w->steps[w->nsteps++] = step;
	return 0;
}

static struct at *find_at(struct follow *w, uint64_t address, uint32_t *hash)
{
	uint32_t id;

	*hash = hash_table_hash(&w->by_address, address, 0);
	for (size_t i = hash_table_first(&w->by_address, *hash); hash_table_id(&w->by_address, &i, *hash, &id);
	     i = hash_table_next(&w->by_address, i))
		if (w->f->at[id].address == address)
			return &w->f->at[id];
	return NULL;
}

/* True: this way to the instruction tells something new, and it is to be followed from there. */
static bool arrive(struct at *at, const struct step *s)
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
	struct function *f = w->f;

	if (f->njumps == JUMPS_MAX)
		f->jumps_anywhere = true;
	else
		f->jumps[f->njumps++] = target;
	return 0;
}

static int go_to(struct follow *w, uint64_t target, const struct frame_state *state, uint32_t from)
{
	/* Its own beginning again is a loop or a call of itself: the stack tells which, and either is known. */
	return in_parts(w->f->part, target) ? plan(w, target, state, from, BY_FLOW) : leave_function(w, target);
}

static bool is_bare(const struct frame_state *state)
{
	return state->sp_known && state->sp == flow_entry().sp;
}

static void note_indirect(struct follow *w, const struct frame_state *state)
{
	struct unread *u = is_bare(state) ? &w->outside : &w->inside;

	u->agree = !u->any || (u->agree && flow_same(&u->state, state));
	u->any = true;
	u->state = *state;
	if (u == &w->outside || !state->sp_known)
		w->f->jumps_anywhere = true;
}

/* The ways on from instruction number @i, with @after behind it. */
static int go_on(struct follow *w, uint32_t i, const struct instruction *x, const struct frame_state *after)
{
	uint64_t next = w->f->at[i].address + x->size;
	int rc = 0;

	switch (x->flow) {
	case FLOW_NEXT:
		return plan(w, next, after, i, BY_FLOW);
	case FLOW_CALL:
		return plan(w, next, after, i, AFTER_CALL);
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
	return 0;
}

static int add_at(struct follow *w, const struct step *s, uint32_t hash, uint32_t *i)
{
	if (w->f->n >= INSTRUCTIONS_MAX)
		return -E2BIG;
	if (array_room(&w->f->at, &w->at_cap, w->f->n, sizeof(*w->f->at)) != 0)
		return -ENOMEM;
	*i = (uint32_t)w->f->n++;
	w->f->at[*i] = (struct at){.address = s->address, .before = s->state, .from = s->from, .arrival = s->arrival};
	hash_table_add(&w->by_address, hash, *i);
	return 0;
}

static int take_step(struct follow *w, const struct step *s)
{
	struct frame_state state = s->state;
	struct instruction x;
	const uint8_t *code;
	uint32_t hash, i;
	struct at *at;
	size_t left;
	int rc;

	if (!in_parts(w->f->part, s->address))
		return 0;
	if (w->visits++ > (size_t)VISITS_MAX * INSTRUCTIONS_MAX)
		return -E2BIG;
	rc = hash_table_reserve(&w->by_address);
	if (rc != 0)
		return rc;
	at = find_at(w, s->address, &hash);
	if (at && !arrive(at, s))
		return 0;
	code = image_code(w->code->image, s->address, &left);
	if (!code || !flow_step(w->code->reader, code, left, s->address, &state, &x))
		return 0;
	if (at)
		i = (uint32_t)(at - w->f->at);
	else
		rc = add_at(w, s, hash, &i);
	if (rc != 0)
		return rc;
	w->f->at[i].size = x.size;
	w->has_frame |= !is_bare(&s->state);
	return go_on(w, i, &x, &state);
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

static int by_address(const void *va, const void *vb)
{
	const struct at *a = va, *b = vb;

	return (a->address > b->address) - (a->address < b->address);
}

static bool is_padding(const struct code *c, uint64_t address)
{
	size_t left;
	const uint8_t *code = image_code(c->image, address, &left);

	return !code || *code == 0xcc || *code == 0x90 || (left > 1 && code[0] == 0x0f && code[1] == 0x1f) ||
	       (left > 1 && code[0] == 0x66 &&
	        (code[1] == 0x90 || code[1] == 0x2e || code[1] == 0x66 || code[1] == 0x0f));
}

/* The first code of the main part, from *from on, that nothing has led to: *from. False: there is none. */
static bool find_gap(struct follow *w, uint64_t *from)
{
	const struct part *p = &w->f->part[0];
	uint64_t at = *from;

	while (at < p->end) {
		struct instruction x;
		const uint8_t *code;
		uint32_t hash;
		struct at *known = find_at(w, at, &hash);
		size_t left;

		if (known) {
			at += known->size;
			continue;
		}
		if (!is_padding(w->code, at)) {
			*from = at;
			return true;
		}
		code = image_code(w->code->image, at, &left);
		if (!code || !flow_step(w->code->reader, code, left, at, NULL, &x))
			return false;
		at += x.size;
	}
	return false;
}

/* What is not reached otherwise is where the unreadable jumps go. */
static int fill_gaps(struct follow *w)
{
	const struct unread *u = w->inside.any || w->has_frame ? &w->inside : &w->outside;
	uint64_t at = w->f->part[0].start;
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

static int follow(struct code *c, struct function *f)
{
	struct follow w = {.code = c, .f = f};
	const struct frame_state entry = flow_entry();
	int rc = plan(&w, f->part[0].start, &entry, FROM_OUTSIDE, BY_FLOW);

	if (rc == 0)
		rc = take_steps(&w);
	if (rc == 0)
		rc = fill_gaps(&w);
	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), by_address);
	free(w.steps);
	free(w.later);
	hash_table_free(&w.by_address);
	return rc == -E2BIG ? 0 : rc; /* then the rest is not known */
}

/* The function at @address, followed: NULL with errno ENOENT, ENOMEM. */
static struct function *function_at(struct code *c, uint64_t address)
{
	struct function f = {0}, *made;
	uint32_t hash, id;
	int rc;

	errno = ENOENT;
	if (!find_parts(c, address, f.part))
		return NULL;
	errno = ENOMEM;
	if (hash_table_reserve(&c->by_start) != 0)
		return NULL;
	hash = hash_table_hash(&c->by_start, f.part[0].start, 0);
	for (size_t i = hash_table_first(&c->by_start, hash); hash_table_id(&c->by_start, &i, hash, &id);
	     i = hash_table_next(&c->by_start, i))
		if (c->functions[id]->part[0].start == f.part[0].start)
			return c->functions[id];
	if (array_room(&c->functions, &c->cap, c->nfunctions, sizeof(*c->functions)) != 0 ||
	    !(made = malloc(sizeof(*made))))
		return NULL;
	*made = f;
	rc = follow(c, made);
	if (rc != 0) {
		free(made->at);
		free(made);
		errno = -rc;
		return NULL;
	}
	c->functions[c->nfunctions] = made;
	hash_table_add(&c->by_start, hash, (uint32_t)c->nfunctions++);
	return made;
}

struct code *code_new(const struct image *image, const struct symbols *symbols)
{
	struct code *c;

	if (image_machine(image) != EM_X86_64) {
		errno = ENOTSUP;
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->image = image;
	c->symbols = symbols;
	c->reader = flow_open();
	if (c->reader && list_cold(c) == 0)
		return c;
	code_free(c);
	errno = ENOMEM;
	return NULL;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nfunctions; i++) {
		free(c->functions[i]->at);
		free(c->functions[i]);
	}
	free(c->functions);
	free(c->cold);
	hash_table_free(&c->by_start);
	flow_close(c->reader);
	free(c);
}

int code_row(struct code *c, uint64_t address, struct cfi_row *row)
{
	const struct function *f;
	const struct at *at, key = {.address = address};
	size_t left;

	if (!image_code(c->image, address, &left))
		return -ENOENT;
	f = function_at(c, address);
	if (!f)
		return -errno;
	at = f->n ? bsearch(&key, f->at, f->n, sizeof(*f->at), by_address) : NULL;
	return at && !at->disagreed && flow_row(&at->before, row) ? 0 : -ENODATA;
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

/* The instruction of @size bytes that ends at @address, if that is what is there. */
static bool ends_at(struct code *c, uint64_t address, uint8_t size, struct instruction *x)
{
	size_t left;
	const uint8_t *code = image_code(c->image, address - size, &left);

	return code && left >= size && flow_step(c->reader, code, size, address - size, NULL, x) && x->size == size;
}

enum call_kind code_call_before(struct code *c, uint64_t address, uint64_t *target)
{
	static const uint8_t indirect_sizes[] = {2, 3, 4, 5, 6, 7, 8, 9};
	struct instruction x;
	bool direct = ends_at(c, address, 5, &x) && x.flow == FLOW_CALL && !x.indirect_call;
	const struct symbol_range *callee;
	size_t left;

	if (direct) {
		*target = x.target;
		callee = symbols_range(c->symbols, x.target);
		if (callee && callee->symbol_start == x.target)
			return CALL_DIRECT;
	}
	for (size_t i = 0; i < sizeof(indirect_sizes); i++)
		if (ends_at(c, address, indirect_sizes[i], &x) && x.flow == FLOW_CALL && x.indirect_call)
			return CALL_INDIRECT;
	return direct && image_code(c->image, *target, &left) ? CALL_DIRECT : CALL_NONE;
}

/* Code without a symbol: a stub of the linker's, which goes on where a table says. */
static bool is_stub(struct code *c, uint64_t address)
{
	for (int i = 0; i < 4; i++) {
		struct instruction x;
		size_t left;
		const uint8_t *code = image_code(c->image, address, &left);

		if (!code || !flow_step(c->reader, code, left, address, NULL, &x))
			return false;
		if (x.flow != FLOW_NEXT)
			return x.flow == FLOW_INDIRECT || x.flow == FLOW_JUMP;
		address += x.size;
	}
	return false;
}

bool code_reaches(struct code *c, uint64_t target, uint64_t address)
{
	uint64_t queue[REACH_MAX];
	size_t n = 0;

	queue[n++] = target;
	for (size_t i = 0; i < n; i++) {
		const struct function *f = function_at(c, queue[i]);

		if (!f) {
			if (is_stub(c, queue[i]))
				return true;
			continue;
		}
		if (in_parts(f->part, address) || f->jumps_anywhere)
			return true;
		for (size_t j = 0; j < f->njumps; j++) {
			size_t k = 0;

			while (k < n && queue[k] != f->jumps[j])
				k++;
			if (k == n && n < REACH_MAX)
				queue[n++] = f->jumps[j];
		}
	}
	return false;
}
