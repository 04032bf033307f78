/* SPDX-License-Identifier: BSD-2-Clause */
/* Names from nm's text, kallsyms and ELF: what they find, at which edges, and what they refuse. */
#include "tests/unit/unit.h"

#include "report/symbols/symbols.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char why[256];

/* Writes @data to a file of its own, whose name goes to @path. */
static void put_file(char path[32], const void *data, size_t len)
{
	int fd;

	strcpy(path, "/tmp/upf-sym-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

static int add(struct symbols *s, const void *data, size_t len)
{
	char path[32];
	int rc;

	put_file(path, data, len);
	rc = symbols_add_file(s, path, NULL, why, sizeof(why));
	unlink(path);
	return rc;
}

static struct symbols from_text(const char *text)
{
	struct symbols s = {0};

	assert_int_equal(add(&s, text, strlen(text)), 0);
	assert_int_equal(symbols_sort(&s), 0);
	return s;
}

static void expect(const struct symbols *s, uint64_t address, const char *name, uint64_t offset)
{
	uint64_t found_offset = 0;
	const char *found = symbols_find(s, address, &found_offset);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(found_offset, offset);
}

static void refuse(const char *text, const char *reason)
{
	struct symbols s = {0};

	assert_int_equal(add(&s, text, strlen(text)), -1);
	assert_non_null(strstr(why, reason));
	symbols_free(&s);
}

TEST(nm_lines)
{
	struct symbols s = from_text("0000000000002000 T second\n0000000000001000 t first\n                 U printf\n"
	                             "0000000000003000 D data\n0000000000000042 A absolute\n");

	expect(&s, 0x42, NULL, 0);
	expect(&s, 0xfff, NULL, 0);
	expect(&s, 0x1000, "first", 0);
	expect(&s, 0x1fff, "first", 0xfff);
	expect(&s, 0x2000, "second", 0);
	expect(&s, 0x2fff, "second", 0xfff);
	expect(&s, 0x3000, NULL, 0); /* data ends the function before it, and names nothing */
	expect(&s, UINT64_MAX, NULL, 0);
	symbols_free(&s);
}

TEST(nm_sizes)
{
	struct symbols s = from_text("0000000000001000 0000000000000010 T f\n0000000000001020 0000000000000010 T g\n");

	expect(&s, 0x100f, "f", 0xf);
	expect(&s, 0x1010, NULL, 0); /* the gap */
	expect(&s, 0x102f, "g", 0xf);
	expect(&s, 0x1030, NULL, 0);
	symbols_free(&s);
}

TEST(nm_last_is_bounded)
{
	struct symbols s = from_text("0000000000001004 T last\n");

	expect(&s, 0x2fff, "last", 0x1ffb);
	expect(&s, 0x3000, NULL, 0);
	symbols_free(&s);
}

TEST(nm_names)
{
	struct symbols s = from_text("00001000 T operator new(unsigned long, int)\r\n\nfoo.o:\n00002000 W weak\n"
	                             "00003000 t with_line\t/src/a.c:12\n00004000 t $x\n");

	expect(&s, 0x1000, "operator new(unsigned long, int)", 0);
	expect(&s, 0x2000, "weak", 0);
	expect(&s, 0x3000, "with_line", 0);
	expect(&s, 0x4000, "with_line", 0x1000);
	symbols_free(&s);
}

TEST(nm_long_line)
{
	char *text = malloc(100100);
	struct symbols s;
	uint64_t offset;

	strcpy(text, "0000000000001000 T ");
	memset(text + 19, 'n', 100000);
	strcpy(text + 100019, "\n0000000000002000 T after\n");
	s = from_text(text);
	assert_int_equal(strlen(symbols_find(&s, 0x1001, &offset)), 100000);
	expect(&s, 0x2000, "after", 0);
	symbols_free(&s);
	free(text);
}

TEST(kallsyms)
{
	struct symbols s =
		from_text("ffffffff81000000 T startup_64\nffffffff81000000 T _stext\nffffffff81000100 t local\n"
	                  "ffffffffc0000000 t probe\t[virtio_net]\n0000000000000000 A fixed_percpu_data\n");

	expect(&s, 0xffffffff81000001, "startup_64", 1); /* fewer underscores than _stext */
	expect(&s, 0xffffffff81000101, "local", 1);
	expect(&s, 0xffffffffc0000010, "probe [virtio_net]", 0x10);
	symbols_free(&s);
}

TEST(aliases)
{
	struct symbols s =
		from_text("1000 t local\n1000 W weak\n1000 T __global\n1000 T global_longer\n1000 T global\n2000 T e\n"
	                  "3000 T unsized\n3000 0000000000000010 t sized\n");

	expect(&s, 0x1000, "global", 0);
	expect(&s, 0x3000, "sized", 0);
	expect(&s, 0x3010, NULL, 0);
	symbols_free(&s);
}

TEST(nested)
{
	struct symbols s =
		from_text("1000 00000100 T outer\n1020 00000010 t inner\n1050 t label\n1080 00000100 t overlap\n");

	expect(&s, 0x101f, "outer", 0x1f);
	expect(&s, 0x1020, "inner", 0);
	expect(&s, 0x102f, "inner", 0xf);
	expect(&s, 0x1030, "outer", 0x30);
	expect(&s, 0x1051, "outer", 0x51); /* a label in a function is not one */
	expect(&s, 0x1080, "overlap", 0);
	expect(&s, 0x117f, "overlap", 0xff);
	expect(&s, 0x1180, NULL, 0);
	symbols_free(&s);
}

TEST(address_space_end)
{
	struct symbols s =
		from_text("fffffffffffff000 ffffffffffffffff T top\n0000000000000000 0000000000000001 T zero\n");

	expect(&s, 0, "zero", 0);
	expect(&s, 1, NULL, 0);
	expect(&s, UINT64_MAX - 1, "top", 0xffe);
	symbols_free(&s);
}

TEST(bad_text)
{
	struct symbols s = {0};

	refuse("", "empty");
	refuse("hello world\n", "neither an ELF");
	refuse("1000 T f\nnonsense here\n", "line 2");
	refuse("11112222333344445 T f\n", "line 1");
	refuse("1000 T\n", "line 1");
	refuse("1000 D data\n", "no functions");
	refuse("0000000000000000 T a\n0000000000000000 t b\n", "kptr_restrict");
	assert_int_equal(add(&s, "1000 T f\0g\n", 11), -1);
	symbols_free(&s);
	assert_int_equal(symbols_add_file(&s, "/tmp", NULL, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "directory"));
	assert_int_equal(symbols_add_file(&s, "/nonexistent", NULL, why, sizeof(why)), -1);
	symbols_free(&s);
}

/* --- ELF --------------------------------------------------------------------------------------------------------- */

/* A 64-bit file by hand: .text at 0x1000, 0x100 long; .data; .symtab; .strtab. */
struct tiny {
	Elf64_Ehdr header;
	Elf64_Shdr sections[5];
	Elf64_Sym symbols[8];
	char names[80];
};

static const char tiny_names[] = "\0func\0label\0end\0object\0weak\0gap\0";
enum { FUNC = 1, LABEL = 6, END = 12, OBJECT = 16, WEAK = 23, GAP = 28 };

static struct tiny make_tiny(void)
{
	struct tiny t = {0};

	memcpy(t.header.e_ident, ELFMAG, SELFMAG);
	t.header.e_ident[EI_CLASS] = ELFCLASS64;
	t.header.e_ident[EI_DATA] = ELFDATA2LSB;
	t.header.e_ident[EI_VERSION] = EV_CURRENT;
	t.header.e_type = ET_EXEC;
	t.header.e_machine = EM_X86_64;
	t.header.e_version = EV_CURRENT;
	t.header.e_shoff = offsetof(struct tiny, sections);
	t.header.e_ehsize = sizeof(t.header);
	t.header.e_shentsize = sizeof(t.sections[0]);
	t.header.e_shnum = 5;
	t.sections[1] = (Elf64_Shdr){
		.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = 0x1000, .sh_size = 0x100};
	t.sections[2] =
		(Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x2000, .sh_size = 0x100};
	t.sections[3] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
	                             .sh_offset = offsetof(struct tiny, symbols),
	                             .sh_size = sizeof(t.symbols),
	                             .sh_link = 4,
	                             .sh_entsize = sizeof(t.symbols[0])};
	t.sections[4] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct tiny, names), .sh_size = sizeof(t.names)};
	memcpy(t.names, tiny_names, sizeof(tiny_names));
	t.symbols[1] = (Elf64_Sym){.st_name = FUNC,
	                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	                           .st_shndx = 1,
	                           .st_value = 0x1000,
	                           .st_size = 0x20};
	t.symbols[2] = (Elf64_Sym){
		.st_name = LABEL, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), .st_shndx = 1, .st_value = 0x1080};
	t.symbols[3] = (Elf64_Sym){
		.st_name = END, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = 1, .st_value = 0x1100};
	t.symbols[4] = (Elf64_Sym){.st_name = OBJECT,
	                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
	                           .st_shndx = 2,
	                           .st_value = 0x2000,
	                           .st_size = 0x10};
	t.symbols[5] = (Elf64_Sym){.st_name = WEAK,
	                           .st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC),
	                           .st_shndx = 1,
	                           .st_value = 0x1000,
	                           .st_size = 0x20};
	t.symbols[6] = (Elf64_Sym){
		.st_name = GAP, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = 2, .st_value = 0x2020};
	return t;
}

