/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * array.h - arrays that grow, sorting them, searching sorted ones, and buffers of bytes.
 *
 * An array that grows is a pointer and how many elements it has room for, both the caller's, NULL and 0 at the
 * beginning. The caller free()s the array. Growing doubles the room, so that adding n elements costs O(n).
 */
#ifndef COMMON_ARRAY_H
#define COMMON_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int array_grow(void *array, size_t *cap, size_t n, size_t size); /* what array_room() does when there is no room */

/*
 * Makes room for element @n, counted from 0, of *@array, whose elements have @size bytes. @array points to the
 * caller's pointer, which moves; *@cap is the room in elements. New elements are not initialized. 0, or -ENOMEM with
 * everything as it was.
 */
static inline int array_room(void *array, size_t *cap, size_t n, size_t size)
{
	return n < *cap ? 0 : array_grow(array, cap, n, size);
}
/* The same, but the bytes of new elements are 0: all *@cap elements can be read if the array grows by nothing else. */
int array_room_zeroed(void *array, size_t *cap, size_t n, size_t size);

/* qsort() of an array that may be NULL if it is empty. */
static inline void array_sort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	if (n)
		qsort(array, n, size, compare);
}

/* For compare(): below 0, 0 or above 0, as @a is less than @b, equal, or greater. */
static inline int array_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Adds the last argument behind the @n elements of @array, all three of them variables. 0, or -ENOMEM as above. */
#define array_add(array, cap, n, ...) \
	(array_room(&(array), &(cap), (n), sizeof(*(array))) == 0 ? ((array)[(n)++] = (__VA_ARGS__), 0) : -ENOMEM)

/*
 * Sets the size_t @i to the number of the first of @n elements that does not fulfil @condition, an expression of @i; to
 * @n if all do. None behind that one may fulfil it.
 */
#define ARRAY_SEARCH(i, n, condition) \
	do { \
		size_t low_ = 0, high_ = (n); \
\
		while ((i) = low_ + (high_ - low_) / 2, low_ < high_) { \
			if (condition) \
				low_ = (i) + 1; \
			else \
				high_ = (i); \
		} \
	} while (0)

/*
 * A byte buffer that grows. Zero-initialise, buf_free() at the end. Once there is no memory, every later addition
 * fails, too: so it suffices to check the last one of several, or @failed.
 */
struct buf {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

/* Makes room for @more bytes after the end; 0 or -ENOMEM. */
int buf_reserve(struct buf *b, size_t more);
int buf_add(struct buf *b, const void *data, size_t len); /* 0 or -ENOMEM */
void buf_free(struct buf *b);

#endif
