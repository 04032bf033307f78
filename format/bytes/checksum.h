/* SPDX-License-Identifier: BSD-2-Clause */
/* checksum.h - XXH64 with seed 0 (FORMAT.md, "Checksums"). */
#ifndef FORMAT_BYTES_CHECKSUM_H
#define FORMAT_BYTES_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum(const void *data, size_t len);
/* Of two pieces, as if they were one. */
uint64_t checksum2(const void *a, size_t alen, const void *b, size_t blen);

#endif
