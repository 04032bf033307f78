/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_unwind.c - any unwind tables, code, registers and stack: an ELF image is made of the input, and chains are
 * unwound and repaired by it.
 *
 * Input: u8 kind (bit 0: .debug_frame instead of .eh_frame; bit 1: a PV guest; bit 2: ORC instead; bits 3 and 4: the
 * instruction set), u16 bytes of
 * tables, u16 bytes of code, tables (ORC: two parts of five of them are .orc_unwind_ip), code, then the registers, ip
 * and the stack. What is missing is 0.
 */
#include <stdbool.h>
#include <stddef.h>

#include "format/bytes/wire.h"
#include "report/unwind/unwind.h"
#include "tests/elf.h"

#define TEXT 0xffffffff80401000u
#define TABLES (TEXT + 0x20000)
#define MORE (TEXT + 0x40000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void walk(struct cfi *rows, const struct isa *isa, struct cursor *in)
{
	static uint64_t words[1024];
	static struct chain chain;
	uint64_t regs[ISA_REGS + 1], frames[8], ip;
	struct upf_record r = {
		.tops = UPF_TOPS_COPY, .words = words, .regs = regs, .nregs = isa->regs, .end = UPF_END_DEPTH};

	for (unsigned i = 0; i <= isa->regs; i++)
		regs[i] = get_u64(in);
	ip = regs[isa->regs];
	for (r.nwords = 0; r.nwords < 1024 && cursor_left(in) >= 8; r.nwords++)
		words[r.nwords] = get_u64(in);
	r.fp = regs[isa->fp];
	r.sp = regs[isa->sp];
	r.link = regs[isa->link % ISA_REGS];
	unwind_copy(rows, &r, ip, &chain);
	if (chain.n == 0 || chain.n > UPF_DEPTH_MAX || chain.frame[0].address != ip)
		abort();
	frames[0] = ip;
	for (unsigned i = 1; i < 8; i++)
		frames[i] = words[i];
	r.tops = UPF_TOPS_WINDOW;
	repair_chain(rows, &r, frames, 8, &chain);
	if (chain.n > UPF_DEPTH_MAX + 1 || (chain.n && chain.frame[0].address != frames[0]))
		abort();
}

static int make_image(uint8_t kind, const uint8_t *tables, uint16_t ntables, const uint8_t *code, uint16_t ncode,
                      char *path, size_t size)
{
	bool debug = kind & 1;
	struct elf_section sections[3] = {{".text", TEXT, code, ncode, true}};
	size_t ip = ntables / 5 * 2;

	if (!(kind & 4)) {
		sections[1] = (struct elf_section){debug ? ".debug_frame" : ".eh_frame", debug ? 0 : TABLES, tables,
		                                   ntables, false};
		return elf_make(sections, 2, 0, path, size);
	}
	sections[1] = (struct elf_section){".orc_unwind_ip", TABLES, tables, ip, false};
	sections[2] = (struct elf_section){".orc_unwind", MORE, tables + ip, ntables - ip, false};
	return elf_make(sections, 3, 0, path, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct isa *const sets[] = {&isa_x86_64, &isa_i386, &isa_arm64, &isa_arm};
	struct cursor in = cursor_of(data, len);
	uint8_t kind = get_u8(&in);
	uint16_t ntables = get_u16(&in), ncode = get_u16(&in);
	const struct isa *isa = sets[kind >> 3 & 3];
	const uint8_t *tables = get_bytes(&in, ntables), *code = get_bytes(&in, ncode);
	struct symbols symbols = {0};
	struct cfi *rows;
	char path[64], why[256];
	int fd;

	if (!tables || !code)
		return 0;
	fd = make_image(kind, tables, ntables, code, ncode, path, sizeof(path));
	if (pwrite(fd, &isa->machine, sizeof(isa->machine), offsetof(Elf64_Ehdr, e_machine)) < 0)
		abort();
	if (symbols_add_file(&symbols, path, NULL, why, sizeof(why)) == 0 && symbols_sort(&symbols) == 0 &&
	    (rows = cfi_new(&symbols))) {
		if (cfi_add_image(rows, path, 0, why, sizeof(why)) == 0) {
			cfi_enter(rows, isa, kind & 2);
			walk(rows, isa, &in);
		}
		cfi_free(rows);
	}
	symbols_free(&symbols);
	close(fd);
	return 0;
}
