/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/build_check.h"
#include "report/unwind/unwind.h"

#include <stdlib.h>

#define LEAST 20u /* addresses */
#define HALF 2u   /* of the right build nearly all follow a call, of a wrong one one in thirty or fewer */

/* What is known of a node of the call tree. */
struct node_facts {
	uint32_t program;
	bool kernel; /* on a stack of the kernel's mode */
	bool caller; /* and has a callee there */
};

static void learn_stacks(struct node_facts *facts, const struct profile *p)
{
	for (size_t i = 0; i < p->nstacks; i++)
		facts[p->stacks[i].node].kernel |= !p->stacks[i].user;
	for (size_t n = p->tree.n; n-- > 1;) {
		struct node_facts *parent = &facts[p->tree.nodes[n].parent];

		parent->kernel |= facts[n].kernel;
		parent->caller |= facts[n].kernel;
	}
	for (size_t n = 1; n < p->tree.n; n++) {
		const struct call_node *node = &p->tree.nodes[n];

		facts[n].program =
			node->flags & CALLTREE_PROGRAM ? (uint32_t)node->address : facts[node->parent].program;
	}
}

/* True: @address of @program was not asked about before. */
static bool is_new(struct hash_table *seen, const struct profile *p, const struct node_facts *facts, uint32_t node)
{
	uint64_t address = p->tree.nodes[node].address;
	uint32_t hash, id;

	if (hash_table_reserve(seen) != 0)
		return false;
	hash = hash_table_hash(seen, address, facts[node].program);
	for (size_t at = hash_table_first(seen, hash); hash_table_id(seen, &at, hash, &id);
	     at = hash_table_next(seen, at))
		if (p->tree.nodes[id].address == address && facts[id].program == facts[node].program)
			return false;
	hash_table_add(seen, hash, node);
	return true;
}

static void ask(const struct binaries *b, const struct profile *p, const struct node_facts *facts,
                struct build_check *of)
{
	struct hash_table seen = {0};

	for (uint32_t n = 1; n < p->tree.n; n++) {
		const struct call_node *node = &p->tree.nodes[n];
		const uint32_t program = facts[n].program;
		bool calls;

		if (!facts[n].caller || node->flags || program >= b->nprograms || !b->programs[program].cfi ||
		    !is_new(&seen, p, facts, n) || !cfi_code_before(b->programs[program].cfi, node->address, &calls))
			continue;
		of[program].checked++;
		of[program].calls += calls;
	}
	hash_table_free(&seen);
}

bool build_check(const struct binaries *b, const struct profile *p, struct build_check *found)
{
	struct build_check *of = calloc(b->nprograms + 1, sizeof(*of));
	struct node_facts *facts = calloc(p->tree.n + 1, sizeof(*facts));
	bool wrong = false;

	if (of && facts) {
		learn_stacks(facts, p);
		ask(b, p, facts, of);
	}
	for (uint32_t i = 0; of && !wrong && i < b->nprograms; i++) {
		*found = (struct build_check){i, of[i].checked, of[i].calls};
		wrong = found->checked >= LEAST && found->calls < found->checked / HALF;
	}
	free(of);
	free(facts);
	return wrong;
}
