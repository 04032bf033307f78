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

/* 0 or -ENOMEM. The caller checks @out for errors. */
int page_write(const struct page_content *content, FILE *out);
/* The domains' names, safe, to be freed; NULL: out of memory. */
char *page_title(const struct upf_session *session);

#endif
