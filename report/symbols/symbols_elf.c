/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols_elf.c - functions and assembler labels from an ELF file, 32- or 64-bit, either endian: .symtab, its own or
 * the separate debug file's; else what .gnu_debugdata and .dynsym have together; else what a Linux kernel holds of
 * itself. libelf checks every offset against the file.
 */
#include "report/elf/debug_file.h"
#include "report/symbols/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#define NAME_MAX_BYTES (64u << 10) /* longer names are cut: all symbols could have one of megabytes */

struct elf_table {
	Elf *elf;
	GElf_Half machine;
	size_t names; /* section of the names */
	Elf_Data *symbols;
	Elf_Data *indices; /* SHT_SYMTAB_SHNDX, NULL: none */
	size_t n;
};

/* The first section of @type that has symbols; the one with extended indices that belongs to it. */
static bool find_symbol_table(struct elf_table *t, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t found = 0;

	while (found == 0 && (section = elf_nextscn(t->elf, section)) != NULL) {
		if (!gelf_getshdr(section, &header) || header.sh_type != type || header.sh_entsize == 0)
			continue;
		t->symbols = elf_getdata(section, NULL);
		t->n = t->symbols ? t->symbols->d_size / header.sh_entsize : 0;
		t->names = header.sh_link;
		if (t->n > 1)
			found = elf_ndxscn(section);
	}
	section = NULL;
	while (found != 0 && (section = elf_nextscn(t->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB_SHNDX && header.sh_link == found)
			t->indices = elf_getdata(section, NULL);
	return found != 0;
}

static bool is_code_symbol(const struct elf_table *t, const GElf_Sym *sym, GElf_Word extended, GElf_Shdr *header)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	size_t section = sym->st_shndx == SHN_XINDEX ? extended : sym->st_shndx;
	Elf_Scn *scn;

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	if (section == SHN_UNDEF || (sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX))
		return false;
	scn = elf_getscn(t->elf, section);
	return scn && gelf_getshdr(scn, header) && (header->sh_flags & SHF_EXECINSTR);
}

/* $a, $d, $t, $x mark code and data in ARM and RISC-V objects; .L are local labels. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' || strncmp(name, ".L", 2) == 0;
}

static uint8_t bind_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	default:
		return SYMBOL_GLOBAL;
	}
}

/* 1: added, 0: not a piece of code, -ENOMEM. */
static int add_symbol(struct symbols *s, const struct elf_table *t, int i)
{
	struct symbol symbol = {0};
	GElf_Word extended = 0;
	GElf_Shdr section;
	const char *name;
	GElf_Sym sym;
	int rc;

	if (!gelf_getsymshndx(t->symbols, t->indices, i, &sym, &extended) ||
	    !is_code_symbol(t, &sym, extended, &section))
		return 0;
	name = elf_strptr(t->elf, t->names, sym.st_name);
	if (!name || *name == '\0' || is_mapping_symbol(name))
		return 0;
	symbol.start = sym.st_value;
	if (t->machine == EM_ARM)
		symbol.start &= ~(uint64_t)1; /* bit 0 marks Thumb code */
	symbol.size = sym.st_size;
	if (section.sh_size <= UINT64_MAX - section.sh_addr)
		symbol.limit = section.sh_addr + section.sh_size;
	symbol.bind = bind_of(&sym);
	symbol.label = GELF_ST_TYPE(sym.st_info) == STT_NOTYPE;
	if (symbol.size == 0 && symbol.limit != 0 && symbol.start >= symbol.limit)
		return 0; /* a mark at the section's end, as _etext */
	rc = symbols_add(s, symbol, name, strnlen(name, NAME_MAX_BYTES));
	return rc == 0 ? 1 : rc;
}

/* 1: there were functions, 0: none, or -ENOMEM. */
static int add_table(struct symbols *s, const struct elf_file *f, GElf_Word type)
{
	struct elf_table t = {.elf = f->elf, .machine = f->header.e_machine};
	size_t added = 0;

	if (!find_symbol_table(&t, type))
		return 0;
	for (size_t i = 1; i < t.n && i <= INT32_MAX; i++) {
		int rc = add_symbol(s, &t, (int)i);

		if (rc < 0)
			return rc;
		added += (size_t)rc;
	}
	return added > 0;
}

static int add_own(struct symbols *s, const struct elf_file *f)
{
	struct elf_file *mini = debug_file_mini(f);
	int rc = add_table(s, f, SHT_DYNSYM), more = 0;

	if (rc >= 0 && mini)
		more = add_table(s, mini, SHT_SYMTAB);
	elf_file_close(mini);
	return rc < 0 || more < 0 ? -ENOMEM : rc || more;
}

int symbols_add_elf(struct symbols *s, const struct elf_file *f, const struct debug_search *where)
{
	struct elf_file *separate;
	int rc;

	if (elf_file_has_table(f, SHT_SYMTAB))
		return add_table(s, f, SHT_SYMTAB);
	separate = debug_file_find(f, where);
	rc = separate ? add_table(s, separate, SHT_SYMTAB) : 0;
	elf_file_close(separate);
	if (rc == 0)
		rc = add_own(s, f);
	return rc == 0 ? symbols_add_kernel(s, f) : rc;
}
