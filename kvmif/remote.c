/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/remote.h"

#include <errno.h>

#define PIECES_MAX 1024u /* of one call; IOV_MAX */

/* What is to be filled next. */
struct cursor {
	const struct iovec *to;
	size_t nto, at; /* bytes of the first one that are filled */
};

/* The next @size bytes, in pieces. */
static size_t take(struct cursor *c, size_t size, struct iovec *pieces)
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

int remote_read(pid_t pid, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom)
{
	struct cursor c = {to, nto, 0};
	struct iovec pieces[PIECES_MAX];

	while (nfrom > 0) {
		size_t n = nfrom < PIECES_MAX ? nfrom : PIECES_MAX, size = 0;
		ssize_t got;

		for (size_t i = 0; i < n; i++)
			size += from[i].iov_len;
		got = process_vm_readv(pid, pieces, take(&c, size, pieces), from, n, 0);
		if (got != (ssize_t)size)
			return got < 0 ? -errno : -EFAULT;
		from += n;
		nfrom -= n;
	}
	return 0;
}
