/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * radix_sort.h - sorts ids by the numbers that belong to them, in linear time and without comparisons: with millions of
 * rows the cache misses of comparisons dominate.
 *
 * Ids with equal numbers keep their order. So to sort by several numbers, sort by the least important one first.
 */
#ifndef COMMON_RADIX_SORT_H
#define COMMON_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

uint32_t *radix_sort_ids(size_t n); /* 0 to @n - 1, free() them; NULL: no memory */
/* Sorts @ids by @key, the smallest first. 0 or -ENOMEM. */
int radix_sort(uint32_t *ids, size_t n, uint64_t (*key)(const void *ctx, uint32_t id), const void *ctx);

#endif
