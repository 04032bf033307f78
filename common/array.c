/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64 /* elements */

int array_grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap : FIRST_ROOM;
	void *old, *new;

	if (size == 0 || n >= SIZE_MAX / 4 / size)
		return -ENOMEM;
	while (more <= n)
		more *= 2;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, more * size);
	if (!new)
		return -ENOMEM;
	memcpy(array, &new, sizeof(new));
	*cap = more;
	return 0;
}

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

int array_room_zeroed(void *array, size_t *cap, size_t n, size_t size)
{
	size_t before = *cap;
	char *elements;
	int rc = array_room(array, cap, n, size);

	if (*cap == before)
		return rc;
	memcpy(&elements, array, sizeof(elements));
	memset(elements + before * size, 0, (*cap - before) * size);
	return 0;
}
