/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.h - prints a stack frame by frame. */
#ifndef REPORT_VIEW_FRAMES_H
#define REPORT_VIEW_FRAMES_H

#include "report/view/view.h"

/*
 * Prints "name+0xoffset" or "0xaddress" for each frame of @c, leaf first, each followed by @separator; @restored is
 * printed after a frame that the report added.
 */
void frames_print(const struct report *r, const struct callchain *c, const char *restored, const char *separator);

#endif
