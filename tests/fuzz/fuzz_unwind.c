/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_unwind.c - any unwind tables, code, registers and stack: an ELF image is made of the input, and chains are unwound
 * and repaired by it.
 *
 * Input: u8 kind (bit 0: .debug_frame instead of .eh_frame; bit 1: a hypercall page), u16 bytes of tables, u16 bytes of code,
 * tables, code, then 17 registers and the stack. What is missing is 0.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/wire.h"
#include "report/unwind/unwind.h"

#define BASE 0x400000u
#define TEXT (BASE + 0x1000)
#define TABLES (BASE + 0x20000)
#define PART_MAX 0x10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SECTION_NONE, SECTION_TEXT, SECTION_TABLES, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NAMES, SECTIONS };

struct file {
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	Elf64_Sym symbols[4];
	char strings[32];
	char names[64];
};

static const char strings[] = "\0first\0second\0third";
static const char names[] = "\0.text\0.eh_frame\0.debug_frame\0.symtab\0.strtab\0.shstrtab";

static uint32_t name_of(const char *name)
{
	for (uint32_t i = 0; i < sizeof(names); i++)
		if (strcmp(names + i, name) == 0)
			return i;
	abort();
}

static Elf64_Shdr section(const char *name, uint32_t type, uint64_t flags, uint64_t address, uint64_t offset, uint64_t size)
{
	return (Elf64_Shdr){.sh_name = name_of(name), .sh_type = type, .sh_flags = flags, .sh_addr = address, .sh_offset = offset,
	                    .sh_size = size, .sh_addralign = 1};
}

static void make_image(int fd, const uint8_t *tables, uint16_t ntables, const uint8_t *code, uint16_t ncode, bool debug)
{
	struct file f = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC,
	                          .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_shoff = offsetof(struct file, section),
	                          .e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
	                          .e_shstrndx = SECTION_NAMES}};

	f.section[SECTION_TEXT] = section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, sizeof(f), ncode);
	f.section[SECTION_TABLES] = section(debug ? ".debug_frame" : ".eh_frame", SHT_PROGBITS, debug ? 0 : SHF_ALLOC,
	                                    debug ? 0 : TABLES, sizeof(f) + ncode, ntables);
	f.section[SECTION_SYMBOLS] = section(".symtab", SHT_SYMTAB, 0, 0, offsetof(struct file, symbols), sizeof(f.symbols));
	f.section[SECTION_SYMBOLS].sh_link = SECTION_STRINGS;
	f.section[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	f.section[SECTION_STRINGS] = section(".strtab", SHT_STRTAB, 0, 0, offsetof(struct file, strings), sizeof(f.strings));
	f.section[SECTION_NAMES] = section(".shstrtab", SHT_STRTAB, 0, 0, offsetof(struct file, names), sizeof(f.names));
	for (uint64_t i = 1; i < 4; i++)
		f.symbols[i] = (Elf64_Sym){.st_name = i == 1 ? 1 : i == 2 ? 7 : 14, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		                           .st_shndx = SECTION_TEXT, .st_value = TEXT + (i - 1) * ncode / 3, .st_size = ncode / 3};
	memcpy(f.strings, strings, sizeof(strings));
	memcpy(f.names, names, sizeof(names));
	if (write(fd, &f, sizeof(f)) != sizeof(f) || write(fd, code, ncode) != ncode || write(fd, tables, ntables) != ntables)
		abort();
}

static void walk(struct rows *rows, struct cursor *in, bool pv)
{
	static uint64_t words[1024];
	static struct chain chain;
	uint64_t regs[UPF_REGS + 1], frames[8];
	struct upf_record r = {.tops = UPF_TOPS_COPY, .words = words, .regs = regs, .end = UPF_END_DEPTH};

	for (unsigned i = 0; i <= UPF_REGS; i++)
		regs[i] = get_u64(in);
	for (r.nwords = 0; r.nwords < 1024 && cursor_left(in) >= 8; r.nwords++)
		words[r.nwords] = get_u64(in);
	r.fp = regs[6];
	r.sp = regs[7];
	unwind_copy(rows, &r, regs[UPF_REGS], pv, &chain);
	if (chain.n == 0 || chain.n > UPF_DEPTH_MAX || chain.frame[0].address != regs[UPF_REGS])
		abort();
	frames[0] = regs[UPF_REGS];
	for (unsigned i = 1; i < 8; i++)
		frames[i] = words[i];
	r.tops = UPF_TOPS_WINDOW;
	repair_chain(rows, &r, frames, 8, pv, &chain);
	if (chain.n > UPF_DEPTH_MAX + 1 || (chain.n && chain.frame[0].address != frames[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cursor in = cursor_of(data, len);
	uint8_t kind = get_u8(&in);
	uint16_t ntables = get_u16(&in), ncode = get_u16(&in);
	const uint8_t *tables = get_bytes(&in, ntables), *code = get_bytes(&in, ncode);
	struct symbols symbols = {0};
	struct rows *rows;
	char path[64], why[256];
	int fd;

	if (!tables || !code || (fd = memfd_create("image", 0)) < 0)
		return 0;
	make_image(fd, tables, ntables, code, ncode, kind & 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (symbols_add_file(&symbols, path, why, sizeof(why)) == 0 && symbols_sort(&symbols) == 0 && (rows = rows_new(&symbols))) {
		if (rows_add_image(rows, path, why, sizeof(why)) == 0)
			walk(rows, &in, kind & 2);
		rows_free(rows);
	}
	symbols_free(&symbols);
	close(fd);
	return 0;
}
