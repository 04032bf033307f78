/* SPDX-License-Identifier: BSD-2-Clause */
/* Identities: build-ids of either kind of table, hashes that strip does not change, damaged files. */
#include "tests/unit/unit.h"

#include "format/file/identity.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct tiny {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
	} note;
	uint8_t code[64];
	Elf64_Shdr sections[2];
};

static struct tiny make_tiny(void)
{
	struct tiny t = {0};

	memcpy(t.header.e_ident, ELFMAG, SELFMAG);
	t.header.e_ident[EI_CLASS] = ELFCLASS64;
	t.header.e_ident[EI_DATA] = ELFDATA2LSB;
	t.header.e_phoff = offsetof(struct tiny, segments);
	t.header.e_phentsize = sizeof(t.segments[0]);
	t.header.e_phnum = 2;
	t.header.e_shoff = offsetof(struct tiny, sections);
	t.header.e_shentsize = sizeof(t.sections[0]);
	t.header.e_shnum = 2;
	t.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
	                             .p_flags = PF_R | PF_X,
	                             .p_vaddr = 0x1000,
	                             .p_filesz = offsetof(struct tiny, sections)};
	t.segments[1] =
		(Elf64_Phdr){.p_type = PT_NOTE, .p_offset = offsetof(struct tiny, note), .p_filesz = sizeof(t.note)};
	t.note.head = (Elf64_Nhdr){.n_namesz = 4, .n_descsz = sizeof(t.note.id), .n_type = NT_GNU_BUILD_ID};
	memcpy(t.note.name, "GNU", 4);
	for (int i = 0; i < 20; i++)
		t.note.id[i] = (uint8_t)(0xa0 + i);
	memset(t.code, 0x90, sizeof(t.code));
	t.sections[1] =
		(Elf64_Shdr){.sh_type = SHT_NOTE, .sh_offset = offsetof(struct tiny, note), .sh_size = sizeof(t.note)};
	return t;
}

/* Of a file without a build-id. */
static bool is_hash(const char *text)
{
	return strncmp(text, "xxh3:", 5) == 0;
}

static int identify(const void *data, size_t len, char *text)
{
	int fd = memfd_create("image", 0), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	rc = identity_of_fd(fd, text);
	close(fd);
	return rc;
}

#define ID "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"

TEST(build_id)
{
	struct tiny t = make_tiny();
	char text[IDENTITY_SIZE];

	assert_int_equal(identify(&t, sizeof(t), text), 0);
	assert_string_equal(text, ID);
	assert_false(is_hash(text));
	t.header.e_phnum = 0;
	identify(&t, sizeof(t), text);
	assert_string_equal(text, ID); /* by its section */
	t = make_tiny();
	t.header.e_shnum = 0;
	identify(&t, sizeof(t), text);
	assert_string_equal(text, ID); /* by its segment */
}

TEST(hash)
{
	struct tiny t = make_tiny();
	char whole[IDENTITY_SIZE], other[IDENTITY_SIZE];

	t.note.head.n_type = 1;
	identify(&t, sizeof(t), whole);
	assert_true(is_hash(whole));
	assert_int_equal(strlen(whole), 5 + 32);
	t.header.e_shoff = t.header.e_shnum = 0; /* as strip does */
	identify(&t, offsetof(struct tiny, sections), other);
	assert_string_equal(other, whole);
	t.code[5]++;
	identify(&t, sizeof(t), other);
	assert_string_not_equal(other, whole);
	identify("no ELF", 6, whole);
	identify("no elf", 6, other);
	assert_true(is_hash(whole) && strcmp(whole, other) != 0);
}

TEST(damaged)
{
	struct tiny good = make_tiny();
	char text[IDENTITY_SIZE];

	for (size_t i = 0; i < sizeof(good); i++) {
		for (int bit = 0; bit < 8; bit++) {
			struct tiny t = good;

			((uint8_t *)&t)[i] ^= (uint8_t)(1 << bit);
			assert_int_equal(identify(&t, sizeof(t), text), 0);
			assert_true(strlen(text) < IDENTITY_SIZE);
		}
	}
	for (size_t len = 0; len < sizeof(good); len++)
		assert_int_equal(identify(&good, len, text), 0);
	assert_int_equal(identity_of_file("/nonexistent", text), -ENOENT);
	assert_int_equal(identity_of_file("/tmp", text), -EISDIR);
	assert_int_equal(identity_of_file("/dev/null", text), -ESPIPE);
}

/* Sections that all have the same notes, as short as notes can be. By CPU time. */
TEST(many_notes)
{
	static struct {
		struct tiny tiny;
		Elf64_Shdr sections[4000];
		uint8_t notes[65536];
	} f;
	const clock_t before = clock();
	char text[IDENTITY_SIZE];

	f.tiny = make_tiny();
	f.tiny.header.e_phnum = 0;
	f.tiny.header.e_shoff = (size_t)((const uint8_t *)f.sections - (const uint8_t *)&f);
	f.tiny.header.e_shnum = COUNT(f.sections);
	for (size_t i = 0; i < COUNT(f.sections); i++)
		f.sections[i] = (Elf64_Shdr){.sh_type = SHT_NOTE,
		                             .sh_offset = (size_t)(f.notes - (const uint8_t *)&f),
		                             .sh_size = sizeof(f.notes)};
	assert_int_equal(identify(&f, sizeof(f), text), 0);
	assert_true(is_hash(text));
	assert_true(clock() - before < 5 * CLOCKS_PER_SEC);
}
