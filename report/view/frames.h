/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.h - stacks printed frame by frame, for the views that show them one after the other. */
#ifndef REPORT_VIEW_FRAMES_H
#define REPORT_VIEW_FRAMES_H

#include "report/view/view.h"

/*
 * Prints "name+0xoffset" or "0xaddress" for each frame of @c, leaf first, @separator behind each, before it @restored
 * behind one that was put back.
 */
void frames_print(const struct report *r, const struct callchain *c, const char *restored, const char *separator);

#endif
