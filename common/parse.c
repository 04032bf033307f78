/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/parse.h"

#include <errno.h>
#include <string.h>

#define NS_PER_S 1000000000ull
#define RATE_MAX 1000000000ull /* millihertz */

/* The decimal digits at *text, one at least; *text is then behind them. */
static int parse_digits(const char **text, uint64_t *out)
{
	const char *start = *text;
	uint64_t n = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(**text - '0'), &n))
			return -ERANGE;
	*out = n;
	return *text == start ? -EINVAL : 0;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t n;
	int rc = parse_digits(&text, &n);

	if (rc != 0 || *text)
		return rc ? rc : -EINVAL;
	if (n < min || n > max)
		return -ERANGE;
	*out = n;
	return 0;
}

/*
 * A decimal number with an optional fraction, times @unit, rounded down; *end is what follows. Done in integers: the
 * result must not depend on the locale.
 */
static int parse_scaled(const char *text, uint64_t unit, uint64_t *out, const char **end)
{
	uint64_t whole, part = 0, scale = 1;
	int rc = parse_digits(&text, &whole);

	if (rc != 0)
		return rc;
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++)
			if (scale < 1000000000) {
				part = part * 10 + (uint64_t)(*text - '0');
				scale *= 10;
			}
		if (text[-1] == '.')
			return -EINVAL;
	}
	if (__builtin_mul_overflow(whole, unit, out) ||
	    __builtin_add_overflow(*out, (uint64_t)((unsigned __int128)part * unit / scale), out))
		return -ERANGE;
	*end = text;
	return 0;
}

struct unit {
	const char *name;
	uint64_t size;
};

/* @text is a number and one of @units; an empty name means that the unit may be missing. */
static int parse_with_unit(const char *text, const struct unit *units, uint64_t *out)
{
	size_t digits = strspn(text, "0123456789.");

	for (; units->name; units++) {
		const char *end;

		if (strcmp(text + digits, units->name) == 0) {
			int rc = parse_scaled(text, units->size, out, &end);

			return rc == 0 && end != text + digits ? -EINVAL : rc;
		}
	}
	return -EINVAL;
}

/* More than nothing, and at most @max. */
static int parse_amount(const char *text, const struct unit *units, uint64_t max, uint64_t *out)
{
	uint64_t value;
	int rc = parse_with_unit(text, units, &value);

	if (rc != 0)
		return rc;
	if (value == 0 || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_duration(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {
		{"", NS_PER_S},
		{"s", NS_PER_S},
		{"ms", NS_PER_S / 1000},
		{"us", NS_PER_S / 1000000},
		{"m", 60 * NS_PER_S},
		{"min", 60 * NS_PER_S},
		{"h", 3600 * NS_PER_S},
		{"d", 86400 * NS_PER_S},
		{NULL, 0},
	};

	return parse_amount(text, units, INT64_MAX, ns);
}

int parse_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {
		{"B", 1},       {"k", 1 << 10},  {"K", 1 << 10},    {"kB", 1 << 10},    {"KB", 1 << 10},
		{"M", 1 << 20}, {"MB", 1 << 20}, {"G", 1ull << 30}, {"GB", 1ull << 30}, {NULL, 0},
	};

	return parse_amount(text, units, INT64_MAX, bytes);
}

int parse_rate(const char *text, uint64_t *mhz)
{
	static const struct unit units[] = {
		{"", 1000},       {"Hz", 1000},      {"hz", 1000},        {"k", 1000000}, {"kHz", 1000000},
		{"khz", 1000000}, {"M", 1000000000}, {"MHz", 1000000000}, {NULL, 0},
	};

	if (strcmp(text, "max") == 0) {
		*mhz = RATE_MAX;
		return 0;
	}
	return parse_amount(text, units, RATE_MAX, mhz);
}

int parse_list(const char *text, uint64_t *set, size_t bits)
{
	for (;;) {
		uint64_t first, last;
		int rc = parse_digits(&text, &first);

		last = first;
		if (rc == 0 && *text == '-') {
			text++;
			rc = parse_digits(&text, &last);
		}
		if (rc != 0)
			return rc;
		if (first >= bits || last >= bits)
			return -ERANGE;
		if (last < first)
			return -EINVAL;
		for (uint64_t i = first; i <= last; i++)
			set[i / 64] |= 1ull << (i % 64);
		if (*text == '\0')
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}
