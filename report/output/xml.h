/* SPDX-License-Identifier: BSD-2-Clause */
/* xml.h - text as XML and HTML hold it, between tags and in quoted attributes. */
#ifndef REPORT_OUTPUT_XML_H
#define REPORT_OUTPUT_XML_H

#include <stddef.h>
#include <stdio.h>

/* At most @len bytes of @text, up to its end. UTF-8, as print_safe() makes it; what XML cannot hold stands as '?'. */
void xml_text(FILE *out, const char *text, size_t len);

#endif
