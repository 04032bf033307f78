/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - a symbol's name as in the source: C++ and Rust by libiberty, OCaml by its own rules; clones and parts
 * that compilers make (foo.cold, foo.constprop.0) have their function's name. Time and memory are limited for any
 * symbol.
 */
#ifndef REPORT_SYMBOLS_DEMANGLE_H
#define REPORT_SYMBOLS_DEMANGLE_H

#include "common/array.h"

#include <stdbool.h>

/*
 * Appends @symbol's name and a NUL to @out, unchanged if it is not mangled. A Linux module's name after it, as in
 * "name [module]", is kept. 0 or -ENOMEM.
 */
int demangle(const char *symbol, struct buf *out);

/* The length of @symbol without the suffixes of clones and parts: .cold, .isra.0 and the like. */
size_t demangle_base(const char *symbol, size_t len);

/* Appends an OCaml symbol's name, Lwt.return for camlLwt__return_1319. 1; 0: it is no OCaml symbol; -ENOMEM. */
int demangle_ocaml(const char *symbol, size_t len, struct buf *out);

#endif
