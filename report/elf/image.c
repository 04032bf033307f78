/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/image.h"

#include "common/array.h"
#include "format/bytes/wire.h"
#include "report/elf/elf_file.h"

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

/* From here on it is code of this instruction set; NULL: data. */
struct mark {
	uint64_t start;
	size_t order; /* of several at one address, the last one counts */
	const struct isa *isa;
};

struct image {
	struct elf_file *file;
	uint64_t bias;      /* added to the pieces already, not to the marks */
	struct mark *marks; /* by start */
	size_t nmarks, marks_cap;
	struct piece *pieces; /* by start */
	size_t npieces, cap;
};

static int add_piece(struct image *i, const struct piece *p)
{
	if (p->size == 0 || p->start + p->size < p->start)
		return 0;
	return array_add(i->pieces, i->cap, i->npieces, *p);
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
	GElf_Phdr h;
	int rc = 0;

	for (size_t k = 0; rc == 0 && elf_file_segment(i->file, PT_LOAD, &k, &h);)
		if (h.p_offset <= i->file->size && h.p_filesz <= i->file->size - h.p_offset)
			rc = add_piece(i, &(struct piece){h.p_vaddr, h.p_filesz, i->file->bytes + h.p_offset,
			                                  h.p_flags & PF_X});
	return rc;
}

static int compare_pieces(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	return array_compare(a->start, b->start);
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

/* --- instruction sets (ELF for the Arm Architecture, "Mapping symbols") ------------------------------------------ */

/* False: the symbol tells nothing. */
static bool mark_of(const struct image *i, const GElf_Sym *symbol, const char *name, bool by_functions, struct mark *m)
{
	const struct isa *isa = image_isa(i);

	m->start = symbol->st_value;
	if (by_functions) {
		m->isa = symbol->st_value & 1 ? &isa_t32 : isa;
		m->start &= ~(uint64_t)1;
		return GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
	}
	if (!name || name[0] != '$' || (name[1] != '\0' && name[2] != '\0' && name[2] != '.'))
		return false;
	m->isa = name[1] == 't' ? &isa_t32 : name[1] == 'd' ? NULL : isa;
	return name[1] == 'a' || name[1] == 't' || name[1] == 'd' || name[1] == 'x';
}

static int add_marks(struct image *i, Elf_Scn *section, const GElf_Shdr *h, bool by_functions)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (size_t k = 0; data && h->sh_entsize && k < data->d_size / h->sh_entsize && k < INT32_MAX; k++) {
		struct mark m = {.order = k};

		if (!gelf_getsym(data, (int)k, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    !mark_of(i, &symbol, elf_strptr(i->file->elf, h->sh_link, symbol.st_name), by_functions, &m))
			continue;
		if (array_add(i->marks, i->marks_cap, i->nmarks, m) != 0)
			return -ENOMEM;
	}
	return 0;
}

static int compare_marks(const void *va, const void *vb)
{
	const struct mark *a = va, *b = vb;

	return a->start != b->start ? array_compare(a->start, b->start) : array_compare(a->order, b->order);
}

static int find_marks(struct image *i, bool by_functions)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	int rc = 0;

	while (rc == 0 && (section = elf_nextscn(i->file->elf, section)) != NULL)
		if (gelf_getshdr(section, &h) &&
		    (h.sh_type == SHT_SYMTAB || (by_functions && h.sh_type == SHT_DYNSYM)))
			rc = add_marks(i, section, &h, by_functions);
	array_sort(i->marks, i->nmarks, sizeof(*i->marks), compare_marks);
	return rc;
}

static int load_marks(struct image *i)
{
	uint16_t machine = i->file->header.e_machine;
	int rc = machine == EM_ARM || machine == EM_AARCH64 ? find_marks(i, false) : 0;

	return rc == 0 && machine == EM_ARM && i->nmarks == 0 ? find_marks(i, true) : rc;
}

/* The last one that is not above @address; NULL: none. */
static const struct mark *code_mark_at(const struct image *i, uint64_t address)
{
	size_t low;

	address -= i->bias;
	ARRAY_SEARCH(low, i->nmarks, i->marks[low].start <= address);
	return low ? &i->marks[low - 1] : NULL;
}

const struct isa *image_isa_at(const struct image *i, uint64_t address)
{
	const struct mark *m = code_mark_at(i, address);

	if (m)
		return m->isa ? m->isa : image_isa(i);
	return i->file->header.e_machine == EM_ARM && (i->file->header.e_entry & 1) ? &isa_t32 : image_isa(i);
}

bool image_is_data(const struct image *i, uint64_t address)
{
	const struct mark *m = code_mark_at(i, address);

	return m && !m->isa;
}

static int load_pieces(struct image *i)
{
	int rc;

	if (!image_is_linked(i))
		return 0;
	rc = add_sections(i);
	if (rc == 0 && i->npieces == 0)
		rc = add_segments(i);
	array_sort(i->pieces, i->npieces, sizeof(*i->pieces), compare_pieces);
	cut_overlaps(i);
	return rc == 0 ? load_marks(i) : rc;
}

struct image *image_open(const char *path, char *why, size_t size)
{
	struct image *i = calloc(1, sizeof(*i));
	int rc = -ENOMEM;

	if (i) {
		i->file = elf_file_open(path, why, size);
		rc = i->file ? load_pieces(i) : 0;
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
	free(i->marks);
	free(i);
}

void image_move(struct image *i, uint64_t bias)
{
	i->bias = bias;
	for (size_t k = 0; k < i->npieces; k++)
		i->pieces[k].start += bias;
	/* Some may have wrapped around the end of the address space. */
	array_sort(i->pieces, i->npieces, sizeof(*i->pieces), compare_pieces);
}

uint64_t image_bias(const struct image *i)
{
	return i->bias;
}

const struct isa *image_isa(const struct image *i)
{
	return isa_of_machine(i->file->header.e_machine);
}

bool image_is_linked(const struct image *i)
{
	return i->file->header.e_type != ET_REL;
}

uint64_t image_entry(const struct image *i)
{
	return i->file->header.e_entry + i->bias;
}

static const struct piece *piece_at(const struct image *i, uint64_t address)
{
	size_t low;

	ARRAY_SEARCH(low, i->npieces, i->pieces[low].start + i->pieces[low].size <= address);
	return low < i->npieces && address >= i->pieces[low].start ? &i->pieces[low] : NULL;
}

const uint8_t *image_bytes(const struct image *i, uint64_t address, size_t *left)
{
	const struct piece *p = piece_at(i, address);

	*left = p ? p->size - (address - p->start) : 0;
	return p ? p->data + (address - p->start) : NULL;
}

const uint8_t *image_code(const struct image *i, uint64_t address, size_t *left)
{
	const struct piece *p = piece_at(i, address);

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
	static const char *const names[] = {".eh_frame", ".debug_frame", ".ARM.exidx", ".orc_unwind"};
	char why[256];
	struct image *i = elf_file_is(path) ? image_open(path, why, sizeof(why)) : NULL;
	struct image_section s;
	bool has = false;

	for (size_t k = i && !image_is_linked(i) ? 3 : 0; i && k < sizeof(names) / sizeof(names[0]); k++)
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
