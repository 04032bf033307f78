/* SPDX-License-Identifier: BSD-2-Clause */
/* code.c - CFI rows and calls from the code of functions, each of which is followed once (follow.h). */
#include "report/unwind/code.h"

#include "report/isa/flow.h"
#include "report/unwind/follow.h"
#include "report/unwind/parts.h"

#include <errno.h>
#include <stdlib.h>

#define REACH_MAX 64       /* functions searched by code_reaches() */
#define FUNCTION_MAX 4096u /* bytes that code_has_instruction() decodes */

struct known_function {
	struct part main;
	struct followed *followed;
};

struct code {
	const struct image *image;
	const struct symbols *symbols;
	struct flow_reader *reader;
	HASH_ARRAY(struct known_function, functions, nfunctions, by_part);
	struct cold cold;
};

/* --- functions --------------------------------------------------------------------------------------------------- */

/* The function at @address, followed: NULL with errno ENOENT, ENOMEM. */
static struct followed *function_at(struct code *c, uint64_t address)
{
	struct followed f = {0};
	struct known_function new;
	uint32_t id;
	int rc = -ENOMEM;

	errno = ENOENT;
	if (!parts_find(c->symbols, &c->cold, address, f.parts))
		return NULL;
	new.main = f.parts[0];
	if (hash_array_find(&c->by_part, &id, main, &new))
		return c->functions[id].followed;
	new.followed = malloc(sizeof(f));
	if (new.followed) {
		*new.followed = f;
		rc = follow(new.followed, c->image, c->reader);
		if (rc == 0)
			rc = hash_array_add(&c->by_part, &id, main, &new);
		if (rc == 0)
			return new.followed;
		hash_array_free(&new.followed->by_address);
		free(new.followed);
	}
	errno = -rc;
	return NULL;
}

struct code *code_new(const struct image *image, const struct symbols *symbols)
{
	const struct isa *isa = image_isa(image);
	struct code *c;

	if (!isa) {
		errno = ENOTSUP;
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->image = image;
	c->symbols = symbols;
	c->reader = flow_open(isa);
	if (c->reader && cold_list(&c->cold, c->symbols) == 0)
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
		hash_array_free(&c->functions[i].followed->by_address);
		free(c->functions[i].followed);
	}
	hash_array_free(&c->by_part);
	cold_free(&c->cold);
	flow_close(c->reader);
	free(c);
}

/* The stack while the call that ends at @address has not returned. */
static bool during_call(const struct followed *f, uint64_t address, struct frame_state *state)
{
	const struct followed_at *call = followed_before(f, address);

	if (!call || call->disagreed)
		return false;
	*state = call->before;
	state->cfa_known = false;
	state->it = 0;
	frame_lose(f->isa, state, f->isa->link);
	/* What was saved is more certain in memory than in registers that callees preserve. */
	for (unsigned k = 0; k < f->isa->nkept; k++)
		state->kept[k].changed = true;
	return true;
}

/* In a function that resumes what an interrupt has interrupted, and never returns, that is above all. */
static int row_of(const struct followed *f, const struct frame_state *state, struct cfi_row *row)
{
	bool told = f->resumes && !f->returns && !f->resumes_unlike
	                    ? flow_interrupt_row(f->isa, state, f->resumed_below, row)
	                    : flow_row(f->isa, state, row);

	return told ? 0 : -ENODATA;
}

