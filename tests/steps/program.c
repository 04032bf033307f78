/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.c - one of everything that makes a stack hard to walk, for being stepped through one instruction at a time.
 * No C library: every instruction that runs is in here. Nothing depends on anything outside, so every run is the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define APART __attribute__((noinline, noclone, noipa))
#define COLD __attribute__((cold, noinline))
#ifdef __clang__
#undef APART
#define APART __attribute__((noinline))
#endif

int run(void);
volatile long sink;
volatile long three = 3;

/* What the compiler asks for where there is no library. */
void *memset(void *to, int byte, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

APART void *memset(void *to, int byte, size_t n)
{
	for (volatile uint8_t *at = to; n--; at++)
		*at = (uint8_t)byte;
	return to;
}

APART void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	const volatile uint8_t *b = from;

	for (volatile uint8_t *a = to; n--; a++, b++)
		*a = *b;
	return to;
}

/* --- leaves ------------------------------------------------------------------------------------------------------ */

APART static long leaf_plain(long a)
{
	return a * 7 + 1;
}

APART static long leaf_locals(long a)
{
	volatile long x[4] = {a, a + 1, a + 2, a + 3};

	return x[0] ^ x[3];
}

/* More than a red zone holds. */
APART static long leaf_buffer(long a)
{
	volatile uint8_t bytes[200];

	for (int i = 0; i < 200; i += 40)
		bytes[i] = (uint8_t)(a + i);
	return bytes[40] + bytes[160];
}