TEST(elf_tiny)
{
	struct tiny t = make_tiny();
	struct symbols s = {0};

	assert_int_equal(add(&s, &t, sizeof(t)), 0);
	assert_int_equal(symbols_sort(&s), 0);
	expect(&s, 0x1000, "func", 0);
	expect(&s, 0x101f, "func", 0x1f);
	expect(&s, 0x1020, NULL, 0);
	expect(&s, 0x1080, "label", 0);
	expect(&s, 0x10ff, "label", 0x7f);
	expect(&s, 0x1100, NULL, 0); /* not past its section */
	expect(&s, 0x2000, NULL, 0);
	expect(&s, 0x2020, NULL, 0);
	symbols_free(&s);
}

/* Every byte of the file changed and every length cut must be survived; ASan and valgrind watch. */
TEST(elf_damaged)
{
	struct tiny good = make_tiny();

	for (size_t i = SELFMAG; i < sizeof(good); i++) {
		for (int bit = 0; bit < 8; bit += 7) {
			struct tiny t = good;
			struct symbols s = {0};

			((unsigned char *)&t)[i] ^= (unsigned char)(1 << bit);
			if (add(&s, &t, sizeof(t)) != 0)
				assert_true(why[0] != '\0');
			assert_int_equal(symbols_sort(&s), 0);
			symbols_free(&s);
		}
	}
	for (size_t len = 1; len < sizeof(good); len += 3) {
		struct symbols s = {0};

		add(&s, &good, len);
		symbols_free(&s);
	}
}

