/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/frames.h"

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

static void print_frame(const struct report *r, const struct callchain_frame *f)
{
	if (r->run->names.functions[f->function].named) {
		fputs_unlocked(r->run->names.functions[f->function].name, r->out.file);
		if (!f->is_outside) {
			putc_unlocked('+', r->out.file);
			put_hex(r->out.file, f->offset);
		}
	} else {
		put_hex(r->out.file, f->address);
	}
}

void frames_print(const struct report *r, const struct callchain *c, const char *restored, const char *separator)
{
	for (size_t i = c->n; i-- > 0;) {
		print_frame(r, &c->frames[i]);
		if (c->frames[i].restored)
			fputs_unlocked(restored, r->out.file);
		fputs_unlocked(separator, r->out.file);
	}
}
