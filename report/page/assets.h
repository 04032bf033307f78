/* SPDX-License-Identifier: BSD-2-Clause */
/* assets.h - the HTML, CSS and JavaScript files of this folder, embedded in the program. */
#ifndef REPORT_PAGE_ASSETS_H
#define REPORT_PAGE_ASSETS_H

#include <stddef.h>

struct asset {
	const char *text, *end; /* [text, end) */
	const char *hash;       /* SHA-256 in base64, as a content security policy names it; NULL: none is needed */
};

extern const struct asset asset_page; /* {{NAME}} marks what page.c fills in */
extern const struct asset asset_style;
extern const struct asset asset_scripts[]; /* in the order in which they run; ends with one without a text */

#endif
