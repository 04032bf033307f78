/* SPDX-License-Identifier: BSD-2-Clause */
/* fde_as_eh.c - a description of .debug_frame in the form of .eh_frame, which libunwind reads. */
#include "report/unwind/fde.h"

#include "report/unwind/leb128.h"

#include <errno.h>

static int put_number(struct buf *out, uint64_t v, unsigned bytes)
{
	uint8_t at[8];

	put_u64(at, v);
	return buf_add(out, at, bytes);
}

static int put_sleb(struct buf *out, int64_t v)
{
	for (;;) {
		uint8_t byte = v & 0x7f;
		bool last;

		v >>= 7;
		last = (v == 0 && !(byte & 0x40)) || (v == -1 && (byte & 0x40));
		byte |= last ? 0 : 0x80;
		if (buf_add(out, &byte, 1) != 0)
			return -ENOMEM;
		if (last)
			return 0;
	}
}

static int put_uleb(struct buf *out, uint64_t v)
{
	uint8_t at[VARINT_MAX];

	return buf_add(out, at, put_varint(at, v));
}

static void set_length(struct buf *out, size_t at)
{
	put_u32(out->data + at, (uint32_t)(out->len - at - 4));
}

static int put_cie(struct buf *out, const struct fde_program *p)
{
	/* length, identifier, version, no augmentation */
	static const uint8_t head[] = {0, 0, 0, 0, 0, 0, 0, 0, 3, 0};
	size_t at = out->len;
	int rc = buf_add(out, head, sizeof(head));

	rc = rc ? rc : put_uleb(out, p->code_align);
	rc = rc ? rc : put_sleb(out, p->data_align);
	rc = rc ? rc : put_uleb(out, p->column);
	rc = rc ? rc : buf_add(out, p->common.at, cursor_left(&p->common));
	if (rc == 0)
		set_length(out, at);
	return rc;
}

static int put_fde(struct buf *out, const struct fde *fde, const struct cursor *instructions)
{
	size_t at = out->len;
	int rc = put_number(out, 0, 4);

	rc = rc ? rc : put_number(out, at + 4, 4); /* distance back to the CIE, which is at 0 */
	rc = rc ? rc : put_number(out, fde->start, 8);
	rc = rc ? rc : put_number(out, fde->end - fde->start, 8);
	rc = rc ? rc : buf_add(out, instructions->at, cursor_left(instructions));
	if (rc == 0)
		set_length(out, at);
	return rc;
}

int fde_as_eh(const struct fde_index *x, const struct fde *fde, struct buf *out, size_t *at)
{
	struct fde_program p;
	int rc = fde_program(x, fde, &p);

	out->len = 0;
	if (rc == 0)
		rc = put_cie(out, &p);
	*at = out->len;
	return rc ? rc : put_fde(out, fde, &p.own);
}
