/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xenstore.h - domain names from xenstore. libxenstore is loaded at run time: its soname changes between Xen versions
 * while the few functions used here do not, and without it domains are still found by number.
 */
#ifndef XENIF_XENSTORE_H
#define XENIF_XENSTORE_H

#include <stddef.h>
#include <stdint.h>

struct xenstore;
struct xenstore *xenstore_open(void); /* NULL: no xenstore here */
void xenstore_close(struct xenstore *n);
int xenstore_of(struct xenstore *n, uint32_t domid, char *name, size_t size); /* 0 or -ENOENT */
uint32_t xenstore_own_domid(struct xenstore *n);                              /* 0 where xenstore does not tell */

#endif
