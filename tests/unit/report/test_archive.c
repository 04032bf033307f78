/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Payloads of archives: what was put in comes out, blocks are filled to their end and no further, damage costs the
 * rest.
 */
#include "tests/unit/unit.h"

#include "format/bytes/wire.h"
#include "report/archive/archive.h"
#include "report/archive/archive_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct upf_block block_of(uint8_t type, uint64_t seq, const struct buf *payload)
{
	return (struct upf_block){
		.type = type, .seq = seq, .payload = payload->data, .raw_size = (uint32_t)payload->len};
}

static int add_within(struct archive *a, struct symbols *symbols, uint8_t type, const void *payload, size_t len,
                      size_t memory)
{
	const struct upf_block b = {.type = type, .payload = payload, .raw_size = (uint32_t)len};

	return archive_add(a, symbols, &b, &memory);
}

static int add(struct archive *a, struct symbols *symbols, uint8_t type, const void *payload, size_t len)
{
	return add_within(a, symbols, type, payload, len, ARCHIVE_MEMORY_MAX);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static const struct resolution plain = {.symbol = "leaf", .offset = 5},
			       inlined = {.symbol = "work",
                                          .offset = 0x10,
                                          .n = 2,
                                          .frames = {{"work", "/src/a.c", 7}, {"leaf", NULL, 0}}},
			       only_dwarf = {.n = 1, .frames = {{NULL, "/src/a.c", UINT32_MAX}}};

TEST(names_come_back)
{
	struct archive_names_payload p = {.flags = ARCHIVE_TABLES};
	struct archive *a = archive_new();
	struct resolution r;
	struct buf b = {0};

	assert_int_equal(archive_names_put(&p, 0x1000, &plain), 0);
	assert_int_equal(archive_names_put(&p, 0x1000000, &inlined), 0);
	assert_int_equal(archive_names_put(&p, UINT64_MAX, &only_dwarf), 0);
	assert_int_equal(archive_names_finish(&p, &b), 0);
	assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, b.data, b.len), 0);
	archive_sort(a);
	assert_int_equal(archive_flags(a), ARCHIVE_TABLES);
	assert_true(archive_find(a, 0x1000, &r));
	assert_string_equal(r.symbol, "leaf");
	assert_int_equal(r.offset, 5);
	assert_int_equal(r.n, 0);
	assert_true(archive_find(a, 0x1000000, &r));
	assert_int_equal(r.n, 2);
	assert_string_equal(r.frames[0].file, "/src/a.c");
	assert_int_equal(r.frames[0].line, 7);
	assert_string_equal(r.frames[1].name, "leaf");
	assert_null(r.frames[1].file);
	assert_true(archive_find(a, UINT64_MAX, &r));
	assert_null(r.symbol);
	assert_null(r.frames[0].name);
	assert_int_equal(r.frames[0].line, UINT32_MAX);
	assert_false(archive_find(a, 0x1001, &r));
	assert_false(archive_find(a, 0, &r));
	archive_free(a);
	archive_names_end(&p);
	buf_free(&b);
}

/* Several blocks; the first word on an address counts. */
TEST(names_fill_blocks)
{
	struct archive_names_payload p = {0};
	struct archive *a = archive_new();
	char *name = malloc(50001);
	struct resolution r = {.symbol = name}, found;
	struct buf b = {0};
	unsigned blocks = 0;

	memset(name, 'x', 50000);
	name[50000] = '\0';
	for (uint64_t i = 0; i < 100; i++) {
		int rc;

		name[0] = (char)('!' + i % 90);
		rc = archive_names_put(&p, i, &r);
		if (rc == -ENOSPC) {
			assert_int_equal(archive_names_finish(&p, &b), 0);
			assert_true(b.len > UPF_RAW_MAX / 2 && b.len <= UPF_RAW_MAX);
			assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, b.data, b.len), 0);
			b.len = 0;
			blocks++;
			rc = archive_names_put(&p, i, &r);
		}
		assert_int_equal(rc, 0);
	}
	assert_int_equal(archive_names_put(&p, 100, &plain), 0);
	assert_int_equal(archive_names_finish(&p, &b), 0);
	assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, b.data, b.len), 0);
	assert_int_equal(archive_names_put(&p, 5, &plain), 0);
	b.len = 0;
	assert_int_equal(archive_names_finish(&p, &b), 0);
	assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, b.data, b.len), 0);
	archive_sort(a);
	assert_int_equal(blocks, 4);
	for (uint64_t i = 0; i < 100; i++) {
		assert_true(archive_find(a, i, &found));
		assert_int_equal(found.symbol[0], '!' + i % 90);
		assert_int_equal(strlen(found.symbol), 50000);
	}
	assert_true(archive_find(a, 100, &found));
	archive_free(a);
	archive_names_end(&p);
	buf_free(&b);
	free(name);
}

