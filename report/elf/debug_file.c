/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/debug_file.h"

#include "common/regular_file.h"
#include "report/elf/debuginfod.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#define MINI_MAX (256u << 20)    /* bytes of a decompressed .gnu_debugdata, ... */
#define MINI_MEMORY (128u << 20) /* ... and for decompressing it */

#define DEBUG_NAME_MAX (2 * BUILD_ID_MAX + 16)

/* --- separate debug files ---------------------------------------------------------------------------------------- */

static bool same_id(const struct elf_file *a, const uint8_t *id, size_t len)
{
	uint8_t other[BUILD_ID_MAX];

	return elf_file_build_id(a, other) == len && memcmp(other, id, len) == 0;
}

/* .gnu_debuglink's CRC-32 is the one of IEEE 802.3, as xz has it, over the whole file. */
static bool same_crc(const struct elf_file *f, uint32_t crc)
{
	return lzma_crc32(f->bytes, f->size, 0) == crc;
}

/* @root, @directory, @name in one; NULL: it cannot be opened. */
static struct elf_file *try_open(const char *root, const char *directory, const char *name)
{
	struct elf_file *f = NULL;
	char *path, why[64];

	if (asprintf(&path, "%s%s/%s", root, directory, name) < 0)
		return NULL;
	f = elf_file_open(path, why, sizeof(why));
	free(path);
	return f;
}

/* The name of a file in a .build-id directory: "xx/yyyy", @suffix. */
static void debug_name(char name[DEBUG_NAME_MAX], const uint8_t *id, size_t len, const char *suffix)
{
	size_t at = 0;

	for (size_t i = 0; i < len && i < BUILD_ID_MAX; i++)
		at += (size_t)snprintf(name + at, DEBUG_NAME_MAX - at, i == 1 ? "/%02x" : "%02x", id[i]);
	snprintf(name + at, DEBUG_NAME_MAX - at, "%s", suffix);
}

static struct elf_file *in_folders(const uint8_t *id, size_t len, const char *root, bool symfs, const char *suffix)
{
	static const char *const directories[] = {"/usr/lib/debug/.build-id", "/usr/lib/.build-id", "/.build-id"};
	char name[DEBUG_NAME_MAX];
	struct elf_file *found = NULL;

	if (len < 2)
		return NULL;
	debug_name(name, id, len, suffix);
	for (int i = 0; !found && i < (symfs ? 3 : 2); i++) {
		found = try_open(root, directories[i], name);
		if (found && !same_id(found, id, len)) {
			elf_file_close(found);
			found = NULL;
		}
	}
	return found;
}

static struct elf_file *by_build_id(const struct elf_file *f, const char *root, bool symfs)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len = elf_file_build_id(f, id);

	return in_folders(id, len, root, symfs, ".debug");
}

/* The name in .gnu_debuglink, which is no path; NULL: there is none. */
static const char *debug_link(const struct elf_file *f, GElf_Word *crc)
{
	const char *name = dwelf_elf_gnu_debuglink(f->elf, crc);

	return name && *name && !strchr(name, '/') ? name : NULL;
}

static struct elf_file *by_link_in(const struct elf_file *f, const char *root, const char *directory, const char *name,
                                   uint32_t crc)
{
	struct elf_file *found = try_open(root, directory, name);
	uint8_t id[BUILD_ID_MAX];
	size_t len = elf_file_build_id(f, id);

	if (found && same_crc(found, crc) && (len == 0 || same_id(found, id, len)))
		return found;
	elf_file_close(found);
	return NULL;
}

