/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.h - a progress line on the terminal: appears after a second, is updated a few times a second, and is
 * removed at the end. Nothing if standard error is not a terminal.
 */
#ifndef REPORT_OUTPUT_PROGRESS_H
#define REPORT_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	char *what; /* "reading run.upf"; NULL: nothing is shown */
	int fd;     /* the terminal */
	bool shown;
	uint64_t next_ns; /* when to show it next */
};

/* Looks whether standard error is a terminal: before a pager takes it. */
void progress_init(struct progress *p);
void progress_free(struct progress *p);

/*
 * All of these do nothing for NULL. Work of several parts starts with each of them, and ends once: the second after
 * which it is shown is that of the whole. @what is copied.
 */
void progress_start(struct progress *p, const char *what);
/* @done of @whole bytes; 0: not known. Cheap enough for every block of a trace. */
void progress_at(struct progress *p, uint64_t done, uint64_t whole);
void progress_end(struct progress *p);

#endif
