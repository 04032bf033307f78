/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.h - the page in which a browser shows a profile: one HTML file that needs nothing else, no network and no
 * server.
 *
 * The profile stands in it as JSON, its names as text that no script can come out of; a content security policy lets
 * no script run but the page's own.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/page_data.h"

/* 0 or -ENOMEM. Errors of @out are for whoever opened it. */
int page_write(const struct page_content *content, FILE *out);
/* The domains' names, safe, to be freed; NULL: out of memory. */
char *page_title(const struct upf_session *session);

#endif
