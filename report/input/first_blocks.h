/* SPDX-License-Identifier: BSD-2-Clause */
/* first_blocks.h - a look at a trace's samples blocks before it is read: for what must be known by then. */
#ifndef REPORT_INPUT_FIRST_BLOCKS_H
#define REPORT_INPUT_FIRST_BLOCKS_H

#include "report/input/traces.h"

/*
 * Calls @each for one samples block after the other, until it returns false. Of what cannot be read twice, such as a
 * pipe, that is the first block, which is then given out again. 0 or a negative errno.
 */
int first_blocks(const struct trace *t, bool (*each)(void *ctx, const struct upf_block *b), void *ctx);

#endif
