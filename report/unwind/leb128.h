/* SPDX-License-Identifier: BSD-2-Clause */
/* leb128.h - DWARF's integers of variable length (DWARF 4, 7.6), and of those lengths that have names. */
#ifndef REPORT_UNWIND_LEB128_H
#define REPORT_UNWIND_LEB128_H

#include "format/bytes/wire.h"

static inline uint64_t get_uleb(struct cursor *c)
{
	return get_varint(c);
}

static inline int64_t get_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !c->bad && shift < 70);
	if (shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

/* Of @size bytes: 2, 4, 8, or one byte for any other size. */
static inline uint64_t get_integer(struct cursor *c, unsigned size, bool is_signed)
{
	uint64_t v = size == 8 ? get_u64(c) : size == 4 ? get_u32(c) : size == 2 ? get_u16(c) : get_u8(c);
	unsigned above = size < 8 ? 64 - 8 * size : 0;

	return is_signed ? (uint64_t)((int64_t)(v << above) >> above) : v;
}

#endif