TEST(names_damaged)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{"", 0},         /* nothing */
		{"\0\5ab\0", 5}, /* fewer texts than told */
		{"\0\2ab", 4},   /* a text without end */
		{"\0\2a\0"
	         "\1\3\0\0",
	         8}, /* a text behind the texts */
		{"\0\3ab\0"
	         "\1\2\0\0",
	         9}, /* a text that begins inside another */
		{"\0\2a\0"
	         "\1\1",
	         6}, /* cut */
		{"\0\0"
	         "\1\0\101",
	         5}, /* 65 functions */
		{"\0\0"
	         "\1\0\1\0\0\200\200\200\200\20",
	         10},                                             /* a line of 2^32 */
		{"\0\377\377\377\377\377\377\377\377\377\1", 11}, /* texts without end */
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct archive *a = archive_new();
		uint8_t *exact =
			malloc(bad[i].len ? bad[i].len : 1); /* so that a sanitizer sees what is read behind it */

		memcpy(exact, bad[i].bytes, bad[i].len);
		assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, exact, bad[i].len), -EBADMSG);
		free(exact);
		archive_free(a);
	}
}

TEST(names_too_long)
{
	const size_t room = ARCHIVE_TEXT_MAX + 16;
	uint8_t *payload = malloc(room);

	memset(payload, 'x', room);
	for (size_t len = ARCHIVE_TEXT_MAX; len <= ARCHIVE_TEXT_MAX + 1; len++) {
		struct archive *a = archive_new();
		size_t at = 1;

		payload[0] = 0;
		at += put_varint(payload + at, len + 1) + len;
		payload[at++] = '\0';
		assert_int_equal(add(a, NULL, UPF_BLOCK_NAMES, payload, at), len > ARCHIVE_TEXT_MAX ? -EBADMSG : 0);
		memset(payload, 'x', room);
		archive_free(a);
	}
	free(payload);
}

/* Entries of three bytes, which compress well, take more memory than they have bytes. */
TEST(memory_is_limited)
{
	enum { ENTRIES = 1000 };
	uint8_t names[2 + 3 * ENTRIES] = {0}, code[2 + 4 * ENTRIES] = {0};
	struct symbols symbols = {0};
	struct archive *a = archive_new();
	struct resolution found;

	for (size_t i = 0; i < ENTRIES; i++) {
		names[2 + 3 * i] = 1;
		code[2 + 4 * i] = code[2 + 4 * i + 1] = 1;
	}
	assert_int_equal(add_within(a, NULL, UPF_BLOCK_NAMES, names, sizeof(names), 10 * sizeof(names)), -EBADMSG);
	archive_sort(a);
	assert_true(archive_find(a, 1, &found));
	assert_false(archive_find(a, ENTRIES, &found));
	assert_int_equal(add_within(a, NULL, UPF_BLOCK_NAMES, names, sizeof(names), 20 * sizeof(names)), 0);
	assert_int_equal(add_within(a, &symbols, UPF_BLOCK_CODE, code, sizeof(code), 20 * sizeof(code)), -EBADMSG);
	assert_int_equal(add_within(a, &symbols, UPF_BLOCK_CODE, code, sizeof(code), 50 * sizeof(code)), 0);
	assert_int_equal(add_within(a, &symbols, UPF_BLOCK_CODE, code, sizeof(code), sizeof(code) - 1), -EBADMSG);
	archive_free(a);
	symbols_free(&symbols);
}

/* --- code -------------------------------------------------------------------------------------------------------- */

static int put_code(struct archive_code_payload *p, const struct isa *isa, uint64_t start, uint64_t size,
                    const char *name, const char *code, size_t n)
{
	return archive_code_put(
		p, &(struct archive_code_function){start, size, name, (const uint8_t *)code, n, n ? isa : NULL});
}

