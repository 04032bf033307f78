/* SPDX-License-Identifier: BSD-2-Clause */
/* quantity.h - times, sizes and ratios, rounded alike by recorder and report. Texts are written to @text and returned. */
#ifndef COMMON_QUANTITY_H
#define COMMON_QUANTITY_H

#include <stdint.h>

#define QUANTITY_SIZE 32 /* bytes that always suffice for @text */

const char *quantity_time(char *text, uint64_t ns);     /* "12.3 us", "12.3 ms", "12.3 s", from 600 s "2 h 03 min" */
const char *quantity_bytes(char *text, uint64_t bytes); /* "4.5 MB" */
double quantity_percent(uint64_t part, uint64_t whole); /* 0 if @whole is 0 */
double quantity_per_second(uint64_t n, uint64_t ns);    /* 0 if @ns is 0 */

#endif
