/* SPDX-License-Identifier: BSD-2-Clause */
/* footer.h - the block that completes a trace: totals, histogram, reason (FORMAT.md, "Footer"). */
#ifndef FORMAT_FILE_FOOTER_H
#define FORMAT_FILE_FOOTER_H

#include "common/array.h"
#include "format/upf.h"

int footer_put(struct buf *b, const struct upf_totals *t, enum upf_reason reason);             /* 0 or -ENOMEM */
int footer_get(const uint8_t *at, size_t size, struct upf_totals *t, enum upf_reason *reason); /* 0 or -EBADMSG */

#endif
