/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/source.h"
#include "common/regular_file.h"
#include "common/say.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAB 8

static int read_lines_of(struct source *s, int fd, size_t size)
{
	size_t len = 0;
	ssize_t n = 1;

	s->text = malloc(size + 1);
	if (!s->text)
		return -ENOMEM;
	while (len < size && n > 0) {
		n = read(fd, s->text + len, size - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	s->text[len] = '\0';
	return 0;
}

/* Bytes of 0 in the file end a line early, and no more. */
static int split(struct source *s)
{
	int rc = 0;

	for (char *at = s->text; rc == 0 && *at;) {
		char *end = strchr(at, '\n');

		rc = array_add(s->lines, s->cap, s->n, at);
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	return rc;
}

static int read_source(struct source *s, const char *path)
{
	struct stat st;
	int fd = regular_file_open(path), rc;

	if (fd < 0)
		return fd;
	rc = fstat(fd, &st) != 0 ? -errno : st.st_size > SOURCE_SIZE_MAX ? -EFBIG : 0;
	*s = (struct source){0};
	if (rc == 0)
		rc = read_lines_of(s, fd, (size_t)st.st_size);
	close(fd);
	if (rc == 0)
		rc = split(s);
	if (rc != 0)
		source_free(s);
	else
		s->changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	return rc;
}

int source_read(struct source *s, const char *path, const char *dir)
{
	int rc = read_source(s, path);

	for (const char *rest = path; rc != 0 && rc != -ENOMEM && dir && rest;) {
		char *there;

		rest += strspn(rest, "/");
		if (asprintf(&there, "%s/%s", dir, rest) < 0)
			return -ENOMEM;
		rc = read_source(s, there);
		free(there);
		rest = strchr(rest, '/');
	}
	return rc;
}

void source_free(struct source *s)
{
	free(s->lines);
	free(s->text);
	*s = (struct source){0};
}

/* Columns are bytes here: no more than a tab comes out wrong where they are not. */
static char *expand_tabs(const char *line)
{
	size_t ntabs = 0, to = 0;
	char *text;

	for (const char *at = line; (at = strchr(at, '\t')) != NULL; at++)
		ntabs++;
	text = malloc(strlen(line) + ntabs * (TAB - 1) + 1);
	for (; text && *line && *line != '\r'; line++) {
		if (*line != '\t')
			text[to++] = *line;
		else
			do
				text[to++] = ' ';
			while (to % TAB != 0);
	}
	if (text)
		text[to] = '\0';
	return text;
}

char *source_line(const struct source *s, uint64_t number)
{
	char *plain = expand_tabs(number >= 1 && number <= s->n ? s->lines[number - 1] : "");
	char *safe = plain ? safe_text(plain) : NULL;

	free(plain);
	return safe;
}
