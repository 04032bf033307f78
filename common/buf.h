/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buf.h - a growing byte buffer. Zero-initialise, buf_free() at the end. Once there is no memory, every later addition
 * fails, too: so it suffices to check the last one of several, or @failed.
 */
#ifndef COMMON_BUF_H
#define COMMON_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

/* Makes room for @more bytes after the end; 0 or -ENOMEM. */
int buf_reserve(struct buf *b, size_t more);
int buf_add(struct buf *b, const void *data, size_t len); /* 0 or -ENOMEM */
void buf_free(struct buf *b);

#endif
