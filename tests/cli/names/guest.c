/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest without libraries: a function that is inlined, one that is static, one with an alias. */
static inline __attribute__((always_inline)) int twice(int n)
{
	__asm__ volatile("pause"); /* an instruction that is its own for sure */
	return n * 2;
}

__attribute__((noinline)) static int leaf(volatile int *n)
{
	return twice(*n) + 1;
}

__attribute__((noinline)) int work(volatile int *n)
{
	*n = leaf(n);
	return *n + leaf(n);
}

int also_work(volatile int *n) __attribute__((weak, alias("work")));

void _start(void)
{
	volatile int n = 0;

	for (;;)
		n = work(&n) + also_work(&n);
}
