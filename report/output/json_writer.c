/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/json_writer.h"
#include "common/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		uint32_t code;
		size_t n = utf8_character(text, &code);

		if (n == 0)
			fputs("\\ufffd", out), n = 1;
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", *text);
		else if (utf8_is_unsafe(code) || code == '<' || code == '>' || code == '&' || code == 0x2028 ||
		         code == 0x2029) /* line and paragraph separators end a script's line */
			fprintf(out, "\\u%04x", (unsigned)code);
		else
			fwrite(text, 1, n, out);
		text += n;
	}
	fputc('"', out);
}

static void begin_value(struct json *j, const char *key)
{
	if (j->depth > 0) {
		if (j->open[j->depth - 1].any)
			fputc(',', j->out);
		j->open[j->depth - 1].any = true;
	}
	if (key) {
		put_quoted(j->out, key);
		fputc(':', j->out);
	}
}

static void open_level(struct json *j, const char *key, char open, char close)
{
	begin_value(j, key);
	fputc(open, j->out);
	assert(j->depth < JSON_DEPTH);
	j->open[j->depth].close = close;
	j->open[j->depth++].any = false;
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, '[', ']');
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
	begin_value(j, key);
	put_quoted(j->out, text);
}

void json_uint(struct json *j, const char *key, uint64_t n)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, n);
}

void json_int(struct json *j, const char *key, int64_t n)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, n);
}

void json_real(struct json *j, const char *key, double n)
{
	begin_value(j, key);
	if (isfinite(n))
		fprintf(j->out, "%.15g", n);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool b)
{
	begin_value(j, key);
	fputs(b ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key);
	fputs("null", j->out);
}
