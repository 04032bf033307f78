/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xenstore.h - domains and their names from xenstore.
 *
 * libxenstore is loaded at run time: its soname changes between Xen versions while the few functions used here do not,
 * and without it domains are still found by number. Every function may block for as long as xenstored does not answer.
 */
#ifndef XENIF_XENSTORE_H
#define XENIF_XENSTORE_H

#include <stddef.h>
#include <stdint.h>

struct xenstore;
struct xenstore *xenstore_open(void); /* NULL: no xenstore here; the functions below take NULL */
void xenstore_close(struct xenstore *s);

/* The name of domain @domid, cut to @size bytes: 0 or -ENOENT. */
int xenstore_name(struct xenstore *s, uint32_t domid, char *name, size_t size);
/* The numbers of all domains, ascending: *domids, @n of them, which the caller frees. 0, -ENOENT or -ENOMEM. */
/* The file that libxl has loaded a PV guest's kernel from; -ENOENT: it is not known. */
int xenstore_kernel(struct xenstore *s, uint32_t domid, char *path, size_t size);
int xenstore_domids(struct xenstore *s, uint32_t **domids, size_t *n);
/* The domain this program runs in; 0 if xenstore does not tell. */
uint32_t xenstore_own_domid(struct xenstore *s);

#endif
