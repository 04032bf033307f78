/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/rotation.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 10000000u /* names are a hundredth of a second apart */
#define NAME_TRIES 100
#define STAMP_DIGITS 16

struct rotation {
	const char *path;
	uint64_t max_files, next; /* next: place in the ring */
	char **names;             /* ring of the newest max_files */
};

struct rotation *rotation_new(const char *path, uint64_t max_files)
{
	struct rotation *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->path = path;
	r->max_files = max_files;
	r->names = calloc(max_files + 1, sizeof(*r->names));
	if (r->names)
		return r;
	free(r);
	errno = ENOMEM;
	return NULL;
}

void rotation_free(struct rotation *r)
{
	if (!r)
		return;
	for (uint64_t i = 0; i < r->max_files; i++)
		free(r->names[i]);
	free(r->names);
	free(r);
}

/* As perf names its files, but in UTC, which is never set back by an hour. */
static char *stamped(const char *path, uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / 1000000000u);
	char *name, text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return asprintf(&name, "%s.%s%02u", path, text, (unsigned)(real_ns / STEP_NS % 100)) < 0 ? NULL : name;
}

char *rotation_name(const struct rotation *r, uint64_t real_ns)
{
	char *name = stamped(r->path, real_ns);

	for (int i = 1; name && access(name, F_OK) == 0 && i < NAME_TRIES; i++) {
		free(name);
		name = stamped(r->path, real_ns + (uint64_t)i * STEP_NS);
	}
	return name;
}

/* A pattern for glob() that matches the names of stamped() only. */
static char *pattern_of(const char *path)
{
	static const char digit[] = "[0-9]";
	char *pattern = malloc(2 * strlen(path) + 1 + STAMP_DIGITS * strlen(digit) + 1), *to = pattern;

	if (!pattern)
		return NULL;
	for (; *path; *to++ = *path++)
		if (strchr("*?[]\\", *path))
			*to++ = '\\';
	*to++ = '.';
	for (int i = 0; i < STAMP_DIGITS; i++)
		to = stpcpy(to, digit);
	return pattern;
}

/* glob() sorts by name, and so by time. */
void rotation_adopt(struct rotation *r)
{
	char *pattern = r->max_files ? pattern_of(r->path) : NULL;
	glob_t found;

	if (pattern && glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct stat st;

			if (lstat(found.gl_pathv[i], &st) == 0 && S_ISREG(st.st_mode))
				rotation_add(r, found.gl_pathv[i]);
		}
		globfree(&found);
	}
	free(pattern);
}

void rotation_add(struct rotation *r, const char *name)
{
	char **place;

	if (r->max_files == 0)
		return;
	place = &r->names[r->next++ % r->max_files];
	if (*place)
		unlink(*place);
	free(*place);
	*place = strdup(name);
}
