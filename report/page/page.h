/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.h - the page in which a browser shows a profile: one HTML file that needs neither network nor server.
 *
 * The profile is embedded as JSON. Names are only ever text, and a content security policy allows no script but the
 * page's own.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/heat.h"
#include "report/view/view.h"

/*
 * To r->out, which the caller checks for errors: @fold, made for a page and sorted by name; @heat, finished, or NULL.
 * Its stack number fold->nstacks is what filters by name leave out. 0 or -ENOMEM.
 */
int page_write(const struct report *r, const struct fold *fold, const struct heat *heat);
/* The same as the JSON that the page's scripts read (page_data.c). @title is safe; @notes on quality, NULL: none. */
int page_data(const struct report *r, const struct fold *fold, const struct heat *heat, const char *title,
              const char *notes);
/* The domains' names, safe, to be freed; NULL: out of memory. */
char *page_title(const struct upf_session *session);

#endif
