/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/callchain.h"
#include "report/unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>

int callchain_push(struct callchain *c, const struct callchain_frame *frame)
{
	return array_add(c->frames, c->cap, c->n, *frame);
}

static void set_frame_name(struct callchain_frame *f, const struct name_at *at)
{
	f->function = at->function;
	f->file = at->file;
	f->line = at->line;
}

/* Leaf first, so an inlined function comes before the one that contains it. */
static int add_callchain_frame(struct callchain *c, const struct call_node *node, uint32_t program, bool caller,
                               struct symbolizer *names)
{
	struct callchain_frame frame = {.program = program,
	                                .address = node->address,
	                                .caller = caller && !(node->flags & FRAME_EXACT),
	                                .restored = node->flags & FRAME_RESTORED,
	                                .inlined = true};
	struct frame_name name;
	int rc = symbolizer_find(names, program, node->address, frame.caller, &name);

	if (rc == 0)
		rc = array_room(&c->frames, &c->cap, c->n + name.ninlined, sizeof(*c->frames));
	if (rc != 0)
		return rc;
	for (uint32_t i = name.ninlined; i-- > 0; c->frames[c->n++] = frame)
		set_frame_name(&frame, &symbolizer_inlined(names, &name)[i]);
	frame.inlined = false;
	frame.offset = name.offset;
	set_frame_name(&frame, &name.at);
	c->frames[c->n++] = frame;
	return 0;
}

/* What the host did, or why it had to. */
static int add_outside_frame(struct callchain *c, const struct calltree *tree, const struct call_node *node,
                             struct symbolizer *names)
{
	struct callchain_frame frame = {.is_outside = true};
	char reason[64];
	const char *name = node->address == CALLTREE_HOST  ? "[host]"
	                   : node->address == CALLTREE_VMM ? "[VMM]"
	                   : node->address > CALLTREE_VMM  ? tree->functions.texts[node->address - CALLTREE_FUNCTION]
	                                                   : reason;
	int rc;

	snprintf(reason, sizeof(reason), "[%s]", upf_exit_text((unsigned)node->address));
	rc = node->address >= CALLTREE_FUNCTION ? symbolizer_host_function(names, name, &frame.function)
	                                        : symbolizer_function(names, name, &frame.function);
	return rc == 0 ? callchain_push(c, &frame) : rc;
}

void callchain_turn(struct callchain *c, size_t first)
{
	for (size_t a = first, b = c->n; a + 1 < b; a++) {
		struct callchain_frame frame = c->frames[a];

		c->frames[a] = c->frames[--b];
		c->frames[b] = frame;
	}
}

int callchain_make(struct callchain *c, const struct calltree *tree, struct symbolizer *names, uint32_t node)
{
	uint32_t program = calltree_program_of(tree, node);
	bool called = false;
	int rc = 0;

	c->n = 0;
	for (uint32_t i = node; rc == 0 && i != 0; i = tree->nodes[i].parent) {
		const struct call_node *at = &tree->nodes[i];

		if (at->flags & CALLTREE_OUTSIDE) {
			rc = add_outside_frame(c, tree, at, names);
		} else if (!(at->flags & CALLTREE_PROGRAM)) {
			rc = add_callchain_frame(c, at, program, called, names);
			called = true;
		}
	}
	callchain_turn(c, 0);
	return rc;
}

void callchain_free(struct callchain *c)
{
	free(c->frames);
	*c = (struct callchain){0};
}
