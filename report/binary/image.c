/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/binary/image.h"

#include "common/array.h"
#include "format/bytes/wire.h"
#include "report/binary/elf_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_HYPERCALL_PAGE 2 /* xen/include/public/elfnote.h */

/* File contents at [start, start + size) of the guest's memory. */
struct piece {
	uint64_t start, size;
	const uint8_t *data;
	bool code;
};

struct image {
	struct elf_file *file;
	uint64_t bias;
	struct piece *pieces; /* by start */
	size_t npieces, cap;
};

static int add_piece(struct image *i, const struct piece *p)
{
	if (p->size == 0 || p->start + p->size < p->start)
		return 0;
	if (array_room(&i->pieces, &i->cap, i->npieces, sizeof(*i->pieces)) != 0)
		return -ENOMEM;
	i->pieces[i->npieces++] = *p;
	return 0;
}

static int add_sections(struct image *i)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	int rc = 0;

	while (rc == 0 && (section = elf_nextscn(i->file->elf, section)) != NULL) {
		if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC) || h.sh_type == SHT_NOBITS ||
		    (h.sh_flags & SHF_COMPRESSED) || h.sh_offset > i->file->size ||
		    h.sh_size > i->file->size - h.sh_offset)
			continue;
		rc = add_piece(i, &(struct piece){h.sh_addr, h.sh_size, i->file->bytes + h.sh_offset,
		                                  h.sh_flags & SHF_EXECINSTR});
	}
	return rc;
}

/* For files without sections. */
static int add_segments(struct image *i)
{
	size_t n;
	int rc = elf_getphdrnum(i->file->elf, &n) == 0 ? 0 : -EINVAL;
	GElf_Phdr h;

	for (size_t k = 0; rc == 0 && k < n && k < INT32_MAX; k++) {
		if (!gelf_getphdr(i->file->elf, (int)k, &h) || h.p_type != PT_LOAD || h.p_offset > i->file->size ||
		    h.p_filesz > i->file->size - h.p_offset)
			continue;
		rc = add_piece(i,
		               &(struct piece){h.p_vaddr, h.p_filesz, i->file->bytes + h.p_offset, h.p_flags & PF_X});
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Where pieces overlap, the first one counts. */
static void cut_overlaps(struct image *i)
{
	uint64_t end = 0;

	for (size_t k = 0; k < i->npieces; k++) {
		struct piece *p = &i->pieces[k];
		uint64_t cut = k && p->start < end ? end - p->start : 0;

		if (cut > p->size)
			cut = p->size;
		p->start += cut;
		p->size -= cut;
		p->data += cut;
		end = p->start + p->size > end ? p->start + p->size : end;
	}
}

static int load(struct image *i)
{
	int rc;

	if (!image_is_linked(i))
		return 0;
	rc = add_sections(i);
	if (rc == 0 && i->npieces == 0)
		rc = add_segments(i);
	if (i->npieces)
		qsort(i->pieces, i->npieces, sizeof(*i->pieces), compare);
	cut_overlaps(i);
	return rc;
}

struct image *image_open(const char *path, char *why, size_t size)
{
	struct image *i = calloc(1, sizeof(*i));
	int rc = -ENOMEM;

	if (i) {
		i->file = elf_file_open(path, why, size);
		rc = i->file ? load(i) : 0;
	}
	if (rc == 0 && i->file)
		return i;
	if (rc != 0)
		snprintf(why, size, "%s", strerror(-rc));
	image_close(i);
	return NULL;
}

void image_close(struct image *i)
{
	if (!i)
		return;
	elf_file_close(i->file);
	free(i->pieces);
	free(i);
}

void image_move(struct image *i, uint64_t bias)
{
	i->bias = bias;
	for (size_t k = 0; k < i->npieces; k++)
		i->pieces[k].start += bias;
	if (i->npieces) /* some may have wrapped around the end of the address space */
		qsort(i->pieces, i->npieces, sizeof(*i->pieces), compare);
}

uint64_t image_bias(const struct image *i)
{
	return i->bias;
}

uint16_t image_machine(const struct image *i)
{
	return i->file->header.e_machine;
}

const struct isa *image_isa(const struct image *i)
{
	return isa_of_machine(i->file->header.e_machine);
}

bool image_is_linked(const struct image *i)
{
	return i->file->header.e_type != ET_REL;
}

/* Bit 0 of a function's address says that it is T32. */
static bool has_odd_function(Elf_Scn *section, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (size_t k = 0; data && h->sh_entsize && k < data->d_size / h->sh_entsize && k < INT32_MAX; k++)
		if (gelf_getsym(data, (int)k, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    symbol.st_shndx != SHN_UNDEF && (symbol.st_value & 1))
			return true;
	return false;
}

bool image_has_t32(const struct image *i)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	if (i->file->header.e_machine != EM_ARM)
		return false;
	while ((section = elf_nextscn(i->file->elf, section)) != NULL)
		if (gelf_getshdr(section, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM) &&
		    has_odd_function(section, &h))
			return true;
	return i->file->header.e_entry & 1;
}

struct Elf *image_elf(const struct image *i)
{
	return elf_file_is_expandable(i->file) ? i->file->elf : NULL;
}

uint64_t image_entry(const struct image *i)
{
	return i->file->header.e_entry + i->bias;
}

static const struct piece *find(const struct image *i, uint64_t address)
{
	size_t low = 0, high = i->npieces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (i->pieces[middle].start + i->pieces[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < i->npieces && address >= i->pieces[low].start ? &i->pieces[low] : NULL;
}

const uint8_t *image_bytes(const struct image *i, uint64_t address, size_t *left)
{
	const struct piece *p = find(i, address);

	*left = p ? p->size - (address - p->start) : 0;
	return p ? p->data + (address - p->start) : NULL;
}

const uint8_t *image_code(const struct image *i, uint64_t address, size_t *left)
{
	const struct piece *p = find(i, address);

	*left = p && p->code ? p->size - (address - p->start) : 0;
	return p && p->code ? p->data + (address - p->start) : NULL;
}

bool image_section(const struct image *i, const char *name, struct image_section *s)
{
	struct elf_contents found;

	if (!elf_file_contents(i->file, name, &found))
		return false;
	*s = (struct image_section){.address = found.header.sh_flags & SHF_ALLOC ? found.header.sh_addr + i->bias : 0,
	                            .data = found.data,
	                            .size = found.size};
	return true;
}

bool image_has_tables(const char *path)
{
	static const char *const names[] = {".eh_frame", ".debug_frame", ".orc_unwind"};
	char why[256];
	struct image *i = elf_file_is(path) ? image_open(path, why, sizeof(why)) : NULL;
	struct image_section s;
	bool has = false;

	for (size_t k = i && !image_is_linked(i) ? 2 : 0; i && k < sizeof(names) / sizeof(names[0]); k++)
		has |= image_section(i, names[k], &s);
	image_close(i);
	return has;
}

bool image_hypercall_page(const struct image *i, uint64_t *address)
{
	size_t size;
	const uint8_t *page = elf_file_note(i->file, "Xen", NOTE_HYPERCALL_PAGE, &size);

	if (!page || (size != 4 && size != 8))
		return false;
	*address = (size == 4 ? peek_u32(page) : peek_u64(page)) + i->bias;
	return true;
}
