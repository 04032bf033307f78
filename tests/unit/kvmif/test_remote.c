/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading another process's memory: this one's own. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvmif/memory/remote.h"

#define PIECES 3000u
#define PIECE 64u

static uint8_t from[2 * PIECES * PIECE], to[PIECES * PIECE];
static struct iovec pieces[PIECES];

/* Every other piece of @from, in reverse order, filled with its number. */
static void lay_out(void)
{
	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = (struct iovec){from + 2 * (PIECES - 1 - i) * PIECE, PIECE};
		memset(pieces[i].iov_base, (int)(i % 251), PIECE);
	}
	memset(to, 255, sizeof(to));
}

static void check(unsigned n)
{
	for (unsigned i = 0; i < PIECES * PIECE; i++)
		assert_int_equal(to[i], i / PIECE < n ? i / PIECE % 251 : 255);
}

TEST(into_one_piece)
{
	static const unsigned counts[] = {1, 2, 1023, 1024, 1025, 2048, PIECES};

	for (size_t i = 0; i < COUNT(counts); i++) {
		const struct iovec all = {to, counts[i] * PIECE};

		lay_out();
		assert_int_equal(remote_read(getpid(), &all, 1, pieces, counts[i]), 0);
		check(counts[i]);
	}
}

TEST(into_several_pieces)
{
	/* The border of a call lies within one of them. */
	const struct iovec several[] = {
		{to, 1000 * PIECE}, {to + 1000 * PIECE, 1500 * PIECE}, {to + 2500 * PIECE, 500 * PIECE}};

	lay_out();
	assert_int_equal(remote_read(getpid(), several, COUNT(several), pieces, PIECES), 0);
	check(PIECES);
}

/* Some of them here: of no process that there is. */
TEST(what_is_here_needs_no_call)
{
	const struct iovec several[] = {{to, 1000 * PIECE + 7}, {to + 1000 * PIECE + 7, 2000 * PIECE - 7}};

	lay_out();
	for (unsigned i = 0; i < PIECES; i += i % 3 ? 1 : 2)
		pieces[i].iov_base = (void *)((uintptr_t)pieces[i].iov_base | REMOTE_IS_HERE);
	assert_int_equal(remote_read(getpid(), several, COUNT(several), pieces, PIECES), 0);
	check(PIECES);
	lay_out();
	for (unsigned i = 0; i < PIECES; i++)
		pieces[i].iov_base = (void *)((uintptr_t)pieces[i].iov_base | REMOTE_IS_HERE);
	assert_int_equal(remote_read(-1, several, COUNT(several), pieces, PIECES), 0);
	check(PIECES);
}

TEST(what_is_missing_is_told)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct iovec all = {to, 2 * PIECE}, parts[] = {{from, PIECE}, {page, PIECE}}, gone = {page, PIECE};

	assert_int_equal(remote_read(getpid(), &all, 1, parts, 2), 0);
	munmap(page, 4096);
	assert_int_equal(remote_read(getpid(), &all, 1, parts, 2), -EFAULT);
	assert_int_equal(remote_read(getpid(), &all, 1, &gone, 1), -EFAULT);
}
