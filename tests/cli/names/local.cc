/* SPDX-License-Identifier: BSD-2-Clause */
/* Inlines each function of local.h in one unit, and in the one with -DCALLS calls it as well. */
#include "local.h"

#ifdef CALLS
#define UNIT called
typedef int (*plain_function)(const shared *, int);
typedef int (outer::hidden::*method_function)(long) const;
extern plain_function volatile p1;
plain_function volatile p1 = plain;
static int (*volatile p2)(int, const shared *) = outer::overloaded;
static int (*volatile p3)(unsigned long, outer::hidden &, bool) = outer::overloaded;
static volatile method_function p4 = &outer::hidden::method;
static int (*volatile p5)(unsigned char) = outer::hidden::fixed;
static int (*volatile p6)(int) = outer::twice<int>;
static int (*volatile p7)(int (*)(int, const shared *), const char *const *, outer::box<int> &&, outer::color,
                          volatile short *, long long, void *, double, ...) = of_types;
static void (outer::hidden::*volatile p8)(unsigned short) = &outer::hidden::change;
int call(outer::hidden &h, const shared *s, const char **v, short *n);
int call(outer::hidden &h, const shared *s, const char **v, short *n)
{
	(h.*p8)(3);
	return p1(s, 3) + p2(4, s) + p3(5, h, true) + (h.*p4)(6) + p5(7) + p6(8) +
	       p7(p2, v, outer::box<int>(), outer::GREEN, n, 1, v, 1.0);
}
#else
#define UNIT inlined
volatile int sink;
int called(int c, const char **v);
int main(int c, char **v)
{
	return called(c, (const char **)v);
}
#endif

static int other(int n, const shared *s)
{
	return s ? n : s->a;
}

int UNIT(int c, const char **v);
int UNIT(int c, const char **v)
{
	shared s = {c};
	outer::hidden h = {c};
	short n = (short)c;

	h.change((unsigned short)c);
#ifdef CALLS
	call(h, &s, v, &n);
#endif
	return plain(&s, c) + outer::overloaded(c, &s) + outer::overloaded((unsigned long)c, h, c > 1) + h.method(c) +
	       outer::hidden::fixed((unsigned char)c) + outer::twice(c) + outer::twice((unsigned long)c) +
	       of_types(other, v, outer::box<int>(), outer::RED, &n, c, v, 2.0);
}
