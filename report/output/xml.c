/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/xml.h"

#include <stdbool.h>
#include <string.h>

/* U+FFFE and U+FFFF are no characters in XML (https://www.w3.org/TR/xml/#charsets). */
static bool is_noncharacter(const unsigned char *s)
{
	return s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
}

void xml_text(FILE *out, const char *text, size_t len)
{
	static const char marks[] = "&<>\"'";
	static const char *const as[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (size_t i = 0; i < len && text[i]; i++) {
		const char *mark = strchr(marks, text[i]);

		if (mark) {
			fputs(as[mark - marks], out);
		} else if (i + 2 < len && is_noncharacter((const unsigned char *)text + i)) {
			fputc('?', out);
			i += 2;
		} else {
			fputc((unsigned char)text[i] < ' ' ? '?' : text[i], out);
		}
	}
}
