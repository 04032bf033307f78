/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal.h - the terminal on standard output, if it is one: colour, and a pager. */
#ifndef REPORT_OUTPUT_TERMINAL_H
#define REPORT_OUTPUT_TERMINAL_H

#include <stdbool.h>

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/*
 * Is colour wanted on standard output, or in the file instead of it? AUTO respects NO_COLOR and TERM=dumb.
 */
bool terminal_color(enum color_when when, bool to_file);

/*
 * Puts a pager, $PAGER or less, between standard output and the terminal, if there is one and it is wanted; otherwise
 * all goes on without. Messages go through it, too. Ask for width and colour before. NULL, or $PAGER, which is not
 * there.
 */
const char *pager_start(void);
/*
 * Ends standard output and waits until the pager has been left. Fit for a signal's handler; nothing without a pager.
 */
void pager_end(void);

#endif
