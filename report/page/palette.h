/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * palette.h - the colour of a frame. Functions whose names begin alike (tcp_sendmsg, tcp_ack; std::sort, std::map)
 * have one hue, so that layers and libraries show as areas; shades tell neighbours apart.
 */
#ifndef REPORT_PAGE_PALETTE_H
#define REPORT_PAGE_PALETTE_H

#include "report/fold/fold.h"

#define PALETTE_COLOURS 42u

/* Below PALETTE_COLOURS; the same for a name in every trace and on every host. */
unsigned palette_colour(const char *name, enum fold_kind kind);
/* "#rrggbb" */
const char *palette_light(unsigned colour);
const char *palette_dark(unsigned colour);

#endif