/* Enough values at once for the registers that must be preserved. */
APART static long leaf_registers(long a, long b, long c, long d, long e, long f)
{
	long g = three, h = three + 1, i = three + 2, j = three + 3, k = three + 4, l = three + 5, m = three + 6;

	for (int n = 0; n < 2; n++) {
		a += b * g;
		b ^= c + h;
		c -= d * i;
		d += e ^ j;
		e *= f + k;
		f -= a ^ l;
		g += m;
		h ^= a;
		i += b;
		j -= c;
		k ^= d;
		l += e;
		m -= f;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m;
}

APART static long leaf_loop(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i ^ three;
	return sum;
}

APART static long leaf_alloca(long n)
{
	volatile char *room = __builtin_alloca((size_t)n);

	room[0] = (char)n;
	room[n - 1] = 1;
	return room[0];
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

APART static long big_frame(long a)
{
	volatile long room[300];

	room[0] = a;
	room[299] = leaf_plain(a);
	return room[0] + room[299] + leaf_buffer(a);
}

APART static long with_alloca(long n)
{
	volatile long *room = __builtin_alloca((size_t)n * sizeof(*room));

	for (long i = 0; i < n; i++)
		room[i] = leaf_plain(i);
	return room[n - 1] + leaf_locals(n);
}

APART static long with_vla(long n)
{
	long sum = 0;

	for (long size = 1; size <= n; size++) {
		volatile long room[size];

		room[size - 1] = leaf_plain(size);
		sum += room[size - 1];
	}
	return sum;
}

APART static long aligned(long a)
{
	_Alignas(64) volatile long room[8];

	room[0] = leaf_locals(a);
	room[7] = (long)(uintptr_t)room & 63;
	return room[0] + room[7];
}

APART static long aligned_alloca(long n)
{
	_Alignas(32) volatile long fixed[4];
	volatile char *room = __builtin_alloca((size_t)n);

	fixed[0] = n;
	room[0] = (char)leaf_plain(n);
	return fixed[0] + room[0];
}

/* Returns early, before any frame is needed. */
APART static long shrink_wrapped(long a)
{
	if (a < 2)
		return a;
	a += leaf_registers(a, 1, 2, 3, 4, 5);
	a ^= leaf_plain(a);
	return a + leaf_locals(a);
}

APART static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	return leaf_plain(a + b) + c + d + e + f + g * h - leaf_plain(i);
}

struct large {
	long v[9];
};

APART static struct large by_value(struct large in)
{
	in.v[3] += leaf_plain(in.v[8]);
	return in;
}

APART static long variadic(int n, ...)
{
	long sum = 0;
	va_list list;

	va_start(list, n);
	while (n--)
		sum += leaf_plain(va_arg(list, long));
	va_end(list);
	return sum;
}

/* --- recursion, pointers, tail calls ----------------------------------------------------------------------------- */

APART static long recursive(long n)
{
	return n <= 0 ? leaf_plain(n) : recursive(n - 1) * 2 + n;
}

APART static long odd(long n);

APART static long even(long n)
{
	return n == 0 ? 1 : odd(n - 1) + 1;
}

APART static long odd(long n)
{
	return n == 0 ? 0 : even(n - 1) + 1;
}

APART static long tail_last(long a)
{
	return leaf_locals(a) + 1;
}

APART static long tail_middle(long a)
{
	sink = a;
	return tail_last(a + 1);
}

APART static long tail_first(long a)
{
	sink = leaf_plain(a);
	return tail_middle(a ^ 5);
}

typedef long (*function)(long);

APART static long tail_pointer(function f, long a)
{
	sink = a;
	return f(a + 1);
}

APART static long tail_pointer_framed(function f, long a)
{
	long b = leaf_plain(a);

	sink = b;
	return f(b);
}

static function volatile table[] = {leaf_plain, leaf_locals, leaf_loop, recursive, tail_first, with_alloca};

APART static long by_pointers(void)
{
	long sum = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		sum += table[i](3);
	return sum;
}

APART static long tail_many(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	sink = a;
	return many(i, h, g, f, e, d, c, b, a);
}

/* --- jumps and cold parts ---------------------------------------------------------------------------------------- */

APART static long switched(long a)
{
	switch (a) {
	case 0:
		return leaf_plain(a);
	case 1:
		return leaf_locals(a) + 3;
	case 2:
		return leaf_loop(2) ^ 9;
	case 3:
		sink = a;
		return leaf_buffer(4);
	case 4:
		return tail_first(a);
	case 5:
		sink = 5;
		break;
	case 6:
		sink += leaf_plain(6);
		break;
	case 7:
		return -1;
	default:
		return recursive(2);
	}
	return sink + leaf_plain(sink);
}

/* The same without a frame of its own. */
APART static long switched_leaf(long a)
{
	switch (a) {
	case 0:
		return three * 5;
	case 1:
		return three ^ 17;
	case 2:
		sink = 4;
		return three;
	case 3:
		return a - three;
	case 4:
		sink = three;
		return 12;
	case 5:
		return three << 4;
	default:
		return 0;
	}
}

APART static __attribute__((noreturn)) void stop(void)
{
	for (;;)
		__asm__ volatile("");
}

COLD static long unlikely(long a)
{
	return leaf_locals(a) * 3;
}

/* Its rare way is put elsewhere, and is taken once. */
APART static long with_cold(long a)
{
	long b = leaf_plain(a);

	if (__builtin_expect(a == 4, 0)) {
		b += unlikely(a);
		sink = b ^ leaf_loop(2);
		b -= unlikely(b);
	}
	return b + leaf_plain(b);
}

/* What stands behind a call that never returns is another way's. */
APART static long with_noreturn(long a)
{
	if (a == 1000)
		stop();
	a += leaf_plain(a);
	if (a == 2000)
		stop();
	return a ^ leaf_locals(a);
}

APART static long noreturn_early(long a)
{
	if (a < 0) {
		volatile long room[20];

		room[0] = leaf_plain(a);
		sink = room[0];
		stop();
	}
	return a + 2;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

APART static long first_half(void)
{
	struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
	long sum = leaf_plain(1) + leaf_locals(2) + leaf_buffer(3) + leaf_registers(1, 2, 3, 4, 5, 6) + leaf_loop(4);

	sum += leaf_alloca(24) + big_frame(2) + with_alloca(5) + with_vla(3) + aligned(3) + aligned_alloca(40);
	sum += shrink_wrapped(1) + shrink_wrapped(5) + many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	l = by_value(l);
	return sum + l.v[3] + variadic(3, 1L, 2L, 3L);
}

APART static long second_half(void)
{
	long sum = recursive(6) + even(7) + tail_first(3) + tail_pointer(leaf_buffer, 1) +
	           tail_pointer_framed(with_vla, 0);

	sum += by_pointers() + tail_many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	for (long a = 0; a < 9; a++)
		sum += switched(a) + switched_leaf(a);
	for (long a = 3; a < 6; a++)
		sum += with_cold(a);
	return sum + with_noreturn(1) + noreturn_early(1);
}

int run(void)
{
	sink = first_half();
	sink += second_half();
	return 0;
}