TEST(code_comes_back)
{
	struct archive_code_payload p = {0};
	struct archive *a = archive_new();
	struct symbols symbols = {0};
	uint64_t offset;
	const struct isa *isa;
	struct buf b = {0};
	size_t left;

	assert_int_equal(put_code(&p, &isa_x86_64, 0x1000, 0x100, "work", "\x55\xc3", 2), 0);
	assert_int_equal(put_code(&p, NULL, 0x2000, 0x10, "leaf", NULL, 0), 0);
	assert_int_equal(archive_code_finish(&p, &b), 0);
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, b.data, b.len), 0);
	assert_int_equal(symbols_sort(&symbols), 0);
	archive_sort(a);
	assert_string_equal(symbols_find(&symbols, 0x10ff, &offset), "work");
	assert_null(symbols_find(&symbols, 0x1100, &offset));
	assert_string_equal(symbols_find(&symbols, 0x2000, &offset), "leaf");
	assert_memory_equal(archive_code(a, 0x1000, &left, &isa), "\x55\xc3", 2);
	assert_int_equal(left, 2);
	assert_ptr_equal(isa, &isa_x86_64);
	assert_null(archive_code(a, 0x2000, &left, &isa));
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, "\76\0\1\2\0\3abc", 8),
	                 -EBADMSG);                                                       /* more code than function */
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, "\76\0\1\0\0\0", 6), -EBADMSG); /* of no size */
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, "\76", 1), -EBADMSG);
	symbols_free(&symbols);
	archive_free(a);
	archive_code_end(&p);
	buf_free(&b);
}

/* A payload has A32 and T32 code. */
TEST(code_of_arm_comes_back)
{
	struct archive_code_payload p = {0};
	struct archive *a = archive_new();
	struct symbols symbols = {0};
	const struct isa *isa;
	struct buf b = {0};
	uint64_t offset;
	size_t left;

	assert_int_equal(put_code(&p, &isa_t32, 0x1000, 4, "thumb", "\x70\x47", 2), 0);
	assert_int_equal(put_code(&p, &isa_arm, 0x1004, 4, "arm", "\x1e\xff\x2f\xe1", 4), 0);
	assert_int_equal(put_code(&p, NULL, 0x2000, 4, "list", NULL, 0), 0); /* is of no instruction set */
	assert_int_equal(archive_code_finish(&p, &b), 0);
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, b.data, b.len), 0);
	assert_int_equal(symbols_sort(&symbols), 0);
	archive_sort(a);
	assert_string_equal(symbols_find(&symbols, 0x1000, &offset), "thumb");
	assert_string_equal(symbols_find(&symbols, 0x1004, &offset), "arm");
	assert_memory_equal(archive_code(a, 0x1000, &left, &isa), "\x70\x47", 2);
	assert_ptr_equal(isa, &isa_t32);
	assert_memory_equal(archive_code(a, 0x1004, &left, &isa), "\x1e\xff\x2f\xe1", 4);
	assert_ptr_equal(isa, &isa_arm);
	symbols_free(&symbols);
	archive_free(a);
	archive_code_end(&p);
	buf_free(&b);
}

/* A 64-bit kernel and a 32-bit program in it: each payload is of one machine. */
TEST(code_of_two_machines_comes_back)
{
	struct archive_code_payload p = {0};
	struct archive *a = archive_new();
	struct symbols symbols = {0};
	const struct isa *isa;
	struct buf b = {0};
	size_t left;

	assert_int_equal(put_code(&p, &isa_i386, 0x1000, 2, "program", "\x40\xc3", 2), 0);
	assert_int_equal(put_code(&p, &isa_x86_64, 0x2000, 2, "kernel", "\x90\xc3", 2), -ENOSPC);
	assert_int_equal(archive_code_finish(&p, &b), 0);
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, b.data, b.len), 0);
	b.len = 0;
	assert_int_equal(put_code(&p, &isa_x86_64, 0x2000, 2, "kernel", "\x90\xc3", 2), 0);
	assert_int_equal(archive_code_finish(&p, &b), 0);
	assert_int_equal(add(a, &symbols, UPF_BLOCK_CODE, b.data, b.len), 0);
	archive_sort(a);
	assert_memory_equal(archive_code(a, 0x1000, &left, &isa), "\x40\xc3", 2);
	assert_ptr_equal(isa, &isa_i386);
	assert_memory_equal(archive_code(a, 0x2000, &left, &isa), "\x90\xc3", 2);
	assert_ptr_equal(isa, &isa_x86_64);
	symbols_free(&symbols);
	archive_free(a);
	archive_code_end(&p);
	buf_free(&b);
}

/* --- stacks ------------------------------------------------------------------------------------------------------ */

static struct chain chain_of(const uint64_t *frames, uint32_t n)
{
	struct chain c = {.n = n, .end = CHAIN_END_UNKNOWN, .restored = n > 1};

	for (uint32_t i = 0; i < n; i++) {
		c.frame[i].address = frames[i];
		c.frame[i].flags = i == 1 ? FRAME_RESTORED : 0;
	}
	return c;
}

