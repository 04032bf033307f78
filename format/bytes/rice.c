/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/bytes/rice.h"

struct bits_out {
	uint8_t *p;
	uint64_t bits;
	unsigned nbits;
};

/* At most 32 bits; the caller has seen to the room. */
static void put_bits(struct bits_out *o, uint64_t v, unsigned n)
{
	o->bits |= v << o->nbits;
	o->nbits += n;
	while (o->nbits >= 8) {
		*o->p++ = (uint8_t)o->bits;
		o->bits >>= 8;
		o->nbits -= 8;
	}
}

/* The bytes written from @out on; 0: they are more than @room. */
static size_t finish_bits(struct bits_out *o, const uint8_t *out, size_t room)
{
	if (o->nbits)
		put_bits(o, 0, 8 - o->nbits);
	return (size_t)(o->p - out) > room ? 0 : (size_t)(o->p - out);
}

static void put_rice(struct bits_out *o, uint64_t v, unsigned k)
{
	uint64_t quotient = v >> k;

	if (quotient >= RICE_ESCAPE) {
		put_bits(o, (1u << RICE_ESCAPE) - 1, RICE_ESCAPE);
		put_bits(o, v & UINT32_MAX, 32);
		put_bits(o, v >> 32, 32);
		return;
	}
	put_bits(o, (1u << quotient) - 1, (unsigned)quotient + 1);
	put_bits(o, v & ((UINT64_C(1) << k) - 1), k);
}

static uint64_t least(const uint64_t *values, size_t n)
{
	uint64_t min = n ? values[0] : 0;

	for (size_t i = 1; i < n; i++)
		if (values[i] < min)
			min = values[i];
	return min;
}

/* About what a number of @width bits takes. */
static uint64_t usual_cost(unsigned width, unsigned k)
{
	if (width > k + 4) /* mostly */
		return RICE_ESCAPE + 64;
	return 1 + k + (width > k ? (3u << (width - k)) / 4 : 0);
}

/*
 * The parameter of about the fewest bits, by how many numbers have how many bits. The cost need not be convex, so every
 * parameter is tried.
 */
static unsigned choose_parameter(const uint64_t *values, size_t n, uint64_t base, unsigned least_k)
{
	size_t widths[65] = {0};
	uint64_t fewest = UINT64_MAX;
	unsigned best = least_k, widest = 64;

	for (size_t i = 0; i < n; i++)
		widths[values[i] == base ? 0 : 64 - __builtin_clzll(values[i] - base)]++;
	while (widest && widths[widest] == 0)
		widest--;
	for (unsigned k = least_k; k <= RICE_K_MAX && (k == least_k || k <= widest); k++) {
		uint64_t bits = 0;

		for (unsigned width = 0; width <= widest; width++)
			bits += widths[width] ? widths[width] * usual_cost(width, k) : 0;
		if (bits < fewest) {
			fewest = bits;
			best = k;
		}
	}
	return best;
}

size_t rice_encode(uint8_t *out, size_t room, const uint64_t *values, size_t n, unsigned least_k)
{
	uint64_t base = least(values, n);
	unsigned k = choose_parameter(values, n, base, least_k);
	struct bits_out o = {out, 0, 0};

	*o.p++ = (uint8_t)k;
	o.p += put_varint(o.p, base);
	for (size_t i = 0; i < n && (size_t)(o.p - out) <= room; i++)
		put_rice(&o, values[i] - base, k);
	return finish_bits(&o, out, room);
}

static void put_in_range(struct bits_out *o, uint64_t v, uint32_t limit)
{
	unsigned bits = 31 - (unsigned)__builtin_clz(limit);
	uint64_t few = (UINT64_C(2) << bits) - limit;

	put_bits(o, v < few ? v : (v + few) >> 1, bits);
	if (v >= few)
		put_bits(o, (v + few) & 1, 1);
}

size_t range_encode(uint8_t *out, size_t room, const uint64_t *values, size_t n)
{
	uint64_t base = least(values, n), most = base;
	struct bits_out o = {out, 0, 0};

	for (size_t i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	if (most - base >= UINT32_MAX)
		return 0;
	o.p += put_varint(o.p, base);
	o.p += put_varint(o.p, most - base + 1);
	for (size_t i = 0; i < n && (size_t)(o.p - out) <= room; i++)
		put_in_range(&o, values[i] - base, (uint32_t)(most - base + 1));
	return finish_bits(&o, out, room);
}

void range_open(struct rice *r, const uint8_t *data, size_t len)
{
	uint64_t limit;

	*r = (struct rice){.bytes = cursor_of(data, len)};
	r->base = get_varint(&r->bytes);
	limit = get_varint(&r->bytes);
	r->bad = r->bytes.bad || limit == 0 || limit > UINT32_MAX;
	r->limit = r->bad ? 1 : (uint32_t)limit;
	r->k = 31 - (unsigned)__builtin_clz(r->limit);
}

void rice_open(struct rice *r, const uint8_t *data, size_t len)
{
	*r = (struct rice){.bytes = cursor_of(data, len)};
	r->k = get_u8(&r->bytes);
	r->base = get_varint(&r->bytes);
	r->bad = r->bytes.bad || r->k > RICE_K_MAX;
	if (r->bad)
		r->k = 0;
}

bool rice_done(const struct rice *r)
{
	uint64_t rest = r->nbits < 64 ? r->bits & ((UINT64_C(1) << r->nbits) - 1) : r->bits;

	/* A whole byte too much may have been taken in by a refill: nbits counts it. */
	return !r->bad && cursor_left(&r->bytes) == 0 && r->nbits < 8 && rest == 0;
}
