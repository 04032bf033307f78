/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rice.h - columns of numbers as Rice codes (FORMAT.md, "Forms"): a number that varies around a value costs
 * only its few random bits. LZ4, which has no entropy coder, would store whole bytes.
 */
#ifndef FORMAT_BYTES_RICE_H
#define FORMAT_BYTES_RICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes/wire.h"

#define RICE_K_MAX 32  /* largest parameter */
#define RICE_ESCAPE 16 /* this many one bits: the value follows in 64 bits */

/*
 * Write the @n numbers at @values to @out: the bytes used, or 0 if they would be more than @room. @out has RICE_MORE
 * bytes more than that.
 */
#define RICE_MORE (2 * VARINT_MAX)
/* With the base and the parameter, @least_k or more, that need the fewest bytes. */
size_t rice_encode(uint8_t *out, size_t room, const uint64_t *values, size_t n, unsigned least_k);
/* From a least to a largest number, each as likely as any other: every one takes as many bits as that needs. */
size_t range_encode(uint8_t *out, size_t room, const uint64_t *values, size_t n);

/* Reading; a value past the end reads as 0 and makes the reader bad for good. */
struct rice {
	struct cursor bytes;
	uint64_t bits, base; /* bits not used yet, first in bit 0 */
	unsigned nbits, k;   /* k: Rice's parameter, or the bits that a number of range_encode() has at least */
	uint32_t limit;      /* of those numbers, above the base */
	bool bad;
};
void rice_open(struct rice *r, const uint8_t *data, size_t len);
void range_open(struct rice *r, const uint8_t *data, size_t len);
/* True if only the last byte's padding of zero bits is left. */
bool rice_done(const struct rice *r);

static inline void rice_refill(struct rice *r)
{
	/* Eight bytes at once leave bits above nbits set that the next refill sets again to the same. */
	if (cursor_left(&r->bytes) >= 8) {
		r->bits |= peek_u64(r->bytes.at) << r->nbits;
		r->bytes.at += (63 - r->nbits) >> 3;
		r->nbits |= 56;
		return;
	}
	while (r->nbits <= 56 && cursor_left(&r->bytes)) {
		r->bits |= (uint64_t)*r->bytes.at++ << r->nbits;
		r->nbits += 8;
	}
}

/* The next @n bits, at most 32; the caller has refilled. */
static inline uint64_t rice_bits(struct rice *r, unsigned n)
{
	uint64_t v = r->bits & ((UINT64_C(1) << n) - 1);

	if (n > r->nbits) {
		r->bad = true;
		r->nbits = 0;
		r->bits = 0;
		return 0;
	}
	r->bits >>= n;
	r->nbits -= n;
	return v;
}

/* Of those that range_encode() wrote. */
static inline uint64_t range_next(struct rice *r)
{
	uint64_t few = (UINT64_C(2) << r->k) - r->limit, v;

	rice_refill(r);
	v = rice_bits(r, r->k);
	return r->base + (v < few ? v : (v << 1 | rice_bits(r, 1)) - few);
}

static inline uint64_t rice_escaped(struct rice *r)
{
	uint64_t low;

	rice_bits(r, RICE_ESCAPE);
	rice_refill(r);
	low = rice_bits(r, 32);
	rice_refill(r);
	return r->base + (low | rice_bits(r, 32) << 32);
}

static inline uint64_t rice_next(struct rice *r)
{
	unsigned quotient;

	rice_refill(r);
	quotient = ~r->bits ? (unsigned)__builtin_ctzll(~r->bits) : 64;
	if (quotient >= RICE_ESCAPE)
		return rice_escaped(r);
	rice_bits(r, quotient + 1);
	return r->base + ((uint64_t)quotient << r->k) + rice_bits(r, r->k);
}

#endif
