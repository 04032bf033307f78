/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.h - unpacks binaries: the kernel in Linux's boot image (vmlinuz), and files that are compressed as a whole, by
 * gzip, xz, zstd or lz4's legacy format. The files come from guests and strangers: at most UNPACK_MAX bytes are made.
 */
#ifndef REPORT_ELF_UNPACK_H
#define REPORT_ELF_UNPACK_H

#include <stddef.h>

#define UNPACK_MAX (1ull << 30)

/*
 * If the regular file at @path is packed, unpacks it to an unnamed file: its descriptor, which the caller closes.
 * -ENOENT: it is not packed, or no file to read; other negative errno: it cannot be unpacked, with one line in @why.
 */
int unpack_file(const char *path, char *why, size_t size);

#endif