TEST(stacks_come_back)
{
	static const uint64_t frames[] = {0x3000, 0x2000, 0x1000};
	struct chain deep = chain_of(frames, 3), flat = chain_of(frames, 1), none = {.uncertain = true}, found;
	struct archive_stacks_payload p = {0};
	struct archive_stacks s = {0};
	struct buf b = {0};
	struct upf_block block;

	assert_int_equal(archive_stacks_put(&p, 0, 7, 1, &deep), 0);
	assert_int_equal(archive_stacks_put(&p, 0, 7, 2, &flat), 0);
	assert_int_equal(archive_stacks_put(&p, 0, 3, 1, &none), 0);
	assert_int_equal(archive_stacks_finish(&p, &b), 0);
	block = block_of(UPF_BLOCK_STACKS, 10, &b);
	assert_int_equal(archive_stacks_add(&s, &block), 0);
	archive_stacks_of(&s, &(struct upf_block){.seq = 11});
	archive_stacks_chain(&s, 0, 7, 1, &found);
	assert_int_equal(found.n, 3);
	assert_int_equal(found.end, CHAIN_END_UNKNOWN);
	assert_true(found.restored);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(found.frame[i].address, frames[i]);
		assert_int_equal(found.frame[i].flags, i == 1 ? FRAME_RESTORED : 0);
	}
	archive_stacks_chain(&s, 0, 7, 2, &found);
	assert_int_equal(found.n, 1);
	archive_stacks_chain(&s, 0, 3, 1, &found);
	assert_int_equal(found.n, 0);
	assert_true(found.uncertain);
	archive_stacks_chain(&s, 0, 3, 2, &found);
	assert_int_equal(found.n, 0);
	assert_false(found.uncertain);
	/* They are of that samples block alone: not of one that follows another missing one, nor of the next. */
	archive_stacks_of(&s, &(struct upf_block){.seq = 12});
	archive_stacks_chain(&s, 0, 7, 1, &found);
	assert_int_equal(found.n, 0);
	assert_int_equal(archive_stacks_add(&s, &block), 0);
	archive_stacks_of(&s, &(struct upf_block){.seq = 12});
	archive_stacks_chain(&s, 0, 7, 1, &found);
	assert_int_equal(found.n, 0);
	archive_stacks_free(&s);
	archive_stacks_end(&p);
	buf_free(&b);
}

/* The same stack and top, in programs of their own. */
TEST(stacks_by_program)
{
	static const uint64_t frames[] = {0x3000, 0x2000, 0x1000};
	struct chain deep = chain_of(frames, 3), flat = chain_of(frames, 1), found;
	struct archive_stacks_payload p = {.by_program = true};
	struct archive_stacks s = {.by_program = true};
	struct buf b = {0};
	struct upf_block block;

	assert_int_equal(archive_stacks_put(&p, 0, 7, 1, &deep), 0);
	assert_int_equal(archive_stacks_put(&p, UINT32_MAX, 7, 1, &flat), 0);
	assert_int_equal(archive_stacks_finish(&p, &b), 0);
	block = block_of(UPF_BLOCK_STACKS, 10, &b);
	assert_int_equal(archive_stacks_add(&s, &block), 0);
	archive_stacks_of(&s, &(struct upf_block){.seq = 11});
	archive_stacks_chain(&s, 0, 7, 1, &found);
	assert_int_equal(found.n, 3);
	archive_stacks_chain(&s, UINT32_MAX, 7, 1, &found);
	assert_int_equal(found.n, 1);
	archive_stacks_chain(&s, 1, 7, 1, &found);
	assert_int_equal(found.n, 0);
	archive_stacks_free(&s);
	archive_stacks_end(&p);
	buf_free(&b);
}

/* A program's number comes before its names; it may be cut, or all there is. */
TEST(names_by_program)
{
	static const uint32_t number = 300;
	struct archive_names_payload p = {.program = &number, .flags = ARCHIVE_TABLES};
	const struct resolution r = {.symbol = "work"};
	struct archive *a = archive_new();
	struct symbols symbols = {0};
	struct resolution found;
	struct buf b = {0};
	struct upf_block block;
	size_t memory = ARCHIVE_MEMORY_MAX;
	uint64_t program;

	assert_int_equal(archive_names_put(&p, 0x1000, &r), 0);
	assert_int_equal(archive_names_finish(&p, &b), 0);
	block = block_of(UPF_BLOCK_NAMES, 1, &b);
	assert_int_equal(archive_program(&block, &program), 0);
	assert_int_equal(program, number);
	assert_false(archive_any(a));
	assert_int_equal(archive_add(a, &symbols, &block, &memory), 0);
	assert_true(archive_any(a));
	archive_sort(a);
	assert_true(archive_find(a, 0x1000, &found));
	assert_string_equal(found.symbol, "work");
	block = block_of(UPF_BLOCK_NAMES, 1, &b);
	block.raw_size = 1; /* its first byte says that another one follows */
	assert_int_equal(archive_program(&block, &program), -EBADMSG);
	block.raw_size = 0;
	assert_int_equal(archive_program(&block, &program), -EBADMSG);
	archive_free(a);
	symbols_free(&symbols);
	archive_names_end(&p);
	buf_free(&b);
}

