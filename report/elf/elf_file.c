/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/elf_file.h"
#include "common/regular_file.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION_MAX (1ull << 30)  /* bytes that one section may decompress to */
#define SECTIONS_MAX (2ull << 30) /* and all of a file's, where libdw decompresses them */
#define NEAR_CODE (1ull << 30)    /* how far below code its image begins at most */

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int explain_elf(int rc, char *why, size_t size)
{
	snprintf(why, size, "%s", rc == -ESPIPE ? "not a regular file" : strerror(-rc));
	return rc;
}

bool elf_file_is(const char *path)
{
	char magic[SELFMAG];
	int fd = regular_file_open(path);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	          memcmp(magic, ELFMAG, SELFMAG) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static bool is_sound(struct elf_file *f)
{
	f->bytes = f->elf ? (const uint8_t *)elf_rawfile(f->elf, &f->size) : NULL;
	return f->bytes && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &f->header);
}

/* libelf calls a file of an unknown format ELF_K_NONE, and sets no error then. */
static void explain_damage(const struct elf_file *f, char *why, size_t size)
{
	int error = elf_errno();

	if (error)
		snprintf(why, size, "a damaged ELF file: %s", elf_errmsg(error));
	else if (f->bytes && f->size >= SELFMAG && memcmp(f->bytes, ELFMAG, SELFMAG) == 0)
		snprintf(why, size, "a damaged ELF file");
	else
		snprintf(why, size, "not an ELF file");
}

struct elf_file *elf_file_of_fd(int fd, const char *path, char *why, size_t size)
{
	struct elf_file *f = calloc(1, sizeof(*f));

	if (f) {
		f->fd = fd;
		f->path = strdup(path);
	} else {
		close(fd);
	}
	if (!f || !f->path) {
		explain_elf(-ENOMEM, why, size);
		elf_file_close(f);
		return NULL;
	}
	elf_errno(); /* an earlier file's error is not this one's */
	if (elf_version(EV_CURRENT) != EV_NONE)
		f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (is_sound(f))
		return f;
	explain_damage(f, why, size);
	elf_file_close(f);
	return NULL;
}

struct elf_file *elf_file_open(const char *path, char *why, size_t size)
{
	int fd = regular_file_open(path);

	if (fd >= 0)
		return elf_file_of_fd(fd, path, why, size);
	explain_elf(fd, why, size);
	return NULL;
}

struct elf_file *elf_file_of_memory(uint8_t *bytes, size_t n)
{
	struct elf_file *f = calloc(1, sizeof(*f));

	if (!f) {
		free(bytes);
		return NULL;
	}
	f->fd = -1;
	f->memory = bytes;
	if (elf_version(EV_CURRENT) != EV_NONE)
		f->elf = elf_memory((char *)bytes, n);
	if (is_sound(f))
		return f;
	elf_file_close(f);
	return NULL;
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->memory);
	free(f->path);
	free(f);
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

/* The next section called @name behind @section, which may be NULL. */
static Elf_Scn *next_section(const struct elf_file *f, Elf_Scn *section, const char *name, GElf_Shdr *h)
{
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(f->elf, section)) != NULL) {
		const char *text = gelf_getshdr(section, h) ? elf_strptr(f->elf, names, h->sh_name) : NULL;

		if (text && strcmp(text, name) == 0)
			return section;
	}
	return NULL;
}

Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *h)
{
	return next_section(f, NULL, name, h);
}

static bool is_in_file(const struct elf_file *f, const GElf_Shdr *h)
{
	return h->sh_type != SHT_NOBITS && h->sh_offset <= f->size && h->sh_size <= f->size - h->sh_offset;
}

static bool decompress_section(Elf_Scn *section)
{
	GElf_Chdr h;

	return gelf_getchdr(section, &h) && h.ch_size <= SECTION_MAX && elf_compress(section, 0, 0) >= 0;
}

/* What libelf hands out lies in the file whole, or in memory that it decompressed to: now, or when asked before. */
static bool contents(Elf_Scn *section, struct elf_contents *s)
{
	Elf_Data *data;

	if (s->header.sh_type == SHT_NOBITS)
		return false;
	if ((s->header.sh_flags & SHF_COMPRESSED) && !decompress_section(section))
		return false;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size == 0)
		return false;
	s->data = data->d_buf;
	s->size = data->d_size;
	return true;
}

bool elf_file_contents(const struct elf_file *f, const char *name, struct elf_contents *s)
{
	Elf_Scn *section = NULL;

	while ((section = next_section(f, section, name, &s->header)) != NULL)
		if (contents(section, s))
			return true;
	return false;
}

static bool has_contents(const GElf_Shdr *h)
{
	return h->sh_type != SHT_NOBITS && !(h->sh_flags & SHF_GROUP);
}

