/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.c - a program for the Linux guest, as any other: compiled with -O2, linked with the C library. It works in
 * two functions of its own, which call the same third one, three times as often from the first, and in the kernel, for
 * about as long. Every half second it prints where it is loaded and what it used: milliseconds of CPU time in its
 * functions, and in the kernel.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLICE 20000000 /* ns of CPU time, about, before there is other work */
/* One round is much shorter than a sampling period, so that neighbouring samples are independent. */
#define ROUNDS 16 /* before it looks at the time */

extern const char __executable_start[]; /* the linker's */
static char buffer[1 << 16];

/* Not by way of the kernel's vDSO: no file has the code that is in it. */
static uint64_t used(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noipa)) static uint64_t mix(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
	return x;
}

__attribute__((noipa)) static uint64_t often(uint64_t x)
{
	x = mix(x);
	x = mix(x + 1);
	x = mix(x + 2);
	return x + 1;
}

__attribute__((noipa)) static uint64_t seldom(uint64_t x)
{
	return mix(x) + 1;
}

__attribute__((noipa)) static void zeros(int fd)
{
	for (int i = 0; i < 20; i++)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			_exit(1);
}

int main(int argc, char **argv)
{
	uint64_t own = 0, kernel = 0, said = 0, x = 1, since;
	int fd = open("/dev/zero", O_RDONLY);

	(void)argc;
	for (;;) {
		since = used();
		while (used() - since < SLICE)
			for (int i = 0; i < ROUNDS; i++)
				x = seldom(often(x));
		own += used() - since;
		since = used();
		while (used() - since < SLICE)
			zeros(fd);
		kernel += used() - since;
		if (own + kernel - said < 500000000)
			continue;
		said = own + kernel;
		dprintf(1, "USED %s %p %llu %llu %d\n", argv[0], (const void *)__executable_start,
		        (unsigned long long)own / 1000000, (unsigned long long)kernel / 1000000, (int)(x & 1));
	}
}
