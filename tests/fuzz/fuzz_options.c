/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_options.c - any bytes as a command line: of the report if the first one is odd, else of the recorder. Arguments
 * end with a NUL byte.
 */
#include <stdlib.h>
#include <string.h>

#include "record/cli/options.h"
#include "report/cli/settings.h"

#define ARGUMENTS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool fine)
{
	if (!fine)
		abort();
}

/* Splits @text, len bytes and a NUL, into argv[0..n); argv[n] is NULL. */
static int split(char *text, size_t len, char **argv)
{
	int n = 0;

	argv[n++] = (char *)"uniprof";
	for (size_t at = 0; at < len && n < ARGUMENTS_MAX; at += strlen(text + at) + 1)
		argv[n++] = text + at;
	argv[n] = NULL;
	return n;
}

/* Whatever there is to say is one line. */
static void check(int operands, int argc, const char *why, size_t size)
{
	const char *end = memchr(why, '\0', size);

	must(operands < argc && end);
	if (operands < 0)
		must(end > why);
}

static void record_line(int argc, char **argv)
{
	char why[256] = "";
	struct options o;
	int n = record_options_parse(&o, argc, argv, why, sizeof(why));

	check(n, argc, why, sizeof(why));
	if (n < 0)
		return;
	must(o.session.rate_mhz > 0 && o.session.rate_mhz <= 1000000000u && o.session.max_overhead > 0 &&
	     o.session.max_overhead <= 1);
	must(o.stack.max_frames > 0 && o.stack.max_frames <= UPF_DEPTH_MAX && o.stack.copy_words <= UPF_COPY_MAX &&
	     o.stack.window_words <= UPF_WINDOW_MAX);
	must(o.priority >= 0 && o.priority <= 99);
}

static void report_line(int argc, char **argv)
{
	char why[256] = "";
	struct settings s;
	int rc = settings_parse(&s, argc, argv, why, sizeof(why));

	check(rc, argc, why, sizeof(why));
	must(rc != 0 || s.help || s.version || s.ntraces < (size_t)argc);
	settings_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *argv[ARGUMENTS_MAX + 1], *text;
	int argc;

	if (len < 1)
		return 0;
	text = calloc(len, 1);
	must(text != NULL);
	memcpy(text, data + 1, len - 1);
	/*
	 * The C library takes all the memory there is for the repeated repetitions of an expression; who types it is
	 * the user.
	 */
	for (size_t i = 0; i + 1 < len; i++)
		if (text[i] == '{' || text[i] == '+')
			text[i] = '(';
	argc = split(text, len - 1, argv);
	if (data[0] & 1)
		report_line(argc, argv);
	else
		record_line(argc, argv);
	free(text);
	return 0;
}
