/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/binary/elf_file.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>

#define MINI_MAX (256u << 20)    /* bytes of a decompressed .gnu_debugdata, ... */
#define MINI_MEMORY (128u << 20) /* ... and for decompressing it */
#define NEAR_CODE (1ull << 30)   /* how far below code its image begins at most */

static struct binary *new_binary(int fd, const char *path)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->fd = fd;
	b->path = path ? strdup(path) : NULL;
	if (!path || b->path)
		return b;
	free(b);
	return NULL;
}

struct binary *binary_of_fd(int fd, const char *path, char *why, size_t size)
{
	struct binary *b = new_binary(fd, path);

	if (!b) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		close(fd);
		return NULL;
	}
	if (elf_version(EV_CURRENT) != EV_NONE)
		b->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (b->elf && elf_kind(b->elf) == ELF_K_ELF)
		return b;
	snprintf(why, size, "a damaged ELF file: %s", elf_errmsg(-1));
	binary_close(b);
	return NULL;
}

struct binary *binary_open(const char *path, char *why, size_t size)
{
	int fd = regular_file_open(path);

	if (fd >= 0)
		return binary_of_fd(fd, path, why, size);
	snprintf(why, size, "%s", strerror(-fd));
	return NULL;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	elf_end(b->elf);
	if (b->fd >= 0)
		close(b->fd);
	free(b->memory);
	free(b->path);
	free(b);
}

/* --- what is in it ----------------------------------------------------------------------------------------------- */

Elf_Scn *binary_section(const struct binary *b, const char *name, GElf_Shdr *h)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(b->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(b->elf, section)) != NULL) {
		const char *text = gelf_getshdr(section, h) ? elf_strptr(b->elf, names, h->sh_name) : NULL;

		if (text && strcmp(text, name) == 0)
			return section;
	}
	return NULL;
}

bool binary_has_table(const struct binary *b, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(b->elf, section)) != NULL)
		if (gelf_getshdr(section, &h) && h.sh_type == type && h.sh_entsize && h.sh_size > h.sh_entsize)
			return true;
	return false;
}

static size_t id_in_notes(Elf_Data *data, uint8_t id[BUILD_ID_MAX])
{
	size_t offset = 0, name, desc;
	GElf_Nhdr note;

	while (data && (offset = gelf_getnote(data, offset, &note, &name, &desc)) > 0) {
		const char *at = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(at + name, "GNU", 4) != 0 ||
		    note.n_descsz == 0 || note.n_descsz > BUILD_ID_MAX)
			continue;
		memcpy(id, at + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

size_t binary_build_id(const struct binary *b, uint8_t id[BUILD_ID_MAX])
{
	Elf_Scn *section = NULL;
	size_t n = 0, found = 0;
	GElf_Shdr sh;
	GElf_Phdr ph;

	while (!found && (section = elf_nextscn(b->elf, section)) != NULL)
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE)
			found = id_in_notes(elf_getdata(section, NULL), id);
	if (elf_getphdrnum(b->elf, &n) != 0)
		return found;
	for (size_t i = 0; !found && i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(b->elf, (int)i, &ph) && ph.p_type == PT_NOTE)
			found = id_in_notes(
				elf_getdata_rawchunk(b->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_NHDR), id);
	return found;
}

/* The lowest segment with all of @flags that begins at @from or above. */
static bool lowest_segment(const struct binary *b, GElf_Word flags, uint64_t from, uint64_t *address)
{
	bool found = false;
	GElf_Phdr h;
	size_t n;

	if (elf_getphdrnum(b->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(b->elf, (int)i, &h) || h.p_type != PT_LOAD || (h.p_flags & flags) != flags ||
		    h.p_vaddr < from || (found && h.p_vaddr >= *address))
			continue;
		*address = h.p_vaddr;
		found = true;
	}
	return found;
}

bool binary_lowest(const struct binary *b, uint64_t *address)
{
	uint64_t code;

	if (!lowest_segment(b, PF_X, 0, &code))
		return lowest_segment(b, 0, 0, address);
	return lowest_segment(b, 0, code > NEAR_CODE ? code - NEAR_CODE : 0, address);
}

/* --- separate debug files ---------------------------------------------------------------------------------------- */

static bool same_id(const struct binary *a, const uint8_t *id, size_t len)
{
	uint8_t other[BUILD_ID_MAX];

	return binary_build_id(a, other) == len && memcmp(other, id, len) == 0;
}

/* .gnu_debuglink's CRC-32 is the one of IEEE 802.3, as xz has it, over the whole file. */
static bool same_crc(const struct binary *b, uint32_t crc)
{
	size_t size;
	const char *data = elf_rawfile(b->elf, &size);

	return data && lzma_crc32((const uint8_t *)data, size, 0) == crc;
}

/* @root, @directory, @name in one; NULL: it cannot be opened. */
static struct binary *try_open(const char *root, const char *directory, const char *name)
{
	struct binary *b = NULL;
	char *path, why[64];

	if (asprintf(&path, "%s%s/%s", root, directory, name) < 0)
		return NULL;
	b = binary_open(path, why, sizeof(why));
	free(path);
	return b;
}

#define DEBUG_NAME_MAX (2 * BUILD_ID_MAX + 16)

/* The name of a debug file in a .build-id directory: "xx/yyyy.debug". */
static void debug_name(char name[DEBUG_NAME_MAX], const uint8_t *id, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len && i < BUILD_ID_MAX; i++)
		at += (size_t)snprintf(name + at, DEBUG_NAME_MAX - at, i == 1 ? "/%02x" : "%02x", id[i]);
	snprintf(name + at, DEBUG_NAME_MAX - at, ".debug");
}

