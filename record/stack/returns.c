/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest/space.h"

#define KNOWN 2048u     /* addresses remembered, a power of two */
#define BARE 64u        /* places remembered, a power of two */
#define BARE_TIMES 64   /* that one is taken for granted */
#define REGION_SHIFT 31 /* code that calls each other directly lies within 2 GiB */
#define LOOKUPS_MAX 128 /* in a round */
#define MAPS_MAX 64     /* calls in a round that map page tables or code; each may take as long as a pause */
#define LINES 64        /* nothing is captured: only what is missing is listed */

enum behind_call {
	BEHIND_UNKNOWN, /* the code cannot be read, or too much was looked up in this round */
	BEHIND_NO_CALL,
	BEHIND_CALL,
};

struct known {
	uint64_t address, root;
	uint8_t verdict; /* enum behind_call; BEHIND_UNKNOWN: the entry is free */
};

/* Where there are no return addresses above. */
struct bare {
	uint64_t address, root;
	uint32_t times; /* that this will still be taken for granted; 0: the entry is free */
};

struct returns {
	struct capture *memory; /* always live */
	struct known known[KNOWN];
	struct bare bare[BARE];
	unsigned lookups, maps; /* in this round */
};

struct returns *returns_new(struct pages *pages)
{
	struct returns *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->memory = capture_new(pages, LINES);
	if (!r->memory) {
		free(r);
		return NULL;
	}
	capture_set_live(r->memory, true);
	return r;
}

void returns_free(struct returns *r)
{
	if (!r)
		return;
	capture_free(r->memory);
	free(r);
}

void returns_start(struct returns *r)
{
	r->lookups = r->maps = 0;
}

static uint64_t return_code(const struct vcpu_regs *regs, uint64_t saved)
{
	return regs->arch->code_address ? regs->arch->code_address(saved) : saved;
}

/* The code before these return addresses is read next: one call maps all of it that is missing. */
static void expect(struct space *space, const struct vcpu_regs *regs, const uint64_t *saved, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = return_code(regs, saved[i]);

		space_expect(space, address - ARCH_CALL_BYTES, address);
	}
}

/*
 * Words of the guest's memory as they are now, @n of them from @address, a multiple of 8. How many there are. The code
 * before the @nnext addresses of @next is mapped together with them.
 */
static uint32_t read_words(struct returns *r, const struct vcpu_regs *regs, uint64_t address, uint64_t *words,
                           uint32_t n, const uint64_t *next, uint32_t nnext)
{
	struct space space = space_of(regs, r->memory);
	uint32_t got = 0;

	while (space_copy(&space, address, words, n, &got) == -EAGAIN) {
		expect(&space, regs, next, nnext);
		if (r->maps++ >= MAPS_MAX || capture_extend(r->memory) < 0)
			break;
	}
	return got;
}

static enum behind_call look_before(struct returns *r, const struct vcpu_regs *regs, uint64_t address,
                                    const uint64_t *next, uint32_t nnext)
{
	uint64_t from = address - ARCH_CALL_BYTES, words[2] = {0};
	uint8_t code[sizeof(words)];
	uint32_t want = 1 + (from % 8 != 0);

	if (read_words(r, regs, from & ~7ull, words, want, next, nnext) != want)
		return BEHIND_UNKNOWN;
	memcpy(code, words, sizeof(words));
	return regs->arch->ends_call(code + from % 8) ? BEHIND_CALL : BEHIND_NO_CALL;
}

/* A kernel's addresses are those of all its address spaces. */
static uint64_t space_number(const struct vcpu_regs *regs)
{
	return regs->user ? regs->root.cr3 : 0;
}

static size_t cache_slot(uint64_t address, uint64_t root, size_t slots)
{
	const uint64_t mix = 0x9e3779b97f4a7c15ull;

	return (address ^ root * mix) * mix >> 40 & (slots - 1);
}

/* The @nnext return addresses of @next are those to be looked up next. */
static enum behind_call find_call(struct returns *r, const struct vcpu_regs *regs, uint64_t address,
                                  const uint64_t *next, uint32_t nnext)
{
	uint64_t root = space_number(regs);
	struct known *k = &r->known[cache_slot(address, root, KNOWN)];

	if (k->verdict != BEHIND_UNKNOWN && k->address == address && k->root == root)
		return k->verdict;
	if (address < ARCH_CALL_BYTES || r->lookups++ >= LOOKUPS_MAX)
		return BEHIND_UNKNOWN;
	*k = (struct known){address, root, (uint8_t)look_before(r, regs, address, next, nnext)};
	return k->verdict;
}

static bool is_near_word(uint64_t a, uint64_t b)
{
	return (a >> REGION_SHIFT) + 1 - (b >> REGION_SHIFT) <= 2;
}

bool returns_to(struct returns *r, const struct vcpu_regs *regs, const uint64_t *saved, uint32_t n)
{
	uint64_t address = return_code(regs, saved[0]);
	enum behind_call found = find_call(r, regs, address, saved + 1, n - 1);

	return found == BEHIND_CALL || (found == BEHIND_UNKNOWN && is_near_word(address, regs->ip));
}

static bool is_return(struct returns *r, const struct vcpu_regs *regs, uint64_t saved)
{
	uint64_t address = return_code(regs, saved);

	/* Most words are 0, which is near to the code of a unikernel. */
	return address >= ARCH_CALL_BYTES && is_near_word(address, regs->ip) &&
	       find_call(r, regs, address, NULL, 0) == BEHIND_CALL;
}

bool returns_among(struct returns *r, const struct vcpu_regs *regs, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (regs->arch->word == 8 && is_return(r, regs, words[i]))
			return true;
		if (regs->arch->word == 4 &&
		    (is_return(r, regs, (uint32_t)words[i]) || is_return(r, regs, words[i] >> 32)))
			return true;
	}
	return false;
}

bool returns_above(struct returns *r, const struct vcpu_regs *regs, uint64_t address)
{
	uint64_t root = space_number(regs), words[RETURNS_ABOVE];
	struct bare *b = &r->bare[cache_slot(address, root, BARE)];
	uint32_t n;

	if (b->times && b->address == address && b->root == root) {
		b->times--;
		return false;
	}
	n = read_words(r, regs, address & ~7ull, words, RETURNS_ABOVE, NULL, 0);
	if (returns_among(r, regs, words, n))
		return true;
	*b = (struct bare){address, root, BARE_TIMES};
	return false;
}
