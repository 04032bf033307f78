/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/tables.h"
#include "report/unwind/tables_reader.h"

#include <errno.h>

struct tables *tables_new(struct image *image)
{
	const struct isa *isa = image_isa(image);

	errno = ENOENT;
	if (!isa)
		return NULL;
	return tables_new_dwarf(image, isa);
}

struct tables *tables_new_at_calls(struct image *image)
{
	return tables_new_exidx(image, image_isa(image));
}

void tables_free(struct tables *t)
{
	if (t)
		t->reader->free(t);
}

int tables_row(struct tables *t, uint64_t address, struct cfi_row *row)
{
	return t->reader->row(t, address, row);
}

int tables_step(struct tables *t, uint64_t address, struct registers *r, const struct memory *m)
{
	return t->reader->step ? t->reader->step(t, address, r, m) : -EBADMSG;
}
