/* SPDX-License-Identifier: BSD-2-Clause */
/* As local.cc, in C. */
#include "local.h"

#ifdef CALLS
static int (*volatile p1)(const struct shared *, int) = plain;
int called(int c);
int called(int c)
{
	struct shared s = {c};

	return p1(&s, c) + plain(&s, c);
}
#else
volatile int sink;
int called(int c);
__attribute__((noinline, used)) static int cloned(struct shared *s, int n, int unused)
{
	for (int i = 0; i < n; i++)
		sink += i + s->a;
	return sink;
}
int main(int c, char **v)
{
	struct shared s = {c};

	(void)v;
	return called(c) + plain(&s, c) + cloned(&s, c, 1);
}
#endif