/* More than one block for one samples block. */
TEST(stacks_fill_blocks)
{
	struct archive_stacks_payload p = {0};
	struct archive_stacks s = {0};
	struct chain c = {.n = UPF_DEPTH_MAX + 1}, found;
	struct buf b = {0};
	struct upf_block block;
	uint64_t seq = 1;

	for (uint32_t stack = 0; stack < 300; stack++) {
		int rc;

		for (uint32_t i = 0; i < c.n; i++)
			c.frame[i].address = (uint64_t)stack << 56 ^ i * 0x123456789abcdefu;
		rc = archive_stacks_put(&p, 0, stack, 0, &c);
		if (rc == -ENOSPC) {
			b.len = 0;
			assert_int_equal(archive_stacks_finish(&p, &b), 0);
			assert_true(b.len <= UPF_RAW_MAX);
			block = block_of(UPF_BLOCK_STACKS, seq++, &b);
			assert_int_equal(archive_stacks_add(&s, &block), 0);
			rc = archive_stacks_put(&p, 0, stack, 0, &c);
		}
		assert_int_equal(rc, 0);
	}
	b.len = 0;
	assert_int_equal(archive_stacks_finish(&p, &b), 0);
	block = block_of(UPF_BLOCK_STACKS, seq++, &b);
	assert_int_equal(archive_stacks_add(&s, &block), 0);
	archive_stacks_of(&s, &(struct upf_block){.seq = seq});
	assert_true(seq > 3);
	for (uint32_t stack = 0; stack < 300; stack++) {
		archive_stacks_chain(&s, 0, stack, 0, &found);
		assert_int_equal(found.n, c.n);
		assert_int_equal(found.frame[c.n - 1].address, (uint64_t)stack << 56 ^ (c.n - 1) * 0x123456789abcdefu);
	}
	archive_stacks_free(&s);
	archive_stacks_end(&p);
	buf_free(&b);
}

TEST(stacks_damaged)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{"", 0},                        /* nothing */
		{"\1\1\0", 3},                  /* cut in a node */
		{"\1\0\0\0", 4},                /* a node that is its own caller */
		{"\1\2\0\0", 4},                /* a caller before the first one */
		{"\0\0\0\1\0\0", 6},            /* a stack of no node */
		{"\0\0\0\0\0", 5},              /* cut in a stack */
		{"\0\2\0\0\0\0\0\0\0\0\0", 11}, /* a pair twice */
		{"\377\377\377\377\17", 5},     /* four billion nodes */
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		const struct upf_block b = {
			.seq = 1, .payload = (const uint8_t *)bad[i].bytes, .raw_size = (uint32_t)bad[i].len};
		struct archive_stacks s = {0};

		assert_int_equal(archive_stacks_add(&s, &b), -EBADMSG);
		archive_stacks_free(&s);
	}
}

/* A chain deeper than any, and more blocks than one samples block can need. */
TEST(stacks_are_bounded)
{
	struct archive_stacks s = {0};
	struct upf_block b;
	struct buf payload = {0};
	uint8_t count[VARINT_MAX];
	struct chain found;

	buf_add(&payload, count, put_varint(count, UPF_DEPTH_MAX + 2));
	for (unsigned i = 0; i < UPF_DEPTH_MAX + 2; i++)
		buf_add(&payload, "\1\2\0", 3);
	b = block_of(UPF_BLOCK_STACKS, 1, &payload);
	assert_int_equal(archive_stacks_add(&s, &b), -EBADMSG);
	b = (struct upf_block){.payload = (const uint8_t *)"\0", .raw_size = 1};
	for (b.seq = 100; b.seq < 164; b.seq++)
		assert_int_equal(archive_stacks_add(&s, &b), 0);
	assert_int_equal(archive_stacks_add(&s, &b), -EBADMSG);
	archive_stacks_chain(&s, 0, 0, 0, &found);
	assert_int_equal(found.n, 0);
	archive_stacks_free(&s);
	buf_free(&payload);
}
