/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/say.h"
#include "common/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_MIN 20 /* a narrower terminal tells nonsense */

static const char *name = "uniprof";

void say_name(const char *program)
{
	name = program;
}

/* The bytes at the beginning of @text that can be shown as they are. */
static size_t safe_length(const char *text)
{
	size_t n = 0, len;
	uint32_t code;

	while (text[n] && (len = utf8_character(text + n, &code)) != 0 && !utf8_is_unsafe(code))
		n += len;
	return n;
}

void print_safe(FILE *out, const char *text)
{
	while (*text) {
		size_t len = safe_length(text);

		fwrite(text, 1, len, out);
		text += len;
		if (*text)
			fprintf(out, "\\x%02x", (unsigned char)*text++);
	}
}

char *safe_text(const char *text)
{
	char *safe = NULL;
	size_t len;
	FILE *memory = open_memstream(&safe, &len);

	if (!memory)
		return NULL;
	print_safe(memory, text);
	if (fclose(memory) == 0)
		return safe;
	free(safe);
	return NULL;
}

int print_words(FILE *out, const char *text, int column, int indent, int width)
{
	for (const char *word = text; *word; word += *word == ' ') {
		int len = (int)strcspn(word, " "), columns = 0;

		for (int i = 0; i < len; i++)
			columns += !utf8_is_continuation(word[i]);
		if (word > text && width && column + 1 + columns > width && column > indent)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		else if (word > text)
			column += fprintf(out, " ");
		fprintf(out, "%.*s", len, word);
		column += columns;
		word += len;
	}
	return column;
}

int terminal_columns(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN ? size.ws_col : 80;
}

void say(const char *format, ...)
{
	char text[1024], *safe;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	flockfile(stderr);
	fprintf(stderr, "%s: ", name);
	safe = safe_text(text);
	if (safe)
		print_words(stderr, safe, (int)strlen(name) + 2, 2, terminal_columns(STDERR_FILENO));
	else
		print_safe(stderr, text);
	free(safe);
	fputc('\n', stderr);
	funlockfile(stderr);
}

int failure(char *why, size_t size, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return rc;
}

int standard_streams_open(void)
{
	static const int flags[] = {
		[STDIN_FILENO] = O_RDONLY,
		[STDOUT_FILENO] = O_RDONLY,
		[STDERR_FILENO] = O_WRONLY,
	};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int opened;

		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest number that is free, so this one. */
		opened = open("/dev/null", flags[fd]);
		if (opened < 0)
			return -errno;
	}
	return 0;
}

int standard_output_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return errno ? -errno : -EIO;
}

int write_all(int fd, const void *data, size_t len)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EAGAIN)
			poll(&p, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}
