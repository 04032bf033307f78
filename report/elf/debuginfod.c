/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/debuginfod.h"
#include "common/clock.h"
#include "report/elf/elf_file.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT (2ull << 30) /* bytes of a file */
#define TIME_LIMIT 300          /* seconds of a download ... */
#define SILENCE_LIMIT 15        /* ... and after so many it must have had ... */
#define SLOWEST 1024            /* ... so many bytes a second */
#define TELL_AFTER 3            /* seconds of waiting */

struct debuginfod {
	void (*tell)(const char *line);
	void *library;
	debuginfod_client *client;
	__typeof__(&debuginfod_find_debuginfo) find[2]; /* by enum debuginfod_kind */
	__typeof__(&debuginfod_end) end;
	bool given_up;

	/* the last file asked for */
	char id[BUILD_ID_TEXT];
	enum debuginfod_kind kind;
	bool missing;
	uint64_t start_ns;
	time_t time_limit, silence_limit;
	bool told;
	const char *stopped; /* why; NULL: the download goes on */
};

struct debuginfod *debuginfod_new(void (*tell)(const char *line))
{
	struct debuginfod *d = calloc(1, sizeof(*d));

	if (d)
		d->tell = tell;
	return d;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	free(d); /* the library stays loaded: it is not made for being unloaded */
}

static void tell_progress(const struct debuginfod *d, const char *what, const char *then)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);
	char line[512];

	snprintf(line, sizeof(line), "debuginfod %.200s: build-id %.40s: %.160s%s", urls ? urls : "", d->id, what,
	         then);
	d->tell(line);
}

void debuginfod_refuse(struct debuginfod *d, const char *why)
{
	d->given_up = true;
	tell_progress(d, why, "; no server is asked any more");
}

/* --- limits ------------------------------------------------------------------------------------------------------ */

/*
 * Why a download must end that began @elapsed seconds ago and has @got bytes of @whole (0: not known). NULL: it goes
 * on.
 */
static const char *limit_reached(const struct debuginfod *d, time_t elapsed, uint64_t got, uint64_t whole)
{
	if (got > SIZE_LIMIT || whole > SIZE_LIMIT)
		return "the file is larger than 2 GiB";
	if (elapsed >= d->silence_limit && got < (uint64_t)elapsed * SLOWEST)
		return "the server does not answer, or is too slow";
	if (elapsed >= d->time_limit)
		return "the download takes too long";
	return NULL;
}

/* The context of a client. The callback has nothing but the client, so the accessor is looked up anew. */
static struct debuginfod *context(debuginfod_client *client)
{
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_NOLOAD);
	__typeof__(&debuginfod_get_user_data) get =
		library ? (__typeof__(get))dlsym(library, "debuginfod_get_user_data") : NULL;
	struct debuginfod *d = get ? get(client) : NULL;

	if (library)
		dlclose(library);
	return d;
}

/*
 * Called by the library several times a second; other than 0 ends the download. Before it begins, @a is just a count.
 */
static int watch_download(debuginfod_client *client, long a, long b)
{
	struct debuginfod *d = context(client);
	time_t elapsed = d ? (time_t)((clock_now() - d->start_ns) / 1000000000u) : 0;

	if (!d)
		return 1;
	if (!d->stopped)
		d->stopped = limit_reached(d, elapsed, a > 0 ? (uint64_t)a : 0, b > 0 ? (uint64_t)b : 0);
	if (!d->stopped && !d->told && elapsed >= TELL_AFTER) {
		d->told = true;
		tell_progress(d, "waiting for the file", "");
	}
	return d->stopped != NULL;
}

/* A number of seconds in the environment, as the library has it; else @standard. */
static time_t seconds_of(const char *name, time_t standard)
{
	const char *text = getenv(name);
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 && n < 1000000 ? n : standard;
}

/* --- the library ------------------------------------------------------------------------------------------------- */

static bool load_library(struct debuginfod *d)
{
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_set_progressfn) set_progressfn;

	d->library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW);
	if (!d->library)
		return false;
	begin = (__typeof__(begin))dlsym(d->library, "debuginfod_begin");
	set_user_data = (__typeof__(set_user_data))dlsym(d->library, "debuginfod_set_user_data");
	set_progressfn = (__typeof__(set_progressfn))dlsym(d->library, "debuginfod_set_progressfn");
	d->find[DEBUGINFOD_DEBUG_FILE] = (__typeof__(d->find[0]))dlsym(d->library, "debuginfod_find_debuginfo");
	d->find[DEBUGINFOD_EXECUTABLE] = (__typeof__(d->find[0]))dlsym(d->library, "debuginfod_find_executable");
	d->end = (__typeof__(d->end))dlsym(d->library, "debuginfod_end");
	if (!begin || !set_user_data || !set_progressfn || !d->find[0] || !d->find[1] || !d->end)
		return false;
	d->client = begin();
	if (!d->client)
		return false;
	set_user_data(d->client, d);
	set_progressfn(d->client, watch_download);
	return true;
}

static void start_progress(struct debuginfod *d, const char *id)
{
	strcpy(d->id, id);
	d->missing = d->told = false;
	d->stopped = NULL;
	d->time_limit = seconds_of(DEBUGINFOD_MAXTIME_ENV_VAR, TIME_LIMIT);
	d->silence_limit = seconds_of(DEBUGINFOD_TIMEOUT_ENV_VAR, SILENCE_LIMIT);
	d->start_ns = clock_now();
}

/* What came is a file of reasonable size, also if it was in the cache before. */
static int check_download(struct debuginfod *d, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= SIZE_LIMIT)
		return fd;
	close(fd);
	debuginfod_refuse(d, "the file is larger than 2 GiB, or no file");
	return -ENOENT;
}

int debuginfod_find(struct debuginfod *d, enum debuginfod_kind kind, const char *id)
{
	int fd;

	if (d->given_up || !*id || strlen(id) >= sizeof(d->id))
		return -ENOENT;
	if (d->missing && kind == d->kind && strcmp(id, d->id) == 0)
		return -ENOENT;
	d->kind = kind;
	start_progress(d, id);
	if (!d->client && !load_library(d)) {
		debuginfod_refuse(d, DEBUGINFOD_SONAME " cannot be used");
		return -ENOENT;
	}
	fd = d->find[kind](d->client, (const unsigned char *)d->id, 0, NULL);
	if (fd >= 0)
		return check_download(d, fd);
	d->missing = true;
	if (d->stopped)
		debuginfod_refuse(d, d->stopped);
	else if (fd == -ENOENT)
		tell_progress(
			d, kind == DEBUGINFOD_EXECUTABLE ? "no server has its file" : "no server has its debug file",
			"");
	else
		debuginfod_refuse(d, strerror(-fd));
	return -ENOENT;
}