TEST(elf_refused)
{
	struct tiny t = make_tiny();
	struct symbols s = {0};

	t.header.e_type = ET_REL;
	assert_int_equal(add(&s, &t, sizeof(t)), 1);
	assert_non_null(strstr(why, "relocatable"));
	t = make_tiny();
	t.sections[3].sh_type = SHT_NULL;
	assert_int_equal(add(&s, &t, sizeof(t)), 1);
	assert_non_null(strstr(why, "without symbols"));
	t.sections[3].sh_type = SHT_DYNSYM;
	assert_int_equal(add(&s, &t, sizeof(t)), 0);
	symbols_free(&s);
}

/* 32-bit big-endian, as a cross compiler would write it. */
static void put_be(unsigned char *at, uint32_t value, int bytes)
{
	for (int i = bytes; i-- > 0; value >>= 8)
		at[i] = (unsigned char)value;
}

TEST(elf_big_endian_32)
{
	unsigned char f[0x200] = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2MSB, EV_CURRENT};
	unsigned char *text = f + 0x34 + 0x28, *table = text + 0x28, *names = table + 0x28, *sym = f + 0x180;
	struct symbols s = {0};

	put_be(f + 16, ET_EXEC, 2);
	put_be(f + 18, EM_PPC, 2);
	put_be(f + 20, EV_CURRENT, 4);
	put_be(f + 32, 0x34, 4); /* e_shoff */
	put_be(f + 40, 0x34, 2);
	put_be(f + 46, 0x28, 2);
	put_be(f + 48, 4, 2);
	put_be(text + 4, SHT_NOBITS, 4);
	put_be(text + 8, SHF_ALLOC | SHF_EXECINSTR, 4);
	put_be(text + 12, 0x1000, 4);
	put_be(text + 20, 0x100, 4);
	put_be(table + 4, SHT_SYMTAB, 4);
	put_be(table + 16, 0x180, 4);
	put_be(table + 20, 0x20, 4);
	put_be(table + 24, 3, 4);
	put_be(table + 36, 0x10, 4);
	put_be(names + 4, SHT_STRTAB, 4);
	put_be(names + 16, 0x1c0, 4);
	put_be(names + 20, 0x10, 4);
	memcpy(f + 0x1c1, "be_func", 8);
	put_be(sym + 0x10, 1, 4);
	put_be(sym + 0x14, 0x1010, 4);
	put_be(sym + 0x18, 8, 4);
	sym[0x1c] = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
	put_be(sym + 0x1e, 1, 2);
	assert_int_equal(add(&s, f, sizeof(f)), 0);
	assert_int_equal(symbols_sort(&s), 0);
	expect(&s, 0x1017, "be_func", 7);
	expect(&s, 0x1018, NULL, 0);
	symbols_free(&s);
}