int code_row(struct code *c, uint64_t address, bool behind, struct cfi_row *row)
{
	const struct followed *f;
	const struct followed_at *at;
	struct frame_state state;
	size_t left;

	if (!image_code(c->image, address - behind, &left))
		return -ENOENT;
	f = function_at(c, address - behind);
	if (!f)
		return -errno;
	if (behind)
		return during_call(f, address, &state) ? row_of(f, &state, row) : -ENODATA;
	at = followed_at(f, address);
	return at && !at->disagreed ? row_of(f, &at->before, row) : -ENODATA;
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

/* The instruction of @size bytes that ends at @address, if that is what is there. */
static bool ends_at(struct code *c, const struct isa *isa, uint64_t address, uint8_t size, struct instruction *x)
{
	size_t left;
	const uint8_t *code = image_code(c->image, address - size, &left);

	return code && left >= size && flow_step(c->reader, isa, code, size, address - size, NULL, x) &&
	       x->size == size;
}

enum call_kind code_call_before(struct code *c, uint64_t address, uint64_t *target)
{
	const struct isa *isa = image_isa_at(c->image, address - 1);
	struct instruction x;
	bool direct = ends_at(c, isa, address, isa->direct_call, &x) && x.flow == FLOW_CALL && !x.indirect_call;
	const struct symbol_range *callee;
	size_t left;

	if (direct) {
		*target = x.target;
		callee = symbols_range(c->symbols, x.target);
		if (callee && symbols_start(c->symbols, callee) == x.target)
			return CALL_DIRECT;
	}
	for (const uint8_t *size = isa->indirect_calls; *size; size++)
		if (ends_at(c, isa, address, *size, &x) && x.flow == FLOW_CALL && x.indirect_call)
			return CALL_INDIRECT;
	return direct && image_code(c->image, *target, &left) ? CALL_DIRECT : CALL_NONE;
}

/* Code without a symbol: a stub of the linker, which continues where a table says. */
static bool is_stub(struct code *c, uint64_t address)
{
	const struct isa *isa = image_isa_at(c->image, address);

	for (int i = 0; i < 4; i++) {
		struct instruction x;
		size_t left;
		const uint8_t *code = image_code(c->image, address, &left);

		if (!code || !flow_step(c->reader, isa, code, left, address, NULL, &x))
			return false;
		if (x.flow != FLOW_NEXT)
			return x.flow == FLOW_INDIRECT || x.flow == FLOW_JUMP;
		address += x.size;
	}
	return false;
}

/*
 * Where a call of @target can come to without another call. @functions: room for REACH_MAX. False: there may be more, as
 * an indirect jump or a stub is among them, or too many are.
 */
static bool follow_jumps(struct code *c, uint64_t target, const struct followed **functions, size_t *n)
{
	uint64_t queue[REACH_MAX] = {target};
	size_t queued = 1;
	bool all = true;

	*n = 0;
	for (size_t i = 0; i < queued; i++) {
		const struct followed *f = function_at(c, queue[i]);

		if (!f) {
			all &= !is_stub(c, queue[i]);
			continue;
		}
		functions[(*n)++] = f;
		all &= !f->jumps_anywhere;
		for (size_t j = 0; j < f->njumps; j++) {
			size_t k = 0;

			while (k < queued && queue[k] != f->jumps[j])
				k++;
			if (k == queued && queued < REACH_MAX)
				queue[queued++] = f->jumps[j];
		}
	}
	return all && queued < REACH_MAX;
}

bool code_reaches(struct code *c, uint64_t target, uint64_t address)
{
	const struct followed *functions[REACH_MAX];
	size_t n;

	if (!follow_jumps(c, target, functions, &n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (parts_have(functions[i]->parts, address))
			return true;
	return false;
}

/* How many calls of one kind in @f can reach the code at @callee? *at: behind the last. */
static unsigned calls_in(struct code *c, const struct followed *f, enum call_kind kind, uint64_t callee, uint64_t *at)
{
	unsigned calls = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const uint64_t end = f->at[i].address + f->at[i].size;
		uint64_t target;

		if (code_call_before(c, end, &target) != kind ||
		    (kind == CALL_DIRECT && !code_reaches(c, target, callee)))
			continue;
		*at = end;
		calls++;
	}
	return calls;
}

bool code_only_call(struct code *c, uint64_t target, uint64_t callee, struct code_caller *caller)
{
	const struct followed *functions[REACH_MAX];
	size_t n, callers = 0;

	if (!follow_jumps(c, target, functions, &n))
		return false;
	for (enum call_kind kind = CALL_DIRECT; callers == 0 && kind <= CALL_INDIRECT; kind++) {
		for (size_t i = 0; i < n; i++) {
			unsigned calls = calls_in(c, functions[i], kind, callee, &caller->address);

			if (calls == 0)
				continue;
			callers++;
			caller->is_return = calls == 1;
			if (calls > 1)
				caller->address = functions[i]->parts[0].start;
		}
	}
	return callers == 1;
}

int code_has_instruction(struct code *c, uint64_t address)
{
	const struct symbol_range *function = symbols_range(c->symbols, address);
	uint64_t at = function ? symbols_start(c->symbols, function) : address;
	const struct isa *isa = image_isa_at(c->image, address);
	struct instruction x;
	size_t left;

	if (!function || address - at > FUNCTION_MAX || isa->other) /* ARM has data among its code */
		return -ENODATA;
	for (; at < address; at += x.size) {
		const uint8_t *code = image_code(c->image, at, &left);

		if (!code || !flow_step(c->reader, isa, code, left, at, NULL, &x))
			return -ENODATA;
	}
	return at == address;
}
