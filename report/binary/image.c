/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.c - the file is read through libelf, which checks the file's own tables; what they say of sizes and places is
 * checked here against the bytes that are there.
 */
#include "report/binary/image.h"

#include "common/array.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_HYPERCALL_PAGE 2 /* xen/include/public/elfnote.h */
#define DECOMPRESSED_MAX (1ull << 30)

/* File contents at [start, start + size) of the guest's memory. */
struct piece {
	uint64_t start, size;
	const uint8_t *data;
	bool code;
};

struct image {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
	uint64_t bias;
	struct piece *pieces; /* by start */
	size_t npieces, cap;
	const struct piece *last;
	const uint8_t *file;
	size_t file_size;
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

	while (rc == 0 && (section = elf_nextscn(i->elf, section)) != NULL) {
		if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC) || h.sh_type == SHT_NOBITS ||
		    (h.sh_flags & SHF_COMPRESSED) || h.sh_offset > i->file_size ||
		    h.sh_size > i->file_size - h.sh_offset)
			continue;
		rc = add_piece(
			i, &(struct piece){h.sh_addr, h.sh_size, i->file + h.sh_offset, h.sh_flags & SHF_EXECINSTR});
	}
	return rc;
}

/* For files without sections. */
static int add_segments(struct image *i)
{
	size_t n;
	int rc = elf_getphdrnum(i->elf, &n) == 0 ? 0 : -EINVAL;
	GElf_Phdr h;

	for (size_t k = 0; rc == 0 && k < n && k < INT32_MAX; k++) {
		if (!gelf_getphdr(i->elf, (int)k, &h) || h.p_type != PT_LOAD || h.p_offset > i->file_size ||
		    h.p_filesz > i->file_size - h.p_offset)
			continue;
		rc = add_piece(i, &(struct piece){h.p_vaddr, h.p_filesz, i->file + h.p_offset, h.p_flags & PF_X});
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Of pieces that overlap, the first keeps what both claim. */
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
	char *file = elf_rawfile(i->elf, &i->file_size);
	int rc;

	if (!file)
		return -EIO;
	i->file = (const uint8_t *)file;
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
	int rc;

	if (!i) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return NULL;
	}
	i->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (i->fd < 0) {
		snprintf(why, size, "%s", strerror(errno));
		image_close(i);
		return NULL;
	}
	if (elf_version(EV_CURRENT) != EV_NONE)
		i->elf = elf_begin(i->fd, ELF_C_READ_MMAP, NULL);
	if (!i->elf || elf_kind(i->elf) != ELF_K_ELF || !gelf_getehdr(i->elf, &i->header)) {
		snprintf(why, size, "a damaged ELF file: %s", elf_errmsg(-1));
		image_close(i);
		return NULL;
	}
	rc = load(i);
	if (rc == 0)
		return i;
	snprintf(why, size, "%s", rc == -EIO ? elf_errmsg(-1) : strerror(-rc));
	image_close(i);
	return NULL;
}

bool image_is_elf(const char *path)
{
	char magic[SELFMAG];
	struct stat st;
	int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC)
	                                                     : -1; /* a pipe would be used up */
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	          memcmp(magic, ELFMAG, SELFMAG) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

void image_close(struct image *i)
{
	if (!i)
		return;
	if (i->elf)
		elf_end(i->elf);
	if (i->fd >= 0)
		close(i->fd);
	free(i->pieces);
	free(i);
}

void image_move(struct image *i, uint64_t bias)
{
	i->bias = bias;
	for (size_t k = 0; k < i->npieces; k++)
		i->pieces[k].start += bias;
	if (i->npieces) /* some may have gone over the end of the address space, to its beginning */
		qsort(i->pieces, i->npieces, sizeof(*i->pieces), compare);
}

uint64_t image_bias(const struct image *i)
{
	return i->bias;
}

uint16_t image_machine(const struct image *i)
{
	return i->header.e_machine;
}

bool image_is_linked(const struct image *i)
{
	return i->header.e_type != ET_REL;
}

uint64_t image_entry(const struct image *i)
{
	return i->header.e_entry + i->bias;
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

static bool section_contents(struct image *i, Elf_Scn *section, GElf_Shdr *h, struct image_section *s)
{
	GElf_Chdr compressed;
	Elf_Data *data;

	if (h->sh_type == SHT_NOBITS)
		return false;
	if (h->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section, &compressed) || compressed.ch_size > DECOMPRESSED_MAX ||
		    elf_compress(section, 0, 0) < 0)
			return false;
		data = elf_getdata(section, NULL);
	} else {
		if (h->sh_offset > i->file_size || h->sh_size > i->file_size - h->sh_offset)
			return false;
		data = elf_rawdata(section, NULL);
	}
	if (!data || !data->d_buf || data->d_size == 0)
		return false;
	*s = (struct image_section){.address = h->sh_flags & SHF_ALLOC ? h->sh_addr + i->bias : 0,
	                            .data = data->d_buf,
	                            .size = data->d_size};
	return true;
}

bool image_section(struct image *i, const char *name, struct image_section *s)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(i->elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(i->elf, section)) != NULL) {
		const char *text = gelf_getshdr(section, &h) ? elf_strptr(i->elf, names, h.sh_name) : NULL;

		if (text && strcmp(text, name) == 0 && section_contents(i, section, &h, s))
			return true;
	}
	return false;
}

bool image_has_tables(const char *path)
{
	static const char *const names[] = {".eh_frame", ".debug_frame", ".orc_unwind"};
	char why[256];
	struct image *i = image_is_elf(path) ? image_open(path, why, sizeof(why)) : NULL;
	struct image_section s;
	bool has = false;

	for (size_t k = i && !image_is_linked(i) ? 2 : 0; i && k < sizeof(names) / sizeof(names[0]); k++)
		has |= image_section(i, names[k], &s);
	image_close(i);
	return has;
}

/* --- notes ------------------------------------------------------------------------------------------------------- */

static bool find_note(Elf_Data *data, uint64_t *address)
{
	size_t offset = 0, name, desc;
	GElf_Nhdr note;

	while (data && (offset = gelf_getnote(data, offset, &note, &name, &desc)) > 0) {
		const char *at = data->d_buf;
		uint64_t value = 0;

		if (note.n_type != NOTE_HYPERCALL_PAGE || note.n_namesz != 4 || memcmp(at + name, "Xen", 4) != 0 ||
		    (note.n_descsz != 4 && note.n_descsz != 8))
			continue;
		memcpy(&value, at + desc, note.n_descsz);
		*address = value;
		return true;
	}
	return false;
}

static bool find_hypercall_page(const struct image *i, uint64_t *address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t n = 0;

	while ((section = elf_nextscn(i->elf, section)) != NULL)
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE &&
		    find_note(elf_getdata(section, NULL), address))
			return true;
	if (elf_getphdrnum(i->elf, &n) != 0)
		return false;
	for (size_t k = 0; k < n && k < INT32_MAX; k++)
		if (gelf_getphdr(i->elf, (int)k, &ph) && ph.p_type == PT_NOTE &&
		    find_note(elf_getdata_rawchunk(i->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_NHDR), address))
			return true;
	return false;
}

bool image_hypercall_page(const struct image *i, uint64_t *address)
{
	if (!find_hypercall_page(i, address))
		return false;
	*address += i->bias;
	return true;
}
