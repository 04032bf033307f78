/* SPDX-License-Identifier: BSD-2-Clause */
/* Which words of a stack's top are kept. */
#include "tests/unit/unit.h"

#include "record/stack/top.h"

/* Words of eight bytes: near the code, equal to the frame pointer, anything else. */
TEST(long_words)
{
	const uint64_t frames[] = {0xffffffff81001000, 0x401000}, fp = 0xffff880000001f00;
	uint64_t words[] = {0xffffffff81002000, 0x402000, fp, 0xffff880000001f08, 0x10, 0x0040200000402000};

	top_filter(words, COUNT(words), frames, COUNT(frames), fp, 8);
	assert_true(words[0] == 0xffffffff81002000 && words[1] == 0x402000 && words[2] == fp);
	assert_true(words[3] == 0 && words[4] == 0 && words[5] == 0);
}

/* Two words of four bytes share one of the trace. Each counts by itself; all of 4 GiB but the first page is near. */
TEST(short_words)
{
	const uint64_t frames[] = {0x08049000}, fp = 0xffffd010;
	uint64_t words[] = {0x0804912300000123, 0xffffd01008049456, 0x0000001000000011, 0x00000fff08049123};

	top_filter(words, COUNT(words), frames, COUNT(frames), fp, 4);
	assert_true(words[0] == 0x0804912300000000);
	assert_true(words[1] == 0xffffd01008049456);
	assert_true(words[2] == 0);
	assert_true(words[3] == 0x08049123);
}
