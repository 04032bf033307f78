/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols_kernel.c - the symbols that a Linux kernel holds of itself for /proc/kallsyms. They are left where .symtab
 * has been stripped, as in the vmlinux that is packed in a distribution's vmlinuz.
 *
 * The tables are in .rodata, without a mark. scripts/kallsyms.c of the kernel's source writes them, each at a multiple
 * of 8, in one of two orders:
 *
 *	offsets base count names markers tokens token_index		up to Linux 6.3
 *	count names markers tokens token_index offsets base		later
 *
 * A name is a length and as many indices of tokens, whose texts together are the symbol's type, as nm has it, and its
 * name. Of every 256th name the markers have the offset. Offsets are relative to the base. On x86, up to Linux 6.14,
 * those that are 0 or above are the addresses of per-CPU symbols, and the others count down: -1 is the base.
 */
#include "format/bytes/wire.h"
#include "report/elf/elf_file.h"
#include "report/symbols/symbols.h"

#include <errno.h>
#include <string.h>

#define TOKENS 256u
#define NAME_MAX_LENGTH 1024u
#define COUNT_MIN 256u         /* fewer symbols has no kernel */
#define COUNT_MAX (4u << 20)   /* nor more */
#define NAMES_READ (64u << 20) /* names to look at, at most, before there is none */

struct kallsyms_tables {
	const uint8_t *data; /* .rodata, of @size bytes */
	size_t size;
	size_t tokens, index; /* where they are, from there */
	size_t names, count_at, offsets, base_at;
	uint32_t count;
	uint64_t base;
	bool absolute_percpu;
	unsigned long read; /* how many names have been looked at */
};

static size_t align_table(size_t at)
{
	return (at + 7) & ~(size_t)7;
}

/* --- tokens ------------------------------------------------------------------------------------------------------ */

/* Is the index behind the tokens' end at @end, and right for all of them? The token "0" is at @zero. */
static bool find_index(struct kallsyms_tables *t, size_t zero, size_t end)
{
	t->index = align_table(end);
	if (t->index > t->size || t->size - t->index < 2 * TOKENS || peek_u16(t->data + t->index + 2 * '0') > zero)
		return false;
	t->tokens = zero - peek_u16(t->data + t->index + 2 * '0');
	for (size_t i = 0, at = t->tokens; i < TOKENS; i++) {
		if (at >= end || peek_u16(t->data + t->index + 2 * i) != at - t->tokens)
			return false;
		at += strlen((const char *)t->data + at) + 1;
	}
	return true;
}

