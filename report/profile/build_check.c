/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/build_check.h"
#include "common/hash_array.h"
#include "report/unwind/unwind.h"

#include <stdlib.h>

/*
 * Of the right build nearly all return addresses follow a call: all but a few where execution began or an interrupt
 * came. Of a wrong one, one in thirty or fewer do.
 */
#define FEW 5u   /* tell if no more than a fifth follows a call */
#define MANY 20u /* tell if less than half do */
/* Of the right build all instruction pointers are at an instruction; of a wrong one, where these have 3 to 4 bytes. */
#define LEAVES 10u      /* tell if less than two thirds are */
#define LEAVES_MAX 200u /* that are asked about: their functions are decoded */

/* What is known of a node of the call tree. */
struct node_facts {
	uint32_t program;
	bool kernel; /* on a stack of the kernel's mode */
	bool caller; /* and has a callee there */
	bool leaf;   /* and is an instruction pointer there */
};

static void learn_stacks(struct node_facts *facts, const struct profile *p)
{
	for (size_t i = 0; i < p->nstacks; i++) {
		facts[p->stacks[i].node].kernel |= !p->stacks[i].user;
		facts[p->stacks[i].node].leaf |= !p->stacks[i].user;
	}
	for (size_t n = p->tree.n; n-- > 1;) {
		struct node_facts *parent = &facts[p->tree.nodes[n].parent];

		parent->kernel |= facts[n].kernel;
		if (p->tree.nodes[n].flags & CALLTREE_OUTSIDE)
			parent->leaf |= facts[n].leaf;
		else
			parent->caller |= facts[n].kernel;
	}
	for (size_t n = 1; n < p->tree.n; n++) {
		const struct call_node *node = &p->tree.nodes[n];

		facts[n].program =
			node->flags & CALLTREE_PROGRAM ? (uint32_t)node->address : facts[node->parent].program;
	}
}

struct asked {
	uint64_t address;
	uint32_t program;
};

static void count_return(struct build_count *of, bool right)
{
	of->checked++;
	of->right += right;
}

static void ask_node(const struct binaries *b, const struct profile *p, const struct node_facts *facts,
                     struct build_check *of)
{
	struct hash_array seen = {0};

	for (uint32_t n = 1; n < p->tree.n; n++) {
		const struct call_node *node = &p->tree.nodes[n];
		const uint32_t program = facts[n].program;
		struct cfi *cfi = program < b->nprograms ? b->programs[program].cfi : NULL;
		bool right;

		if ((!facts[n].caller && !facts[n].leaf) || (node->flags & ~FRAME_EXACT) || !cfi ||
		    hash_array_meet(&seen, program, &(struct asked){node->address, program}) != 0)
			continue;
		if (facts[n].caller && !node->flags && cfi_code_before(cfi, node->address, &right))
			count_return(&of[program].returns, right);
		else if (facts[n].leaf && of[program].leaves.checked < LEAVES_MAX &&
		         cfi_code_at(cfi, node->address, &right))
			count_return(&of[program].leaves, right);
	}
	hash_array_free(&seen);
}

bool build_check_by_returns(const struct build_check *found)
{
	const struct build_count *r = &found->returns;

	return r->checked >= MANY ? r->right < r->checked / 2 : r->checked >= FEW && r->right <= r->checked / 5;
}

static bool by_leaves(const struct build_check *found)
{
	const struct build_count *l = &found->leaves;

	return l->checked >= LEAVES && l->right < l->checked - l->checked / 3 &&
	       found->returns.right <= found->returns.checked / 2;
}

bool build_check(const struct binaries *b, const struct profile *p, struct build_check *found)
{
	struct build_check *of = calloc(b->nprograms + 1, sizeof(*of));
	struct node_facts *facts = calloc(p->tree.n + 1, sizeof(*facts));
	bool wrong = false;

	if (of && facts) {
		learn_stacks(facts, p);
		ask_node(b, p, facts, of);
	}
	for (uint32_t i = 0; of && !wrong && i < b->nprograms; i++) {
		*found = of[i];
		found->program = i;
		wrong = build_check_by_returns(found) || by_leaves(found);
	}
	free(of);
	free(facts);
	return wrong;
}
