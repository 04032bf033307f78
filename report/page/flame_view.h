/* SPDX-License-Identifier: BSD-2-Clause */
/* flame_view.h - what the views share that show a flame graph. */
#ifndef REPORT_PAGE_FLAME_VIEW_H
#define REPORT_PAGE_FLAME_VIEW_H

#include "report/page/flame.h"
#include "report/view/view.h"

/* The flame graph of what has been loaded, finished; as flame_add() and flame_finish(). To be freed in any case. */
int flame_view_make(const struct report *r, struct flame *flame, uint32_t *stack_of, uint32_t *moved);
/*
 * The whole of a view that is a flame graph and nothing else: loads, puts the flame graph together, writes it by
 * @write, adds the notes on quality. 0 or a negative errno.
 */
int flame_view_run(const struct report *r,
                   int (*write)(const struct report *r, const struct fold *fold, const struct flame *flame));

#endif
