/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.h - where a Linux module's sections lie in the guest. Its .ko file is not linked: the kernel placed each
 * section by itself, and what tells where is kallsyms, which has the module's functions with their addresses.
 */
#ifndef REPORT_BINARY_MODULE_H
#define REPORT_BINARY_MODULE_H

#include "report/binary/symbols.h"
#include "report/binary/image.h"

struct module;

/*
 * NULL, one line in @why: the file is no module, none of its functions is among the @symbols, or they do not lie as in
 * the file: it is another build of the module. @image must outlive it.
 */
struct module *module_place(struct image *image, const struct symbols *symbols, char *why, size_t size);
void module_free(struct module *m); /* NULL is fine */
/*
 * Where the file's symbol number @symbol lies; false: it has none, or its section has no place, as what is gone after
 * init.
 */
bool module_address(const struct module *m, uint32_t symbol, uint64_t *address);

#endif
