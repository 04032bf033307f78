/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest/space.h"

#define KNOWN 2048u     /* addresses remembered, a power of two */
#define LOOKUPS_MAX 128 /* in a round; each may map a page */
#define STEPS 8         /* of mapping page tables and code for one address */
#define LINES 64        /* nothing is captured: only what is missing is listed */

struct known {
	uint64_t address, root;
	uint8_t verdict; /* enum behind_call; BEHIND_UNKNOWN: the entry is free */
};

struct returns {
	struct capture *memory; /* always live */
	struct known known[KNOWN];
	unsigned lookups;
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
	r->lookups = 0;
}

static enum behind_call look(struct returns *r, const struct arch *arch, uint64_t root, uint64_t address)
{
	struct space space = space_of(arch, r->memory, root);
	uint64_t from = address - ARCH_CALL_BYTES, words[2] = {0};
	uint8_t code[sizeof(words)];
	uint32_t want = 1 + (from % 8 != 0), got;
	int rc = -EAGAIN;

	for (int i = 0; i < STEPS && rc == -EAGAIN; i++) {
		rc = space_copy(&space, from & ~7ull, words, want, &got);
		if (rc == -EAGAIN && capture_extend(r->memory) < 0)
			break;
	}
	if (rc != 0)
		return BEHIND_UNKNOWN;
	memcpy(code, words, sizeof(words));
	return arch->ends_call(code + from % 8) ? BEHIND_CALL : BEHIND_NO_CALL;
}

enum behind_call returns_find(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs,
                              uint64_t address)
{
	/* A kernel's addresses are those of all its address spaces. */
	uint64_t root = regs->user ? regs->root : 0;
	struct known *k =
		&r->known[(address ^ root * 0x9e3779b97f4a7c15ull) * 0x9e3779b97f4a7c15ull >> 40 & (KNOWN - 1)];

	if (k->verdict != BEHIND_UNKNOWN && k->address == address && k->root == root)
		return k->verdict;
	if (address < ARCH_CALL_BYTES || r->lookups++ >= LOOKUPS_MAX)
		return BEHIND_UNKNOWN;
	*k = (struct known){address, root, (uint8_t)look(r, arch, regs->root, address)};
	return k->verdict;
}
