/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/resolver.h"

/* Inlined or called, a function has one name: the symbol's. */
static void name_inlined(const struct resolver *r, struct resolution *found)
{
	for (int i = 1; r->symbols && i < found->n; i++) {
		struct line_frame *frame = &found->frames[i];
		uint64_t offset;
		const char *symbol =
			frame->called ? symbols_find(r->symbols, frame->called + r->moved, &offset) : NULL;

		if (symbol && offset == 0)
			frame->name = symbol;
	}
}

int resolve(const struct resolver *r, uint64_t address, struct resolution *out)
{
	if (r->archive && r->find_archived(r->archive, address, out)) {
		out->n = r->no_inline ? 0 : out->n;
		return 0;
	}
	out->offset = 0;
	out->symbol = r->symbols ? symbols_find(r->symbols, address, &out->offset) : NULL;
	out->n = 0;
	for (size_t i = 0; out->n == 0 && i < r->nlines; i++)
		out->n = lines_find(r->lines[i], address - r->moved, out->frames);
	name_inlined(r, out);
	return out->n < 0 ? out->n : 0;
}
