/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_symbols.h - the functions of the host's kernel, by /proc/kallsyms. */
#ifndef KVMIF_HOST_KERNEL_SYMBOLS_H
#define KVMIF_HOST_KERNEL_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

struct kernel_symbols;

/* Of text as that of /proc/kallsyms. NULL: errno; EPERM: addresses are hidden from us. */
struct kernel_symbols *kernel_symbols_read(FILE *f);
void kernel_symbols_free(struct kernel_symbols *k); /* NULL is fine */

struct kernel_function {
	uint64_t start;
	const char *name, *module; /* "kernel": of no module. Valid as long as the symbols */
};

/* The function that @address is in; of one that is in none, start is 0. */
struct kernel_function kernel_symbols_find(const struct kernel_symbols *k, uint64_t address);

#endif
