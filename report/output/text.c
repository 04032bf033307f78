/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/text.h"
#include "common/quantity.h"
#include "common/utf8.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

struct text text_count(uint64_t n)
{
	struct text t = {""};
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *to = t.s;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return t;
}

struct text text_share(uint64_t part, uint64_t whole)
{
	struct text t = {""};

	snprintf(t.s, sizeof(t.s), "%.1f%%", quantity_percent(part, whole));
	return t;
}

struct text text_time(uint64_t ns)
{
	struct text t = {""};

	_Static_assert(sizeof(t.s) >= QUANTITY_SIZE, "a time fits");
	quantity_time(t.s, ns);
	return t;
}

struct text text_utc(uint64_t real_ns)
{
	struct text t = {""};
	time_t seconds = (time_t)(real_ns / 1000000000);
	struct tm tm;
	size_t n;

	if (!gmtime_r(&seconds, &tm)) {
		snprintf(t.s, sizeof(t.s), "%" PRIu64 " ns", real_ns);
		return t;
	}
	n = strftime(t.s, sizeof(t.s), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(t.s + n, sizeof(t.s) - n, ".%06uZ", (unsigned)(real_ns % 1000000000 / 1000));
	return t;
}

static struct text hex(const uint8_t bytes[16], const char *dash)
{
	struct text t = {""};
	char *to = t.s;

	for (int i = 0; i < 16; i++)
		to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? dash : "", bytes[i]);
	return t;
}

struct text text_uuid(const uint8_t uuid[16])
{
	return hex(uuid, "-");
}

struct text text_trace_id(const uint8_t id[16])
{
	return hex(id, "");
}

int text_columns(const char *name)
{
	int n = 0;

	for (; *name; name++)
		n += !utf8_is_continuation(*name);
	return n;
}

void text_name(FILE *out, const char *name, int columns, bool utf8)
{
	const char *mark = utf8 ? "\u2026" : "...";
	int keep = columns - (utf8 ? 1 : 3);

	if (columns <= 0 || text_columns(name) <= columns) {
		fputs(name, out);
		return;
	}
	while (*name && (keep > 0 || utf8_is_continuation(*name))) {
		keep -= !utf8_is_continuation(*name);
		fputc(*name++, out);
		if (keep == 0 && !utf8_is_continuation(*name))
			break;
	}
	fputs(mark, out);
}

void text_path(FILE *out, const char *path, int columns, bool utf8)
{
	int over = text_columns(path) - columns;

	if (columns <= 0 || over <= 0) {
		fputs(path, out);
		return;
	}
	for (over += utf8 ? 1 : 3; *path && (over > 0 || utf8_is_continuation(*path)); path++)
		over -= !utf8_is_continuation(*path);
	fprintf(out, "%s%s", utf8 ? "\u2026" : "...", path);
}

/* U+FFFE and U+FFFF are no characters in XML (https://www.w3.org/TR/xml/#charsets). */
static bool is_noncharacter(const unsigned char *s)
{
	return s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
}

void text_xml(FILE *out, const char *text, size_t len)
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
