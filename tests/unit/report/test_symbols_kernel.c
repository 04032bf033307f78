/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols that a Linux kernel holds of itself, in tables made as scripts/kallsyms.c makes them. */
#include "tests/unit/unit.h"

#include <stdbool.h>

#include "report/elf/elf_file.h"
#include "report/symbols/symbols.h"
#include "tests/elf.h"

#define SYMBOLS 600u
#define PERCPU 3u /* the first of them: at 0 */
#define BASE 0xffffffff81000000u
#define LONG 300 /* so many letters has one name */

/* Which of the kernel's ways to lay them out. */
struct layout {
	bool addresses_last, long_markers, plain_offsets;
	bool bad_index, bad_marker, unsorted, low_base;
};

struct tables {
	uint8_t data[1 << 17];
	size_t n;
};

static void put(struct tables *t, const void *data, size_t n)
{
	assert_true(t->n + n <= sizeof(t->data));
	memcpy(t->data + t->n, data, n);
	t->n += n;
}

static void put_int(struct tables *t, uint64_t value, size_t n)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put(t, bytes, n);
}

static void pad(struct tables *t)
{
	while (t->n % 8)
		put_int(t, 0, 1);
}

/* Symbol @i is called f_I or, if its number is divisible by 7, data_I. */
static void put_name(struct tables *t, unsigned i)
{
	char name[LONG + 1];
	int n = snprintf(name, sizeof(name), i % 7 ? "T\001%u" : "ddata_%u", i); /* token 1 is "f_" */

	if (i == 500) {
		memset(name + n, 'x', (size_t)(LONG - n));
		n = LONG;
	}
	if (n >= 0x80)
		put_int(t, (uint64_t)n >> 7 << 8 | 0x80 | (n & 0x7f), 2);
	else
		put_int(t, (uint64_t)n, 1);
	put(t, name, (size_t)n);
}

static void put_names(struct tables *t, const struct layout *l)
{
	size_t markers[(SYMBOLS + 255) / 256], start;

	put_int(t, SYMBOLS, l->long_markers ? 8 : 4);
	pad(t);
	start = t->n;
	for (unsigned i = 0; i < SYMBOLS; i++) {
		if (i % 256 == 0)
			markers[i / 256] = t->n - start;
		put_name(t, i);
	}
	pad(t);
	markers[1] += l->bad_marker;
	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++)
		put_int(t, markers[i], l->long_markers ? 8 : 4);
	pad(t);
}

static void put_tokens(struct tables *t, const struct layout *l)
{
	uint16_t index[256];
	size_t start = t->n;

	for (int i = 0; i < 256; i++) {
		index[i] = (uint16_t)(t->n - start);
		if (i == 1)
			put(t, "f_", 2);
		else if (i > ' ' && i < 0x7f)
			put_int(t, (uint64_t)i, 1);
		put_int(t, 0, 1);
	}
	pad(t);
	index[200] += l->bad_index;
	for (int i = 0; i < 256; i++)
		put_int(t, index[i], 2);
	pad(t);
}

static void put_addresses(struct tables *t, const struct layout *l)
{
	for (unsigned i = 0; i < SYMBOLS; i++) {
		uint64_t offset = 16 * (i == 300 && l->unsorted ? 200 : i);

		put_int(t, l->plain_offsets || i < PERCPU ? offset : -1 - offset, 4);
	}
	pad(t);
	put_int(t, l->low_base ? 0x1000000 : BASE, 8);
}

static struct tables *make(const struct layout *l)
{
	struct tables *t = calloc(1, sizeof(*t));

	put(t, "what else is in .rodata", 24);
	if (!l->addresses_last)
		put_addresses(t, l);
	put_names(t, l);
	put_tokens(t, l);
	if (l->addresses_last)
		put_addresses(t, l);
	put(t, "and behind it", 14);
	return t;
}

static int add(struct symbols *s, const uint8_t *data, size_t n)
{
	const struct elf_section section = {.name = ".rodata", .address = 0xffffffff82000000, .data = data, .size = n};
	char path[64], why[200];
	int fd = elf_make(&section, 1, 0, path, sizeof(path));
	struct elf_file *f = elf_file_open(path, why, sizeof(why));
	int rc = symbols_add_kernel(s, f);

	elf_file_close(f);
	close(fd);
	return rc;
}

static void expect(const struct symbols *s, uint64_t address, const char *name)
{
	uint64_t offset;
	const char *found = symbols_find(s, address, &offset);

	assert_true(name ? found && strcmp(found, name) == 0 : !found);
}

static void found(struct layout l)
{
	struct tables *t = make(&l);
	struct symbols s = {0};
	uint64_t address;

	assert_int_equal(add(&s, t->data, t->n), 1);
	assert_true(symbols_added(&s, "f_599", 0, s.nadded, &address));
	assert_int_equal(address, BASE + 16 * 599);
	assert_int_equal(symbols_sort(&s), 0);
	expect(&s, (l.plain_offsets ? BASE : 0) + 0x11, "f_1"); /* a per-CPU symbol */
	expect(&s, BASE + 16 * 3, "f_3");
	expect(&s, BASE + 16 * 257 + 15, "f_257");
	expect(&s, BASE + 16 * 259, NULL); /* data */
	symbols_free(&s);
	free(t);
}

TEST(early_kernels)
{
	found((struct layout){.long_markers = true});
	found((struct layout){0});
	found((struct layout){.plain_offsets = true});
}

TEST(late_kernels)
{
	found((struct layout){.addresses_last = true});
	found((struct layout){.addresses_last = true, .plain_offsets = true});
}

static void refused(struct layout l)
{
	struct tables *t = make(&l);
	struct symbols s = {0};

	assert_int_equal(add(&s, t->data, t->n), 0);
	assert_int_equal(s.nadded, 0);
	symbols_free(&s);
	free(t);
}

TEST(not_right)
{
	refused((struct layout){.bad_index = true});
	refused((struct layout){.bad_marker = true});
	refused((struct layout){.unsorted = true});
	refused((struct layout){.unsorted = true, .plain_offsets = true});
	refused((struct layout){.low_base = true});
}

/* Whatever a byte is, and wherever the section ends, nothing outside it is read. */
TEST(damaged)
{
	struct layout l = {.addresses_last = true};
	struct tables *t = make(&l);
	struct symbols s = {0};

	for (size_t n = 1; n < t->n - 14; n += 7)
		assert_int_equal(add(&s, t->data, n), 0);
	for (size_t i = 0; i < t->n; i += 13) {
		uint8_t kept = t->data[i];

		t->data[i] = (uint8_t)~kept;
		assert_in_range(add(&s, t->data, t->n), 0, 1);
		t->data[i] = kept;
	}
	symbols_free(&s);
	free(t);
}
