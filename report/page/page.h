/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.h - the page in which a browser shows a profile: one HTML file that needs neither network nor server.
 *
 * The profile is embedded as JSON. Names are only ever text, and a content security policy allows no script but the
 * page's own.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/page_data.h"

/* To r->out; as page_data(). The caller checks it for errors. */
int page_write(const struct report *r, const struct fold *fold, const struct heat *heat);
/* The domains' names, safe, to be freed; NULL: out of memory. */
char *page_title(const struct upf_session *session);

#endif
