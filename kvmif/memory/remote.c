/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/memory/remote.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PIECES_MAX 1024u /* of one call; IOV_MAX */

/* What is to be filled next. */
struct cursor {
	const struct iovec *to;
	size_t nto, at; /* bytes of the first one that are filled */
};

/* The next @size bytes, in pieces. */
static size_t take_pieces(struct cursor *c, size_t size, struct iovec *pieces)
{
	size_t n = 0;

	while (size > 0 && c->nto > 0 && n < PIECES_MAX) {
		size_t left = c->to->iov_len - c->at, part = left < size ? left : size;

		pieces[n++] = (struct iovec){(char *)c->to->iov_base + c->at, part};
		size -= part;
		c->at += part;
		if (c->at < c->to->iov_len)
			continue;
		c->to++;
		c->nto--;
		c->at = 0;
	}
	return n;
}

static bool is_here(const struct iovec *from)
{
	return (uintptr_t)from->iov_base & REMOTE_IS_HERE;
}

static void copy_here(struct cursor *c, const struct iovec *from)
{
	const char *at = (const char *)((uintptr_t)from->iov_base & ~(uintptr_t)REMOTE_IS_HERE);
	struct iovec pieces[PIECES_MAX];
	size_t n = take_pieces(c, from->iov_len, pieces);

	for (size_t i = 0; i < n; at += pieces[i++].iov_len)
		memcpy(pieces[i].iov_base, at, pieces[i].iov_len);
}

int remote_read(pid_t pid, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom)
{
	struct cursor c = {to, nto, 0};
	struct iovec pieces[PIECES_MAX];
	const struct iovec *end = from + nfrom;

	while (from < end) {
		size_t n = 0, size = 0;
		ssize_t got;

		if (is_here(from)) {
			copy_here(&c, from++);
			continue;
		}
		for (; from + n < end && n < PIECES_MAX && !is_here(&from[n]); n++)
			size += from[n].iov_len;
		got = process_vm_readv(pid, pieces, take_pieces(&c, size, pieces), from, n, 0);
		if (got != (ssize_t)size)
			return got < 0 ? -errno : -EFAULT;
		from += n;
	}
	return 0;
}

bool remote_is_readable(pid_t pid, uint64_t address)
{
	uint8_t byte;
	const struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)address, 1};

	return remote_read(pid, &to, 1, &from, 1) == 0;
}
