/* SPDX-License-Identifier: BSD-2-Clause */
/* quantity.h - numbers as the status line and the summary show them. The texts are written to @text and returned. */
#ifndef RECORD_OUTPUT_QUANTITY_H
#define RECORD_OUTPUT_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#define QUANTITY_SIZE 32 /* bytes that always suffice for @text */

const char *quantity_time(char *text, uint64_t ns);     /* "12.3 ms" */
const char *quantity_bytes(char *text, uint64_t bytes); /* "4.5 MB" */
double quantity_percent(uint64_t part, uint64_t whole); /* 0 if @whole is 0 */
double quantity_per_second(uint64_t n, uint64_t ns);    /* 0 if @ns is 0 */

#endif
