/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.h - stacks printed frame by frame, for the views that show them one after the other. */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include "report/view.h"

/*
 * Prints "name+0xoffset" or "0xaddress" for each frame of the stack at @node, leaf first, @separator behind each, before it
 * @restored behind one that was put back: 0 or -ENOMEM. Functions inlined there stand before it as "name+0x0".
 */
int frames_print(struct report *r, uint32_t node, const char *restored, const char *separator);
uint32_t frames_depth(const struct report *r, uint32_t node);

#endif
