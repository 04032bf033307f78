/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* The length of the UTF-8 character that @s starts with (RFC 3629), 0: it is none. */
static size_t character(const unsigned char *s)
{
	static const struct {
		unsigned char from, to, low, high, more;
	} forms[] = {
		{0x00, 0x7f, 0x80, 0xbf, 0}, {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2},
		{0xe1, 0xec, 0x80, 0xbf, 2}, {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2},
		{0xf0, 0xf0, 0x90, 0xbf, 3}, {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3},
	};

	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		if (s[0] < forms[f].from || s[0] > forms[f].to)
			continue;
		if (forms[f].more && (s[1] < forms[f].low || s[1] > forms[f].high))
			return 0;
		for (size_t i = 2; i <= forms[f].more; i++)
			if ((s[i] & 0xc0) != 0x80)
				return 0;
		return forms[f].more + 1;
	}
	return 0;
}

static void quoted(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		size_t n = character(s);

		if (n == 0)
			fputs("\\ufffd", out), n = 1;
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s < ' ' || *s == 0x7f || *s == '<' || *s == '>' || *s == '&')
			fprintf(out, "\\u%04x", *s);
		else if (n == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] | 1) == 0xa9)
			fprintf(out, "\\u20%02x", s[2] & 0x3f); /* line and paragraph separators end a script's line */
		else
			fwrite(s, 1, n, out);
		s += n;
	}
	fputc('"', out);
}

static void next(struct json *j, const char *key)
{
	if (j->depth > 0) {
		if (j->open[j->depth - 1].any)
			fputc(',', j->out);
		j->open[j->depth - 1].any = true;
	}
	if (key) {
		quoted(j->out, key);
		fputc(':', j->out);
	}
}

static void open_one(struct json *j, const char *key, char open, char close)
{
	next(j, key);
	fputc(open, j->out);
	assert(j->depth < JSON_DEPTH);
	j->open[j->depth].close = close;
	j->open[j->depth++].any = false;
}

void json_object(struct json *j, const char *key)
{
	open_one(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_one(j, key, '[', ']');
}

void json_end(struct json *j)
{
	assert(j->depth > 0);
	fputc(j->open[--j->depth].close, j->out);
	if (j->depth == 0)
		fputc('\n', j->out);
}

void json_text(struct json *j, const char *key, const char *text)
{
	next(j, key);
	quoted(j->out, text);
}

void json_uint(struct json *j, const char *key, uint64_t n)
{
	next(j, key);
	fprintf(j->out, "%" PRIu64, n);
}

void json_int(struct json *j, const char *key, int64_t n)
{
	next(j, key);
	fprintf(j->out, "%" PRId64, n);
}

void json_real(struct json *j, const char *key, double n)
{
	next(j, key);
	if (isfinite(n))
		fprintf(j->out, "%.15g", n);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool b)
{
	next(j, key);
	fputs(b ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	next(j, key);
	fputs("null", j->out);
}
