/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/frame_table.h"

#include <stdlib.h>

#define INLINE_DEPTH_MAX UINT16_MAX

int frame_table_chain(struct frame_table *t, const struct callchain *c)
{
	struct table_frame frame = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		const struct callchain_frame *f = &c->frames[i];
		struct table_function function = {f->file, f->function};
		bool deeper =
			f->inlined && i > 0 && f[-1].address == f->address && frame.inline_depth < INLINE_DEPTH_MAX;

		frame = (struct table_frame){.line = f->line,
		                             .address = f->address,
		                             .offset = f->offset,
		                             .caller = f->caller,
		                             .inline_depth = deeper ? frame.inline_depth + 1 : 0};
		rc = hash_array_add(&t->by_function, &frame.function, function, &function);
		if (rc == 0)
			rc = array_room(&t->ids, &t->ids_cap, i, sizeof(*t->ids));
		if (rc == 0)
			rc = hash_array_add(&t->by_frame, &t->ids[i], caller, &frame);
	}
	return rc;
}

void frame_table_free(struct frame_table *t)
{
	free(t->ids);
	hash_array_free(&t->by_function);
	hash_array_free(&t->by_frame);
	*t = (struct frame_table){0};
}
