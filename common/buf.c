/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/buf.h"
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int buf_reserve(struct buf *b, size_t more)
{
	if (!b->failed && b->cap - b->len < more)
		b->failed = more > SIZE_MAX - b->len ||
		            array_grow(&b->data, &b->cap, b->len + more - 1, sizeof(*b->data)) != 0;
	return b->failed ? -ENOMEM : 0;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	if (buf_reserve(b, len) != 0)
		return -ENOMEM;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
