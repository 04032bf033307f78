/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_function.h - finds all lines of a function of which some are known. No instruction belongs to the signature,
 * and optimised code often has none of the first and last lines, so they are found in the source by indentation.
 */
#ifndef REPORT_VIEW_SOURCE_FUNCTION_H
#define REPORT_VIEW_SOURCE_FUNCTION_H

#include "report/view/source.h"

/*
 * Widens *first to *last, lines that the source has, to the signature above with the comment on it, and to the closing
 * brace below. What does not look like a function stays as it is.
 */
void source_function(const struct source *s, uint32_t *first, uint32_t *last);

#endif
