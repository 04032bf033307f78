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
	static const struct {
		char c;
		const char *as;
	} marks[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"},
	};

	for (size_t i = 0; i < len && text[i]; i++) {
		const char *as = NULL;
		size_t known = sizeof(marks) / sizeof(marks[0]);

		for (size_t m = 0; m < known; m++)
			if (text[i] == marks[m].c)
				as = marks[m].as;
		if (i + 2 < len && is_noncharacter((const unsigned char *)text + i)) {
			as = "?";
			i += 2;
		} else if ((unsigned char)text[i] < ' ') {
			as = "?";
		}
		if (as)
			fputs(as, out);
		else
			fputc(text[i], out);
	}
}
