/* SPDX-License-Identifier: BSD-2-Clause */
/* v1.h - what is different in traces of version 1 (FORMAT.md, "Version 1"): all that reading them needs. */
#ifndef FORMAT_READ_V1_H
#define FORMAT_READ_V1_H

#include "format/samples/columns.h"

/* Makes the columns of a block those that this version would have. */
void v1_columns(struct column_reader *r);

#endif
