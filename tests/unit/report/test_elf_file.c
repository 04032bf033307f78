/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening ELF files: what is no regular file, sections that are larger than they may be, notes. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "report/elf/debug_file.h"
#include "report/elf/elf_file.h"
#include "tests/elf.h"

#define TEXT 0x401000u

static const uint8_t code[48];

/* Were a FIFO or a device opened and waited for, unit.h's alarm would end the test. */
TEST(regular_files_only)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{"/dev/zero", "not a regular file"},
		{"/dev/tty", "not a regular file"},
		{"/tmp", "Is a directory"},
		{"/nowhere/at/all", "No such file or directory"},
	};
	char folder[] = "/tmp/test-elf-file-XXXXXX", fifo[64], why[128];

	assert_non_null(mkdtemp(folder));
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_false(elf_file_is(fifo));
	assert_null(elf_file_open(fifo, why, sizeof(why)));
	assert_string_equal(why, "not a regular file");
	unlink(fifo);
	rmdir(folder);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_false(elf_file_is(cases[i].path));
		assert_null(elf_file_open(cases[i].path, why, sizeof(why)));
		if (strcmp(cases[i].path, "/dev/tty") != 0) /* there may be none */
			assert_string_equal(why, cases[i].why);
	}
}

TEST(not_elf)
{
	char why[128], path[64];
	int fd = memfd_create("text", 0);

	assert_int_equal(write(fd,
	                       "\x7f"
	                       "ELF",
	                       4),
	                 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(elf_file_is(path));
	assert_null(elf_file_open(path, why, sizeof(why)));
	assert_non_null(strstr(why, "a damaged ELF file"));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_false(elf_file_is(path));
	assert_null(elf_file_open(path, why, sizeof(why)));
	close(fd);
}

/* A file whose section 2 is compressed as told: @size is what its header says that it decompresses to. */
static struct elf_file *make_compressed(const char *name, const void *data, size_t n, uint64_t size, int *fd)
{
	struct {
		Elf64_Chdr head;
		uint8_t data[4096];
	} packed = {.head = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1}};
	uLongf packed_size = sizeof(packed.data);
	const uint64_t flags = SHF_COMPRESSED;
	char path[64], why[128];

	assert_int_equal(compress(packed.data, &packed_size, data, n), Z_OK);
	*fd = elf_make((struct elf_section[]){{".text", TEXT, code, sizeof(code), true},
	                                      {name, 0, &packed, sizeof(packed.head) + packed_size, false}},
	               2, 0, path, sizeof(path));
	assert_int_equal(
		pwrite(*fd, &flags, sizeof(flags),
	               offsetof(struct elf_head, section) + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags)),
		sizeof(flags));
	return elf_file_open(path, why, sizeof(why));
}

TEST(decompressed)
{
	static uint8_t data[100000];
	struct elf_contents s;
	struct elf_file *f;
	int fd;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i / 100);
	f = make_compressed(".debug_frame", data, sizeof(data), sizeof(data), &fd);
	assert_non_null(f);
	assert_true(elf_file_is_expandable(f));
	for (int i = 0; i < 2; i++) { /* what libelf has decompressed is larger than the file */
		assert_true(elf_file_contents(f, ".debug_frame", &s));
		assert_int_equal(s.size, sizeof(data));
		assert_memory_equal(s.data, data, sizeof(data));
	}
	elf_file_close(f);
	close(fd);
}

TEST(too_large)
{
	static const uint64_t sizes[] = {(1ull << 30) + 1, 3ull << 30, 1ull << 40, UINT64_MAX};
	struct elf_contents s;
	struct elf_file *f;
	int fd;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		f = make_compressed(".debug_info", "abc", 3, sizes[i], &fd);
		assert_non_null(f);
		assert_false(elf_file_contents(f, ".debug_info", &s));
		assert_int_equal(elf_file_is_expandable(f), sizes[i] <= 2ull << 30);
		elf_file_close(f);
		close(fd);
	}
}

/* GNU's older form, with the size in the section itself. */
TEST(too_large_the_old_way)
{
	static const uint8_t large[12] = "ZLIB\x00\x00\x01", small[12] = "ZLIB\x00\x00\x00\x00\x00\x00\x10";
	char path[64], why[128];

	for (int i = 0; i < 2; i++) {
		int fd = elf_make((struct elf_section[]){{".text", TEXT, code, sizeof(code), true},
		                                         {".zdebug_info", 0, i ? large : small, 12, false}},
		                  2, 0, path, sizeof(path));
		struct elf_file *f = elf_file_open(path, why, sizeof(why));

		assert_non_null(f);
		assert_int_equal(elf_file_is_expandable(f), i == 0);
		elf_file_close(f);
		close(fd);
	}
}

/* The section's type makes it a note. */
static const char *build_id_of(const void *note, size_t n)
{
	const uint32_t type = SHT_NOTE;
	char path[64], why[128];
	int fd = elf_make(
		(struct elf_section[]){{".text", TEXT, code, sizeof(code), true}, {".note", 0, note, n, false}}, 2, 0,
		path, sizeof(path));
	static char id[BUILD_ID_TEXT];
	struct elf_file *f;

	assert_int_equal(
		pwrite(fd, &type, sizeof(type),
	               offsetof(struct elf_head, section) + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type)),
		sizeof(type));
	f = elf_file_open(path, why, sizeof(why));
	assert_non_null(f);
	elf_file_build_id(f, id);
	elf_file_close(f);
	close(fd);
	return id;
}

TEST(build_ids)
{
	struct {
		uint32_t name, size, type;
		char owner[4];
		uint8_t id[100];
	} note = {4, 20, NT_GNU_BUILD_ID, "GNU", {1, 2, 3, [19] = 20}};

	assert_string_equal(build_id_of(&note, 16 + 20), "0102030000000000000000000000000000000014");
	assert_string_equal(build_id_of(&note, 16 + 19), ""); /* cut off */
	assert_string_equal(build_id_of(&note, 3), "");
	note.size = 65;
	assert_string_equal(build_id_of(&note, sizeof(note)), "");
	note.size = UINT32_MAX;
	assert_string_equal(build_id_of(&note, sizeof(note)), "");
	note.size = 20;
	note.owner[0] = 'X';
	assert_string_equal(build_id_of(&note, sizeof(note)), "");
}
