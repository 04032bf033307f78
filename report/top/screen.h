/* SPDX-License-Identifier: BSD-2-Clause */
/* screen.h - draws on the terminal, by ncurses: the head, rows or a flame graph, and the line of keys. */
#ifndef REPORT_TOP_SCREEN_H
#define REPORT_TOP_SCREEN_H

#include "report/top/shown.h"

#define SCREEN_SEARCH 128 /* bytes of a search, with its end */

/* What is on the screen, and where the user is. */
struct screen {
	struct shown shown;
	struct shown_request request;
	struct window_mark until; /* when it was frozen */
	uint64_t selected;        /* the key of a row, or of the flame graph's node; 0: the first row */
	size_t at, first;         /* the selected row, and the topmost one */
	uint64_t zoomed;          /* the flame graph's node that has the whole width; 0: the root */
	struct patterns search;   /* none: nothing is searched */
	char wanted[SCREEN_SEARCH];
	const char *message; /* one line instead of the keys; NULL: none */
	bool frozen, ended, help, color, utf8;
};

/*
 * Takes the terminal, with @keys to read from, and the signals that end the program. 0; -ENOTTY: its type is not known;
 * or another negative errno.
 */
int screen_open(struct screen *s, int keys);
/* Gives the terminal back as it was; also if it was not opened. */
void screen_close(void);
/* The signal that has asked for the end, SIGHUP also if the terminal is gone; 0: none. */
int screen_signal(void);
/* The next key of the user's, as ncurses has it; -1: none within a fifth of a second. */
int screen_key(void);
void screen_draw(struct screen *s);
/* Asks for a line, that begins as @text. False: it was left. */
bool screen_ask(struct screen *s, const char *prompt, char *text, size_t size);

/* So many rows fit. */
int screen_room(void);
/* Where the flame graph's selection goes: to the caller, the first callee, the neighbour before or after. */
enum screen_way { SCREEN_UP, SCREEN_DOWN, SCREEN_LEFT, SCREEN_RIGHT };
void screen_walk(struct screen *s, enum screen_way way);

#endif
