/* SPDX-License-Identifier: BSD-2-Clause */
/* xml.h - escapes text for XML and HTML, between tags and in quoted attributes. */
#ifndef REPORT_OUTPUT_XML_H
#define REPORT_OUTPUT_XML_H

#include <stddef.h>
#include <stdio.h>

/* At most @len bytes of @text, up to its end. UTF-8, as from print_safe(); what XML cannot hold becomes '?'. */
void xml_text(FILE *out, const char *text, size_t len);

#endif
