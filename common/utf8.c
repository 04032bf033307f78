/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/utf8.h"

/* By the number of bytes: the first byte's fixed bits, and the smallest code point that needs so many. */
static const struct {
	uint8_t mask, lead;
	uint32_t least;
} forms[] = {
	{0xe0, 0xc0, 0x80},
	{0xf0, 0xe0, 0x800},
	{0xf8, 0xf0, 0x10000},
};

static bool is_scalar(uint32_t code)
{
	return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

size_t utf8_several(const char *s, uint32_t *code)
{
	uint8_t first = (uint8_t)*s;
	size_t form = 0;
	uint32_t value;

	while (form < 3 && (first & forms[form].mask) != forms[form].lead)
		form++;
	if (form == 3)
		return 0;
	value = first & (uint8_t)~forms[form].mask;
	for (size_t i = 1; i <= form + 1; i++) {
		if (!utf8_is_continuation(s[i]))
			return 0;
		value = value << 6 | ((uint8_t)s[i] & 0x3f);
	}
	if (value < forms[form].least || !is_scalar(value))
		return 0;
	*code = value;
	return form + 2;
}