TEST(several_files)
{
	struct tiny t = make_tiny();
	struct symbols s = {0};
	const char *text = "5000 T other\n";

	assert_int_equal(add(&s, &t, sizeof(t)), 0);
	assert_int_equal(add(&s, text, strlen(text)), 0);
	assert_int_equal(symbols_sort(&s), 0);
	expect(&s, 0x1000, "func", 0);
	expect(&s, 0x5001, "other", 1);
	symbols_free(&s);
}

/* Symbols of an ELF file can share one long name, or a kernel's the text of a token. */
TEST(names_take_limited_memory)
{
	const struct symbol first = {.start = 0x1000}, second = {.start = 0x2000},
			    mark = {.start = 0x3000, .mark = true};
	struct symbols s = {.names = {.cap = SYMBOLS_TEXT_MAX}};

	s.names.data = calloc(1, s.names.cap); /* which is all zero until it is written */
	assert_non_null(s.names.data);
	s.names.len = SYMBOLS_TEXT_MAX - strlen("first") - 1;
	assert_int_equal(symbols_add(&s, first, "first one", strlen("first one")), 0);
	assert_int_equal(s.nadded, 0);
	assert_int_equal(symbols_add(&s, first, "first", strlen("first")), 0);
	assert_int_equal(symbols_add(&s, second, "", 0), 0);
	assert_int_equal(symbols_add(&s, mark, "", 0), 0);
	assert_int_equal(s.nadded, 2);
	assert_int_equal(s.names.len, SYMBOLS_TEXT_MAX);
	assert_int_equal(symbols_sort(&s), 0);
	expect(&s, 0x1000, "first", 0);
	expect(&s, 0x3000, NULL, 0);
	symbols_free(&s);
}
