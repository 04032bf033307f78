/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/array.h"

#include <errno.h>
#include <stdint.h>
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
