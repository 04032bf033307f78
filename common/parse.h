/* SPDX-License-Identifier: BSD-2-Clause */
/* parse.h - numbers, rates, durations, sizes and lists as users write them. All return 0, or -EINVAL, or -ERANGE. */
#ifndef COMMON_PARSE_H
#define COMMON_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* A decimal integer from @min to @max, and nothing else. */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);
/* "10", "0.5", "10s", "500ms", "2m", "1h", "1d" into nanoseconds; bare numbers are seconds; above 0. */
int parse_duration(const char *text, uint64_t *ns);
/* "4096B", "64k", "100M", "1.5G" into bytes, by powers of 1024; the unit must be there; above 0. */
int parse_size(const char *text, uint64_t *bytes);
/* "99", "0.5", "1k", "1kHz", "99Hz", "max" into millihertz; above 0, at most 1 MHz, which is max. */
int parse_rate(const char *text, uint64_t *mhz);
/* Adds "0,2-4" to the bits of @set (@bits of them, 64 a word); at least one. */
int parse_list(const char *text, uint64_t *set, size_t bits);

#endif