static struct elf_file *by_link(const struct elf_file *f, const char *root)
{
	static const struct {
		const char *before, *behind; /* the directory of @f; @behind NULL: without it */
	} places[] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}, {"/usr/lib/debug", NULL}};
	char *directory = f->path ? realpath(f->path, NULL) : NULL, *end = directory ? strrchr(directory, '/') : NULL;
	struct elf_file *found = NULL;
	GElf_Word crc;
	const char *name = end ? debug_link(f, &crc) : NULL;
	char *place;

	if (end)
		*end = '\0';
	for (size_t i = 0; name && !found && i < sizeof(places) / sizeof(places[0]); i++) {
		const char *behind = places[i].behind;

		if (asprintf(&place, "%s%s%s", places[i].before, behind ? directory : "", behind ? behind : "") < 0)
			break;
		found = by_link_in(f, root, place, name, crc);
		free(place);
	}
	if (name && !found && *root)
		found = by_link_in(f, root, "", name, crc);
	free(directory);
	return found;
}

static struct elf_file *by_server(const uint8_t *id, size_t len, enum debuginfod_kind kind, struct debuginfod *servers)
{
	int fd = len ? debuginfod_find(servers, kind, id, len) : -ENOENT;
	struct elf_file *found;
	char path[32], why[128];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* leads to its place in the cache */
	found = elf_file_of_fd(fd, path, why, sizeof(why));
	if (found && same_id(found, id, len))
		return found;
	debuginfod_refuse(servers, found ? "a server sent the file of another build" : why);
	elf_file_close(found);
	return NULL;
}

struct elf_file *debug_file_find(const struct elf_file *f, const struct debug_search *where)
{
	const char *const roots[] = {where ? where->symfs : NULL, ""};
	struct elf_file *found = NULL;
	uint8_t id[BUILD_ID_MAX];

	for (int i = roots[0] ? 0 : 1; !found && i < 2; i++) {
		found = by_build_id(f, roots[i], i == 0);
		if (!found)
			found = by_link(f, roots[i]);
	}
	return found || !where || !where->debuginfod
	               ? found
	               : by_server(id, elf_file_build_id(f, id), DEBUGINFOD_DEBUG_FILE, where->debuginfod);
}

static size_t parse_id(const char *text, uint8_t id[BUILD_ID_MAX])
{
	size_t n = strlen(text), len = 0;

	if (n % 2 || n / 2 > BUILD_ID_MAX || strspn(text, "0123456789abcdef") != n)
		return 0;
	while (2 * len < n && sscanf(text + 2 * len, "%2hhx", &id[len]) == 1)
		len++;
	return len;
}

char *debug_file_of_build(const char *build_id, const struct debug_search *where)
{
	static const char *const suffixes[] = {"", ".debug"};
	const char *const roots[] = {where->symfs, ""};
	struct elf_file *found = NULL;
	uint8_t id[BUILD_ID_MAX];
	size_t len = parse_id(build_id, id);
	char *path;

	for (int k = 0; k < 2; k++)
		for (int i = roots[0] ? 0 : 1; !found && i < 2; i++)
			found = in_folders(id, len, roots[i], i == 0, suffixes[k]);
	for (int k = 0; where->debuginfod && !found && k < 2; k++)
		found = by_server(id, len, k ? DEBUGINFOD_DEBUG_FILE : DEBUGINFOD_EXECUTABLE, where->debuginfod);
	path = found ? realpath(found->path, NULL) : NULL;
	elf_file_close(found);
	return path;
}

/* The places are those of libdw's dwarf_getalt(): by build-id, then by name, from the directory of @f on. */
bool debug_file_common_refused(const struct elf_file *f, const char *name, const uint8_t *id, size_t len)
{
	char *file = f->path ? realpath(f->path, NULL) : NULL, *end = file ? strrchr(file, '/') : NULL;
	char by_id[DEBUG_NAME_MAX], *path = NULL;
	bool refused = false;

	debug_name(by_id, id, len, ".debug");
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
static bool decompress_xz(const uint8_t *in, size_t n, uint8_t **out, size_t *size)
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

struct elf_file *debug_file_mini(const struct elf_file *f)
{
	struct elf_contents packed;
	uint8_t *memory;
	size_t size;

	if (!elf_file_contents(f, ".gnu_debugdata", &packed) ||
	    !decompress_xz(packed.data, packed.size, &memory, &size))
		return NULL;
	return elf_file_of_memory(memory, size);
}