static struct binary *by_build_id(const struct binary *b, const char *root, bool symfs)
{
	static const char *const directories[] = {"/usr/lib/debug/.build-id", "/.build-id"};
	char name[DEBUG_NAME_MAX];
	uint8_t id[BUILD_ID_MAX];
	size_t len = binary_build_id(b, id);
	struct binary *found = NULL;

	if (len < 2)
		return NULL;
	debug_name(name, id, len);
	for (int i = 0; !found && i < (symfs ? 2 : 1); i++) {
		found = try_open(root, directories[i], name);
		if (found && !same_id(found, id, len)) {
			binary_close(found);
			found = NULL;
		}
	}
	return found;
}

/* The file's name and, behind it at a multiple of four, its CRC. */
static bool debug_link(const struct binary *b, const char **name, uint32_t *crc)
{
	GElf_Shdr h;
	Elf_Scn *section = binary_section(b, ".gnu_debuglink", &h);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0, at = (len + 4) / 4 * 4;
	const uint8_t *bytes;
	bool big = b->elf && elf_getident(b->elf, NULL)[EI_DATA] == ELFDATA2MSB;

	if (len == 0 || at + 4 > data->d_size || memchr(data->d_buf, '/', len))
		return false;
	bytes = (const uint8_t *)data->d_buf + at;
	*name = data->d_buf;
	*crc = 0;
	for (int i = 0; i < 4; i++)
		*crc |= (uint32_t)bytes[big ? 3 - i : i] << 8 * i;
	return true;
}

static struct binary *by_link_in(const struct binary *b, const char *root, const char *directory, const char *name,
                                 uint32_t crc)
{
	struct binary *found = try_open(root, directory, name);
	uint8_t id[BUILD_ID_MAX];
	size_t len = binary_build_id(b, id);

	if (found && same_crc(found, crc) && (len == 0 || same_id(found, id, len)))
		return found;
	binary_close(found);
	return NULL;
}

static struct binary *by_link(const struct binary *b, const char *root)
{
	char *directory = b->path ? realpath(b->path, NULL) : NULL, *end = directory ? strrchr(directory, '/') : NULL;
	struct binary *found = NULL;
	const char *name;
	char *debug = NULL;
	uint32_t crc;

	if (end && debug_link(b, &name, &crc)) {
		*end = '\0';
		found = by_link_in(b, root, directory, name, crc);
		if (!found && asprintf(&debug, "%s/.debug", directory) >= 0) {
			found = by_link_in(b, root, debug, name, crc);
			free(debug);
		}
		if (!found && asprintf(&debug, "/usr/lib/debug%s", directory) >= 0) {
			found = by_link_in(b, root, debug, name, crc);
			free(debug);
		}
		if (!found)
			found = by_link_in(b, root, "/usr/lib/debug", name, crc);
		if (!found && *root)
			found = by_link_in(b, root, "", name, crc);
	}
	free(directory);
	return found;
}

struct binary *binary_separate(const struct binary *b, const char *symfs)
{
	const char *const roots[] = {symfs, ""};
	struct binary *found = NULL;

	for (int i = symfs ? 0 : 1; !found && i < 2; i++) {
		found = by_build_id(b, roots[i], i == 0);
		if (!found)
			found = by_link(b, roots[i]);
	}
	return found;
}

/* The places are those of libdw's dwarf_getalt(): by build-id, then by name, from the directory of @b's file on. */
bool binary_common_refused(const struct binary *b, const char *name, const uint8_t *id, size_t len)
{
	char *file = b->path ? realpath(b->path, NULL) : NULL, *end = file ? strrchr(file, '/') : NULL;
	char by_id[DEBUG_NAME_MAX], *path = NULL;
	bool refused = false;

	debug_name(by_id, id, len);
	if (asprintf(&path, "/usr/lib/debug/.build-id/%s", by_id) >= 0) {
		refused = regular_file_refused(path);
		free(path);
	}
	if (end)
		*end = '\0';
	if (!refused &&
	    asprintf(&path, "%s%s%s", *name == '/' || !end ? "" : file, *name == '/' ? "" : "/", name) >= 0) {
		refused = regular_file_refused(path);
		free(path);
	}
	free(file);
	return refused;
}

/* --- .gnu_debugdata ---------------------------------------------------------------------------------------------- */

/* A whole xz file; *out is malloc()ed, *size its bytes. */
static bool decompress(const uint8_t *in, size_t n, uint8_t **out, size_t *size)
{
	uint64_t limit = MINI_MEMORY;
	size_t room = n * 4 + (64u << 10), at;
	lzma_ret rc;

	do {
		size_t in_at = 0;

		room = room < MINI_MAX / 4 ? room * 4 : MINI_MAX;
		*out = malloc(room);
		if (!*out)
			return false;
		at = 0;
		rc = lzma_stream_buffer_decode(&limit, 0, NULL, in, &in_at, n, *out, &at, room);
		if (rc != LZMA_OK)
			free(*out);
	} while (rc == LZMA_BUF_ERROR && room < MINI_MAX);
	*size = at;
	return rc == LZMA_OK;
}

struct binary *binary_mini(const struct binary *b)
{
	GElf_Shdr h;
	Elf_Scn *section = binary_section(b, ".gnu_debugdata", &h);
	Elf_Data *data = section && h.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
	struct binary *mini = NULL;
	uint8_t *memory;
	size_t size;

	if (!data || !data->d_buf || !decompress(data->d_buf, data->d_size, &memory, &size))
		return NULL;
	mini = new_binary(-1, NULL);
	if (!mini) {
		free(memory);
		return NULL;
	}
	mini->memory = memory;
	mini->elf = elf_memory((char *)memory, size);
	if (mini->elf && elf_kind(mini->elf) == ELF_K_ELF)
		return mini;
	binary_close(mini);
	return NULL;
}
