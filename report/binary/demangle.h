/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - a symbol as its author wrote it: C++ and Rust by libiberty, OCaml by its own rules, and what the
 * compiler made of a function (foo.cold, foo.constprop.0) is that function. Bounded in time and memory whatever the
 * symbol.
 */
#ifndef REPORT_BINARY_DEMANGLE_H
#define REPORT_BINARY_DEMANGLE_H

#include "common/buf.h"

#include <stdbool.h>

/*
 * Appends @symbol's name and a NUL to @out: as it is where it is not mangled. A module of Linux that stands behind it,
 * "name [module]", stays. 0 or -ENOMEM.
 */
int demangle(const char *symbol, struct buf *out);

/* How long @symbol is without what compilers put behind the names of clones and parts: .cold, .isra.0 and the like. */
size_t demangle_base(const char *symbol, size_t len);

/* Appends an OCaml symbol's name, camlLwt__return_1319 as Lwt.return: 1; 0: it is none; -ENOMEM. */
int demangle_ocaml(const char *symbol, size_t len, struct buf *out);

#endif
