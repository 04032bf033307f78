/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.h - where a Linux module's sections are in the guest. Its .ko file is not linked: the kernel placed each
 * section separately. kallsyms tells where, because it lists the module's functions with their addresses.
 */
#ifndef REPORT_SYMBOLS_MODULE_H
#define REPORT_SYMBOLS_MODULE_H

#include "report/symbols/symbols.h"
#include "report/elf/image.h"

struct module;

/*
 * NULL and one line in @why: the file is no module, none of its functions is among the @symbols, or their distances
 * differ from the file's, so it is another build of the module. @image must outlive it.
 */
struct module *module_place(struct image *image, const struct symbols *symbols, char *why, size_t size);
void module_free(struct module *m); /* NULL is fine */
/*
 * The address of the file's symbol number @symbol; false: there is no such symbol, or its section is not in the guest,
 * as .init sections after loading.
 */
bool module_address(const struct module *m, uint32_t symbol, uint64_t *address);

#endif