bool elf_file_debug_contents(const struct elf_file *f, const char *name, struct elf_contents *s)
{
	Elf_Scn *section, *only = NULL;
	unsigned n = 0;

	for (int compressed = 0; compressed < 2; compressed++) {
		char whole[32];

		snprintf(whole, sizeof(whole), compressed ? ".z%s" : ".%s", name);
		section = NULL;
		while ((section = next_section(f, section, whole, &s->header)) != NULL) {
			if (!has_contents(&s->header))
				continue;
			n++;
			only = section;
		}
	}
	return n == 1 && gelf_getshdr(only, &s->header) && contents(only, s);
}

/* What the section decompresses to; .zdebug's own header has "ZLIB" and the size. */
static uint64_t expanded_size(const struct elf_file *f, Elf_Scn *section, const GElf_Shdr *h)
{
	uint64_t size = 0;
	GElf_Chdr compressed;

	if (h->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : UINT64_MAX;
	if (!is_in_file(f, h) || h->sh_size < 12 || memcmp(f->bytes + h->sh_offset, "ZLIB", 4) != 0)
		return 0;
	for (int i = 4; i < 12; i++)
		size = size << 8 | f->bytes[h->sh_offset + (uint64_t)i];
	return size;
}

bool elf_file_is_expandable(const struct elf_file *f)
{
	uint64_t left = SECTIONS_MAX;
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(f->elf, section)) != NULL) {
		uint64_t size = gelf_getshdr(section, &h) ? expanded_size(f, section, &h) : 0;

		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

bool elf_file_has_table(const struct elf_file *f, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(f->elf, section)) != NULL)
		if (gelf_getshdr(section, &h) && h.sh_type == type && h.sh_entsize && h.sh_size > h.sh_entsize)
			return true;
	return false;
}

/* --- notes ------------------------------------------------------------------------------------------------------- */

static const uint8_t *find_note(Elf_Data *data, const char *owner, GElf_Word type, size_t *size)
{
	size_t offset = 0, name, contents_at;
	GElf_Nhdr note;

	while (data && (offset = gelf_getnote(data, offset, &note, &name, &contents_at)) > 0) {
		const uint8_t *at = data->d_buf;

		if (note.n_type != type || note.n_namesz != strlen(owner) + 1 ||
		    memcmp(at + name, owner, note.n_namesz) != 0)
			continue;
		*size = note.n_descsz;
		return at + contents_at;
	}
	return NULL;
}

const uint8_t *elf_file_note(const struct elf_file *f, const char *owner, GElf_Word type, size_t *size)
{
	const uint8_t *found = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;

	while (!found && (section = elf_nextscn(f->elf, section)) != NULL)
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE)
			found = find_note(elf_getdata(section, NULL), owner, type, size);
	for (size_t i = 0; !found && elf_file_segment(f, PT_NOTE, &i, &ph);)
		found = find_note(elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_NHDR), owner,
		                  type, size);
	return found;
}

void elf_file_build_id(const struct elf_file *f, char id[BUILD_ID_TEXT])
{
	size_t n = 0;
	const uint8_t *found = elf_file_note(f, "GNU", NT_GNU_BUILD_ID, &n);

	put_hex(id, found, found && n <= BUILD_ID_MAX ? n : 0);
}

/* --- segments ---------------------------------------------------------------------------------------------------- */

bool elf_file_segment(const struct elf_file *f, GElf_Word type, size_t *i, GElf_Phdr *h)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return false;
	while (*i < n && *i < INT32_MAX)
		if (gelf_getphdr(f->elf, (int)(*i)++, h) && h->p_type == type)
			return true;
	return false;
}

/* The lowest segment with all of @flags that begins at @from or above. */
static bool lowest_segment(const struct elf_file *f, GElf_Word flags, uint64_t from, uint64_t *address)
{
	bool found = false;
	GElf_Phdr h;

	for (size_t i = 0; elf_file_segment(f, PT_LOAD, &i, &h);) {
		if ((h.p_flags & flags) != flags || h.p_vaddr < from || (found && h.p_vaddr >= *address))
			continue;
		*address = h.p_vaddr;
		found = true;
	}
	return found;
}

bool elf_file_lowest(const struct elf_file *f, uint64_t *address)
{
	uint64_t code;

	if (!lowest_segment(f, PF_X, 0, &code))
		return lowest_segment(f, 0, 0, address);
	return lowest_segment(f, 0, code > NEAR_CODE ? code - NEAR_CODE : 0, address);
}

uint64_t elf_file_highest(const struct elf_file *f)
{
	uint64_t end = 0;
	GElf_Phdr h;

	for (size_t i = 0; elf_file_segment(f, PT_LOAD, &i, &h);)
		if (h.p_vaddr + h.p_memsz > end)
			end = h.p_vaddr + h.p_memsz;
	return end;
}
