/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/callchain.h"
#include "report/filter.h"
#include "report/unwind/unwind.h"

#include <stdlib.h>

static int add(struct callchain *c, const struct call_node *node, bool caller, struct names *names)
{
	struct frame_name name;
	int rc = names_find(names, node->address, caller && !(node->flags & FRAME_EXACT), &name);

	if (rc == 0)
		rc = array_room(&c->frames, &c->cap, c->n, sizeof(*c->frames));
	if (rc == 0)
		c->frames[c->n++] = (struct callchain_frame){.function = name.function, .address = node->address,
		                                             .offset = name.offset, .caller = caller,
		                                             .restored = node->flags & FRAME_RESTORED};
	return rc;
}

static void turn(struct callchain *c)
{
	for (size_t a = 0, b = c->n; a + 1 < b; a++) {
		struct callchain_frame frame = c->frames[a];

		c->frames[a] = c->frames[--b];
		c->frames[b] = frame;
	}
}

int callchain_whole(struct callchain *c, const struct profile *p, struct names *names, uint32_t node)
{
	int rc = 0;

	c->n = 0;
	for (uint32_t i = node; rc == 0 && i != 0; i = p->tree.nodes[i].parent)
		rc = add(c, &p->tree.nodes[i], i != node, names);
	turn(c);
	return rc;
}

int callchain_make(struct callchain *c, const struct profile *p, struct names *names, uint32_t node)
{
	int rc = callchain_whole(c, p, names, node);

	return rc == 0 && p->filter ? filter_trim(p->filter, c) : rc;
}

void callchain_free(struct callchain *c)
{
	free(c->frames);
	*c = (struct callchain){0};
}
