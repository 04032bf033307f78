/* SPDX-License-Identifier: BSD-2-Clause */
/* libunwind_step.h - unwinds one frame of x86-64 code that needs more than a CFI row can say, by libunwind. */
#ifndef REPORT_UNWIND_LIBUNWIND_STEP_H
#define REPORT_UNWIND_LIBUNWIND_STEP_H

#include "report/unwind/fde.h"
#include "report/unwind/memory.h"

struct libunwind_step;

/* Both must outlive it. NULL: errno. */
struct libunwind_step *libunwind_step_new(struct image *image, const struct fde_index *index);
void libunwind_step_free(struct libunwind_step *t); /* NULL is fine */
/* As tables_step() (tables.h), with the description @fde, which is in .eh_frame. */
int libunwind_step(struct libunwind_step *t, const struct fde *fde, uint64_t address, struct registers *r,
                   const struct memory *m);

#endif
