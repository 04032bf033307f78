/* SPDX-License-Identifier: BSD-2-Clause */
/* command_line.h - a guest's command line: words, and key=value. For the guests of Xen and those of KVM. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Set at boot; a guest of KVM has vCPUs that wait for it. */
extern const char *volatile command_line;

/* What follows @key, "" where it is not. */
const char *argument(const char *key);
/* Is the word there by itself? */
int given(const char *word);
/* Does @text begin with the whole word @word? */
int is(const char *text, const char *word);
/* The first one in @text, up to the end of its word; 0 if there is none. */
unsigned number(const char *text);

#endif
