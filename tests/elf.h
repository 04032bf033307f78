/* SPDX-License-Identifier: BSD-2-Clause */
/* elf.h - small ELF files for tests: a few sections at given addresses, and functions that share the code evenly. */
#ifndef TESTS_ELF_H
#define TESTS_ELF_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ELF_SECTIONS 5 /* of the caller's, at most */
#define ELF_SYMBOLS 3  /* "first", "second", "third", a third of the first section each */

struct elf_section {
	const char *name;
	uint64_t address; /* 0: not loaded */
	const void *data;
	size_t size;
	bool code;
};

/* The file's head, as it lies before the sections' data. */
struct elf_head {
	Elf64_Ehdr head;
	Elf64_Shdr section[ELF_SECTIONS + 4];
	Elf64_Sym symbols[1 + ELF_SYMBOLS];
	char strings[32];
	char names[160];
};

static inline uint32_t elf_add_name(struct elf_head *f, size_t *used, const char *name)
{
	uint32_t at = (uint32_t)*used;

	if (*used + strlen(name) + 1 > sizeof(f->names))
		abort();
	memcpy(f->names + at, name, strlen(name) + 1);
	*used += strlen(name) + 1;
	return at;
}

/*
 * An open file with the @n sections, the first of which has the functions; its path in @path, for as long as it is
 * open.
 */
static inline int elf_make(const struct elf_section *sections, size_t n, uint64_t entry, char *path, size_t size)
{
	static const char strings[] = "\0first\0second\0third";
	static const uint8_t string_at[] = {0, 1, 7, 14};
	struct elf_head f = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	                              .e_type = ET_EXEC,
	                              .e_machine = EM_X86_64,
	                              .e_version = EV_CURRENT,
	                              .e_entry = entry,
	                              .e_shoff = offsetof(struct elf_head, section),
	                              .e_ehsize = sizeof(Elf64_Ehdr),
	                              .e_shentsize = sizeof(Elf64_Shdr),
	                              .e_shnum = (uint16_t)(n + 4),
	                              .e_shstrndx = (uint16_t)(n + 3)}};
	size_t names = 1, offset = sizeof(f);
	int fd = memfd_create("elf", 0);

	for (size_t i = 0; i < n; i++) {
		f.section[1 + i] = (Elf64_Shdr){.sh_name = elf_add_name(&f, &names, sections[i].name),
		                                .sh_type = SHT_PROGBITS,
		                                .sh_flags = (sections[i].address ? SHF_ALLOC : 0) |
		                                            (sections[i].code ? SHF_EXECINSTR : 0),
		                                .sh_addr = sections[i].address,
		                                .sh_offset = offset,
		                                .sh_size = sections[i].size,
		                                .sh_addralign = 1};
		offset += sections[i].size;
	}
	f.section[n + 1] = (Elf64_Shdr){.sh_name = elf_add_name(&f, &names, ".symtab"),
	                                .sh_type = SHT_SYMTAB,
	                                .sh_link = (uint32_t)n + 2,
	                                .sh_offset = offsetof(struct elf_head, symbols),
	                                .sh_size = sizeof(f.symbols),
	                                .sh_entsize = sizeof(Elf64_Sym),
	                                .sh_addralign = 1};
	f.section[n + 2] = (Elf64_Shdr){.sh_name = elf_add_name(&f, &names, ".strtab"),
	                                .sh_type = SHT_STRTAB,
	                                .sh_offset = offsetof(struct elf_head, strings),
	                                .sh_size = sizeof(f.strings),
	                                .sh_addralign = 1};
	f.section[n + 3] = (Elf64_Shdr){.sh_name = elf_add_name(&f, &names, ".shstrtab"),
	                                .sh_type = SHT_STRTAB,
	                                .sh_offset = offsetof(struct elf_head, names),
	                                .sh_size = sizeof(f.names),
	                                .sh_addralign = 1};
	for (unsigned i = 1; i <= ELF_SYMBOLS; i++)
		f.symbols[i] =
			(Elf64_Sym){.st_name = string_at[i],
		                    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		                    .st_shndx = 1,
		                    .st_value = sections[0].address + (i - 1) * (sections[0].size / ELF_SYMBOLS),
		                    .st_size = sections[0].size / ELF_SYMBOLS};
	memcpy(f.strings, strings, sizeof(strings));
	if (fd < 0 || write(fd, &f, sizeof(f)) != (ssize_t)sizeof(f))
		abort();
	for (size_t i = 0; i < n; i++)
		if (write(fd, sections[i].data, sections[i].size) != (ssize_t)sections[i].size)
			abort();
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
