/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - domain names from xenstore. libxenstore is loaded at run time: its soname changes between Xen versions
 * while the few functions used here do not, and without it domains are still found by number.
 */
#ifndef XENIF_NAMES_H
#define XENIF_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;
struct names *names_open(void); /* NULL: no xenstore here */
void names_close(struct names *n);
int names_of(struct names *n, uint32_t domid, char *name, size_t size); /* 0 or -ENOENT */
uint32_t names_own_domid(struct names *n);                              /* 0 where xenstore does not tell */

#endif
