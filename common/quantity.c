/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/quantity.h"

#include <inttypes.h>
#include <stdio.h>

/* Rounded as text_time() of the report does. */
const char *quantity_time(char *text, uint64_t ns)
{
	double v = (double)ns;

	if (ns < 999500) /* from here on, three digits round up to 1000 us; as ms and s do below */
		snprintf(text, QUANTITY_SIZE, "%.3g us", v / 1e3);
	else if (ns < 999950000)
		snprintf(text, QUANTITY_SIZE, "%.1f ms", v / 1e6);
	else if (ns < UINT64_C(600000000000))
		snprintf(text, QUANTITY_SIZE, "%.1f s", v / 1e9);
	else
		snprintf(text, QUANTITY_SIZE, "%" PRIu64 " h %02u min", ns / UINT64_C(3600000000000),
		         (unsigned)(ns / UINT64_C(60000000000) % 60));
	return text;
}

const char *quantity_bytes(char *text, uint64_t bytes)
{
	if (bytes < 10000)
		snprintf(text, QUANTITY_SIZE, "%llu B", (unsigned long long)bytes);
	else if (bytes < 10000000)
		snprintf(text, QUANTITY_SIZE, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(text, QUANTITY_SIZE, "%.1f MB", (double)bytes / 1e6);
	return text;
}

double quantity_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double quantity_per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e9 / (double)ns : 0;
}