/* The digits are tokens of their own. */
static bool find_tokens(struct kallsyms_tables *t)
{
	static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
	const uint8_t *at = t->data;

	while ((at = memmem(at, t->size - (size_t)(at - t->data), digits, sizeof(digits))) != NULL) {
		size_t zero = (size_t)(at - t->data), end = zero;

		for (unsigned i = '0'; i < TOKENS && end < t->size; i++)
			end += strnlen((const char *)t->data + end, t->size - end) + 1;
		if (end <= t->size && find_index(t, zero, end))
			return true;
		at++;
	}
	return false;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* Moves *at behind a name, which begins with the indices that are @n and at *first; false: there is none. */
static bool next_name(const struct kallsyms_tables *t, size_t *at, size_t *first, unsigned *n)
{
	size_t i = *at;

	if (i + 2 > t->tokens)
		return false;
	*n = t->data[i++];
	if (*n & 0x80) /* since Linux 6.1; before, no name was that long */
		*n = (*n & 0x7f) | (unsigned)t->data[i++] << 7;
	*first = i;
	*at = i + *n;
	return *n > 0 && *n < NAME_MAX_LENGTH && *at <= t->tokens;
}

/* Do the markers, which are behind the names' @end, have the offsets of every 256th name? */
static bool markers_agree(const struct kallsyms_tables *t, size_t end, unsigned size)
{
	size_t marker = align_table(end), at = t->names, first;
	unsigned n;

	for (uint32_t i = 0; i < t->count; i++) {
		if (i % 256 == 0) {
			if (marker + size > t->tokens || peek_u32(t->data + marker) != at - t->names)
				return false;
			marker += size;
		}
		if (!next_name(t, &at, &first, &n))
			return false;
	}
	return true;
}

/* Are there @t->count names at t->names, with their markers? These had the size of a long up to Linux 4.19. */
static bool are_names(struct kallsyms_tables *t)
{
	size_t at = t->names, first;
	unsigned n;

	for (uint32_t i = 0; i < t->count; i++, t->read++)
		if (!next_name(t, &at, &first, &n))
			return false;
	return markers_agree(t, at, 4) || markers_agree(t, at, 8);
}

/* The count is before the names; both are before the tokens. */
static bool find_names(struct kallsyms_tables *t)
{
	for (size_t at = t->tokens & ~(size_t)7; at >= 8 && t->read < NAMES_READ; at -= 8) {
		uint64_t count = peek_u64(t->data + at - 8);

		if (count < COUNT_MIN || count > COUNT_MAX)
			continue;
		t->count_at = at - 8;
		t->names = at;
		t->count = (uint32_t)count;
		if (are_names(t))
			return true;
	}
	return false;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct kallsyms_tables *t, uint32_t i)
{
	uint32_t offset = peek_u32(t->data + t->offsets + 4 * (size_t)i);

	if (!t->absolute_percpu)
		return t->base + offset;
	return offset >> 31 ? t->base + ~offset : offset;
}

/* The list is sorted, and ends in the kernel. */
static bool is_sorted(const struct kallsyms_tables *t)
{
	for (uint32_t i = 1; i < t->count; i++)
		if (address_of(t, i) < address_of(t, i - 1))
			return false;
	return address_of(t, t->count - 1) >= t->base;
}

/* Kernels are in the upper half of the address space. */
static bool are_addresses(struct kallsyms_tables *t)
{
	if (t->offsets > t->size || t->size - t->offsets < 4 * (size_t)t->count || t->base_at > t->size - 8)
		return false;
	t->base = peek_u64(t->data + t->base_at);
	if (!(t->base >> 63))
		return false;
	t->absolute_percpu = true;
	if (is_sorted(t))
		return true;
	t->absolute_percpu = false;
	return is_sorted(t);
}

static bool find_addresses(struct kallsyms_tables *t)
{
	size_t size = align_table(4 * (size_t)t->count);

	if (t->count_at >= size + 8) {
		t->base_at = t->count_at - 8;
		t->offsets = t->base_at - size;
		if (are_addresses(t))
			return true;
	}
	t->offsets = align_table(t->index + 2 * TOKENS);
	t->base_at = t->offsets + size;
	return are_addresses(t);
}

/* --- symbols ----------------------------------------------------------------------------------------------------- */

/* The length, or 0: it is too long. */
static size_t expand_name(const struct kallsyms_tables *t, size_t first, unsigned n, char name[NAME_MAX_LENGTH + 1])
{
	size_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		const char *token =
			(const char *)t->data + t->tokens + peek_u16(t->data + t->index + 2 * t->data[first + i]);
		size_t more = strlen(token);

		if (more > NAME_MAX_LENGTH - len)
			return 0;
		memcpy(name + len, token, more);
		len += more;
	}
	name[len] = '\0';
	return len;
}

static int add_kallsyms(struct symbols *s, const struct kallsyms_tables *t)
{
	size_t at = t->names, first;
	char name[NAME_MAX_LENGTH + 1];
	unsigned n;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < t->count && next_name(t, &at, &first, &n); i++) {
		size_t len = expand_name(t, first, n, name);

		if (len > 1)
			rc = symbols_add_typed(s, (struct symbol){.start = address_of(t, i)}, name[0], name + 1,
			                       len - 1);
	}
	return rc;
}

int symbols_add_kernel(struct symbols *s, const struct elf_file *f)
{
	struct elf_contents rodata;
	struct kallsyms_tables t = {0};

	if (f->header.e_ident[EI_CLASS] != ELFCLASS64 || f->header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !elf_file_contents(f, ".rodata", &rodata))
		return 0;
	t.data = rodata.data;
	t.size = rodata.size;
	if (!find_tokens(&t) || !find_names(&t) || !find_addresses(&t))
		return 0;
	return add_kallsyms(s, &t) == 0 ? 1 : -ENOMEM;
}
