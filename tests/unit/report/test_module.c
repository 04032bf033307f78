/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules of Linux: files that are not linked, put where kallsyms says that their functions lie. */
#include "tests/unit/unit.h"

#include "report/unwind/tables.h"
#include "report/unwind/cfi.h"
#include "tests/elf.h"

#include <errno.h>

#define PLACE 0xffffffffc0201000u
#define SIZE 0x100u /* of first, second and third */

static const uint8_t code[3 * SIZE];
static const char info[] = "license=GPL\0name=tiny\0depends=";
static char why[256];

/* In no order; where third begins a mark of second's end stands behind what holds. */
static const struct {
	uint64_t at;
	int16_t sp;
	uint16_t what;
} entries[] = {
	{2 * SIZE, 40, 5}, {0, 8, 5}, {3 * SIZE, 0, 0}, {2 * SIZE, 0, 0}, {SIZE + 4, 24, 5}, {SIZE, 8, 5},
};

struct made {
	uint8_t ip[COUNT(entries) * 4], table[COUNT(entries) * 6];
	Elf64_Rela relocations[COUNT(entries)];
	char info[sizeof(info)];
};

static struct made make(void)
{
	struct made m = {.ip = {0}};

	memcpy(m.info, info, sizeof(info));
	for (size_t i = 0; i < COUNT(entries); i++) {
		memcpy(m.table + i * 6, &entries[i].sp, 2);
		memcpy(m.table + i * 6 + 4, &entries[i].what, 2);
		m.relocations[i] = (Elf64_Rela){i * 4, ELF64_R_INFO(1ull, R_X86_64_PC32), (int64_t)entries[i].at};
	}
	return m;
}

static int file_of(const struct made *m, char *path, size_t size)
{
	const struct elf_section sections[] = {
		{".text", 0, code, sizeof(code), true},
		{".orc_unwind_ip", 0, m->ip, sizeof(m->ip), false},
		{".orc_unwind", 0, m->table, sizeof(m->table), false},
		{".rela.orc_unwind_ip", 0, m->relocations, sizeof(m->relocations), false},
		{".modinfo", 0, m->info, sizeof(m->info), false},
	};
	const Elf64_Half type = ET_REL;
	int fd = elf_make(sections, COUNT(sections), 0, path, size);

	assert_int_equal(pwrite(fd, &type, sizeof(type), offsetof(Elf64_Ehdr, e_type)), sizeof(type));
	return fd;
}

static void name(struct symbols *s, const char *text, uint64_t address)
{
	struct symbol symbol = {.start = address};

	assert_int_equal(symbols_add(s, symbol, text, strlen(text)), 0);
}

static struct symbols kallsyms(const char *module, uint64_t third)
{
	struct symbols s = {0};
	char text[64];

	name(&s, "first", PLACE + 0x100000);
	snprintf(text, sizeof(text), "first [%s]", module);
	name(&s, text, PLACE);
	snprintf(text, sizeof(text), "third [%s]", module);
	name(&s, text, third);
	name(&s, "first [tin]", PLACE + 0x200000);
	assert_int_equal(symbols_sort(&s), 0);
	return s;
}

static struct cfi *rows_of(const struct made *m, const struct symbols *symbols)
{
	struct cfi *rows = cfi_new(symbols);
	char path[64];
	int fd = file_of(m, path, sizeof(path));

	why[0] = '\0';
	if (cfi_add_image(rows, path, 0, why, sizeof(why)) != 0) {
		cfi_free(rows);
		rows = NULL;
	}
	close(fd);
	return rows;
}

static int cfa(struct cfi *rows, uint64_t address)
{
	const struct cfi_known_row *k = cfi_find(rows, address, false);

	return k->source == CFI_BY_ORC ? k->row.cfa_offset : -1;
}

TEST(placed)
{
	struct made m = make();
	struct symbols s = kallsyms("tiny", PLACE + 2 * SIZE);
	struct cfi *rows = rows_of(&m, &s);

	assert_non_null(rows);
	assert_int_equal(cfa(rows, PLACE - 1), -1);
	assert_int_equal(cfa(rows, PLACE), 8);
	assert_int_equal(cfa(rows, PLACE + SIZE - 1), 8);
	assert_int_equal(cfa(rows, PLACE + SIZE + 3), 8);
	assert_int_equal(cfa(rows, PLACE + SIZE + 4), 24);
	assert_int_equal(cfa(rows, PLACE + 2 * SIZE), 40);
	assert_int_equal(cfa(rows, PLACE + 3 * SIZE - 1), 40);
	assert_int_equal(cfa(rows, PLACE + 3 * SIZE), -1);
	cfi_free(rows);
	symbols_free(&s);
}

static void refused(const struct made *m, struct symbols s, const char *text)
{
	assert_null(rows_of(m, &s));
	if (!strstr(why, text))
		fail_msg("%s", why);
	symbols_free(&s);
}

TEST(not_placed)
{
	struct made m = make();

	refused(&m, kallsyms("other", PLACE + 2 * SIZE), "no function of module tiny has an address");
	refused(&m, kallsyms("tiny", PLACE + 2 * SIZE + 16), "another build of module tiny");
	memset(m.info, 'x', sizeof(m.info) - 1);
	refused(&m, kallsyms("tiny", PLACE + 2 * SIZE), "no module of Linux");
	m.info[sizeof(m.info) - 1] = 'x';
	refused(&m, kallsyms("tiny", PLACE + 2 * SIZE), "no module of Linux");
}

/* Relocations of symbols, entries and kinds that there are not are left out. */
TEST(wild)
{
	struct made m = make();
	struct symbols s = kallsyms("tiny", PLACE + 2 * SIZE);
	struct cfi *rows;

	m.relocations[0].r_offset = UINT64_MAX - 3;
	m.relocations[1].r_offset = 2;
	m.relocations[3].r_info = ELF64_R_INFO(99ull, R_X86_64_PC32);
	m.relocations[4].r_info = ELF64_R_INFO(1ull, R_X86_64_64);
	rows = rows_of(&m, &s);
	assert_non_null(rows);
	assert_int_equal(cfa(rows, PLACE), -1);
	assert_int_equal(cfa(rows, PLACE + 2 * SIZE), 8);
	cfi_free(rows);
	symbols_free(&s);
}
