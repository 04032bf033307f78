/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/frames.h"
#include "report/unwind/unwind.h"

static void put_hex(FILE *out, uint64_t n)
{
	char text[18];
	char *at = text + sizeof(text) - 1;

	*at = '\0';
	do
		*--at = "0123456789abcdef"[n & 15];
	while ((n >>= 4) != 0);
	fputs_unlocked("0x", out);
	fputs_unlocked(at, out);
}

/* What is inlined at an address, innermost first: it has no beginning of its own to be behind. */
static void print_inlined(struct report *r, const struct frame_name *name, const char *separator)
{
	for (uint32_t i = name->ninlined; i-- > 0;) {
		fputs_unlocked(r->names.functions[names_inlined(&r->names, name)[i].function].name, r->out);
		fputs_unlocked("+0x0", r->out);
		fputs_unlocked(separator, r->out);
	}
}

int frames_print(struct report *r, uint32_t node, const char *restored, const char *separator)
{
	bool caller = false;

	for (; node != 0; node = r->profile.tree.nodes[node].parent, caller = true) {
		uint64_t address = r->profile.tree.nodes[node].address;
		uint8_t flags = r->profile.tree.nodes[node].flags;
		struct frame_name name;
		int rc = names_find(&r->names, address, caller && !(flags & FRAME_EXACT), &name);

		if (rc != 0)
			return rc;
		print_inlined(r, &name, separator);
		if (r->names.functions[name.function].named) {
			fputs_unlocked(r->names.functions[name.function].name, r->out);
			putc_unlocked('+', r->out);
			put_hex(r->out, name.offset);
		} else {
			put_hex(r->out, address);
		}
		if (flags & FRAME_RESTORED)
			fputs_unlocked(restored, r->out);
		fputs_unlocked(separator, r->out);
	}
	return 0;
}

uint32_t frames_depth(const struct report *r, uint32_t node)
{
	uint32_t depth = 0;

	for (; node != 0; node = r->profile.tree.nodes[node].parent)
		depth++;
	return depth;
}
