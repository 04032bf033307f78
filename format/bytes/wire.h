/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire.h - the bytes of a trace: little-endian integers, varints, checksums, and a cursor that never reads past its
 * end.
 */
#ifndef FORMAT_BYTES_WIRE_H
#define FORMAT_BYTES_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes of the longest varint (FORMAT.md, "Integers") */

static inline void put_u16(uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static inline void put_u32(uint8_t *at, uint32_t v)
{
	put_u16(at, (uint16_t)v);
	put_u16(at + 2, (uint16_t)(v >> 16));
}

static inline void put_u64(uint8_t *at, uint64_t v)
{
	put_u32(at, (uint32_t)v);
	put_u32(at + 4, (uint32_t)(v >> 32));
}

static inline uint16_t peek_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t peek_u32(const uint8_t *at)
{
	return peek_u16(at) | (uint32_t)peek_u16(at + 2) << 16;
}

static inline uint64_t peek_u64(const uint8_t *at)
{
	return peek_u32(at) | (uint64_t)peek_u32(at + 4) << 32;
}

/* LEB128; returns the bytes written, at most VARINT_MAX. */
static inline size_t put_varint(uint8_t *at, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		at[n++] = (uint8_t)(v | 0x80);
	at[n++] = (uint8_t)v;
	return n;
}

/* Signed differences with the sign in the lowest bit, so that small ones of either sign are short. */
static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (~(v & 1) + 1));
}

/* Once a read would pass the end, or a varint is over-long, @bad stays set and every read gives 0. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct cursor cursor_of(const uint8_t *data, size_t len)
{
	/* Not even 0 may be added to NULL. */
	return (struct cursor){.at = data, .end = len ? data + len : data};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* The next @len bytes; NULL past the end. */
static inline const uint8_t *get_bytes(struct cursor *c, size_t len)
{
	const uint8_t *at = c->at;

	if (c->bad || len > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->at += len;
	return at;
}

static inline uint8_t get_u8(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, 1);

	return at ? *at : 0;
}

static inline uint16_t get_u16(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, 2);

	return at ? peek_u16(at) : 0;
}

static inline uint32_t get_u32(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, 4);

	return at ? peek_u32(at) : 0;
}

static inline uint64_t get_u64(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, 8);

	return at ? peek_u64(at) : 0;
}

/* Writes the @n bytes in hexadecimal to @text, and a NUL. */
void put_hex(char *text, const uint8_t *bytes, size_t n);

uint64_t get_long_varint(struct cursor *c); /* any, but those of one byte are faster read in line */

static inline uint64_t get_varint(struct cursor *c)
{
	if (!c->bad && c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return get_long_varint(c);
}

static inline int64_t get_zigzag(struct cursor *c)
{
	return unzigzag(get_varint(c));
}

/* XXH64 with seed 0 (FORMAT.md, "Checksums"). */
uint64_t checksum(const void *data, size_t len);
/* Of two pieces, as if they were one. */
uint64_t checksum2(const void *a, size_t alen, const void *b, size_t blen);

#endif
