/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/privileges.h"
#include "common/say.h"
#include "record/process/thread.h"

#define CLEAR_LINE "\r\033[K"

struct messages {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, finished;
	int not_held;
	FILE *before;    /* what stderr was */
	char line[8192]; /* buffer of the stream; the longest line of say() fits */
	/* under the lock: */
	char text[65536]; /* to be written */
	size_t n;
	unsigned dropped; /* lines since one was taken */
	bool status_line; /* the last text that was taken is one */
	bool ending, done;
};

static bool add_message(struct messages *m, const char *text, size_t len)
{
	if (len > sizeof(m->text) - m->n)
		return false;
	memcpy(m->text + m->n, text, len);
	m->n += len;
	return true;
}

static bool add_message_line(struct messages *m, const char *text, size_t len)
{
	size_t n = m->n;
	char note[96];
	int noted = m->dropped
	                    ? snprintf(note, sizeof(note),
	                               "uniprof-record: %u lines dropped: standard error was not read\n", m->dropped)
	                    : 0;

	if ((!m->status_line || add_message(m, CLEAR_LINE, strlen(CLEAR_LINE))) &&
	    add_message(m, note, (size_t)noted) && add_message(m, text, len))
		return true;
	m->n = n;
	return false;
}

/* The stream's write(). */
static ssize_t take_message(void *cookie, const char *text, size_t len)
{
	struct messages *m = cookie;
	bool status_line = len && text[len - 1] != '\n';

	pthread_mutex_lock(&m->lock);
	if (add_message_line(m, text, len)) {
		m->dropped = 0;
		m->status_line = status_line;
		clock_signal(&m->filled);
	} else if (!status_line) {
		m->dropped++;
	}
	pthread_mutex_unlock(&m->lock);
	return (ssize_t)len;
}

/* How much of it is written next: whole lines, at most PIPE_BUF bytes, which a pipe takes as a whole or not at all. */
static size_t next_lines(const struct messages *m)
{
	const char *end = m->n > PIPE_BUF ? memrchr(m->text, '\n', PIPE_BUF) : NULL;

	return m->n <= PIPE_BUF ? m->n : end ? (size_t)(end + 1 - m->text) : PIPE_BUF;
}

static void *write_messages(void *arg)
{
	struct messages *m = arg;
	char text[PIPE_BUF];

	thread_begin(m->not_held);
	privileges_drop(0);
	pthread_mutex_lock(&m->lock);
	while (m->n || !m->ending) {
		size_t n = next_lines(m);

		if (n == 0) {
			clock_await(&m->filled, &m->lock, CLOCK_NEVER);
			continue;
		}
		memcpy(text, m->text, n);
		m->n -= n;
		memmove(m->text, m->text + n, m->n);
		pthread_mutex_unlock(&m->lock);
		write_all(STDERR_FILENO, text, n); /* what cannot be written is lost */
		pthread_mutex_lock(&m->lock);
	}
	m->done = true;
	clock_signal(&m->finished);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

struct messages *messages_start(int not_held)
{
	struct messages *m = calloc(1, sizeof(*m));
	FILE *stream = m ? fopencookie(m, "w", (cookie_io_functions_t){.write = take_message}) : NULL;
	int rc;

	if (!stream) {
		free(m);
		return NULL;
	}
	setvbuf(stream, m->line, _IOLBF, sizeof(m->line));
	m->not_held = not_held;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->filled, NULL);
	pthread_cond_init(&m->finished, NULL);
	rc = thread_start(&m->thread, write_messages, m);
	if (rc != 0) {
		fclose(stream);
		free(m);
		errno = rc;
		return NULL;
	}
	m->before = stderr;
	stderr = stream;
	return m;
}

void messages_stop(struct messages *m)
{
	uint64_t latest_ns;
	FILE *stream = stderr;
	bool done;

	if (!m)
		return;
	fflush(stream);
	latest_ns = clock_now() + 1000000000;
	pthread_mutex_lock(&m->lock);
	m->ending = true;
	clock_signal(&m->filled);
	while (!m->done && clock_await(&m->finished, &m->lock, latest_ns) == 0)
		;
	done = m->done;
	pthread_mutex_unlock(&m->lock);
	if (!done)
		return;
	pthread_join(m->thread, NULL);
	stderr = m->before;
	fclose(stream);
	free(m);
}
