/* SPDX-License-Identifier: BSD-2-Clause */
/* page_data.h - what a page shows, as the JSON that its scripts read. */
#ifndef REPORT_PAGE_PAGE_DATA_H
#define REPORT_PAGE_PAGE_DATA_H

#include "report/page/heat.h"
#include "report/view/view.h"

/*
 * To r->out: @fold, made for a page and sorted by name; @heat, finished, NULL: none. Its stack number fold->nstacks is
 * what filters by name leave out. @title is safe; @notes on quality, NULL: none. 0 or -ENOMEM.
 */
int page_data(const struct report *r, const struct fold *fold, const struct heat *heat, const char *title,
              const char *notes);

#endif
