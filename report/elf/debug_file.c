/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/debug_file.h"

#include "common/regular_file.h"
#include "format/bytes/wire.h"
#include "report/elf/debuginfod.h"

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#define MINI_MAX (256u << 20)    /* bytes of a decompressed .gnu_debugdata, ... */
#define MINI_MEMORY (128u << 20) /* ... and for decompressing it */

/* --- separate debug files ---------------------------------------------------------------------------------------- */

static bool has_id(const struct elf_file *f, const char *id)
{
	char own[BUILD_ID_TEXT];

	elf_file_build_id(f, own);
	return strcmp(own, id) == 0;
}

/* NULL: the file of this name cannot be opened. */
static __attribute__((format(printf, 1, 2))) struct elf_file *try_open(const char *format, ...)
{
	struct elf_file *f = NULL;
	char *path, why[64];
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&path, format, args);
	va_end(args);
	if (n < 0)
		return NULL;
	f = elf_file_open(path, why, sizeof(why));
	free(path);
	return f;
}

static struct elf_file *in_folders(const char *id, const char *root, bool symfs, const char *suffix)
{
	static const char *const directories[] = {"/usr/lib/debug/.build-id", "/usr/lib/.build-id", "/.build-id"};
	struct elf_file *found = NULL;

	if (strlen(id) < 4)
		return NULL;
	for (int i = 0; !found && i < (symfs ? 3 : 2); i++) {
		found = try_open("%s%s/%.2s/%s%s", root, directories[i], id, id + 2, suffix);
		if (found && !has_id(found, id)) {
			elf_file_close(found);
			found = NULL;
		}
	}
	return found;
}

/* The name in .gnu_debuglink, which is no path; NULL: there is none. */
static const char *debug_link(const struct elf_file *f, GElf_Word *crc)
{
	const char *name = dwelf_elf_gnu_debuglink(f->elf, crc);

	return name && *name && !strchr(name, '/') ? name : NULL;
}

/*
 * @found, if it is what .gnu_debuglink of a file with the build-id @id means; else NULL. Its CRC-32 is the one of IEEE
 * 802.3, as xz has it, over the whole file.
 */
static struct elf_file *check_linked(struct elf_file *found, const char *id, uint32_t crc)
{
	if (found && lzma_crc32(found->bytes, found->size, 0) == crc && (!*id || has_id(found, id)))
		return found;
	elf_file_close(found);
	return NULL;
}

static struct elf_file *by_link(const struct elf_file *f, const char *id, const char *root)
{
	static const struct {
		const char *before, *behind; /* the directory of @f; @behind NULL: without it */
	} places[] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}, {"/usr/lib/debug", NULL}};
	char *directory = f->path ? realpath(f->path, NULL) : NULL, *end = directory ? strrchr(directory, '/') : NULL;
	struct elf_file *found = NULL;
	GElf_Word crc;
	const char *name = end ? debug_link(f, &crc) : NULL;

	if (end)
		*end = '\0';
	for (size_t i = 0; name && !found && i < sizeof(places) / sizeof(places[0]); i++) {
		const char *behind = places[i].behind;

		found = try_open("%s%s%s%s/%s", root, places[i].before, behind ? directory : "", behind ? behind : "",
		                 name);
		found = check_linked(found, id, crc);
	}
	if (name && !found && *root)
		found = check_linked(try_open("%s/%s", root, name), id, crc);
	free(directory);
	return found;
}

static struct elf_file *by_server(const char *id, enum debuginfod_kind kind, struct debuginfod *servers)
{
	int fd = debuginfod_find(servers, kind, id);
	struct elf_file *found;
	char path[32], why[128];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* leads to its place in the cache */
	found = elf_file_of_fd(fd, path, why, sizeof(why));
	if (found && has_id(found, id))
		return found;
	debuginfod_refuse(servers, found ? "a server sent the file of another build" : why);
	elf_file_close(found);
	return NULL;
}

struct elf_file *debug_file_find(const struct elf_file *f, const struct debug_search *where)
{
	const char *const roots[] = {where ? where->symfs : NULL, ""};
	struct elf_file *found = NULL;
	char id[BUILD_ID_TEXT];

	elf_file_build_id(f, id);
	for (int i = roots[0] ? 0 : 1; !found && i < 2; i++) {
		found = in_folders(id, roots[i], i == 0, ".debug");
		if (!found)
			found = by_link(f, id, roots[i]);
	}
	return found || !where || !where->debuginfod ? found : by_server(id, DEBUGINFOD_DEBUG_FILE, where->debuginfod);
}

/* Any file there, the last folder first. */
static struct elf_file *among_programs(const char *id, const char *folder)
{
	struct elf_file *found = NULL;
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && !found && (e = readdir(dir))) {
		found = try_open("%s/%s", folder, e->d_name);
		if (found && !has_id(found, id)) {
			elf_file_close(found);
			found = NULL;
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

char *debug_file_of_build(const char *build_id, const struct debug_search *where)
{
	static const char *const suffixes[] = {"", ".debug"};
	const char *const roots[] = {where->symfs, ""};
	struct elf_file *found = NULL;
	size_t n = strlen(build_id);
	char *path;

	if (n % 2 || n >= BUILD_ID_TEXT || strspn(build_id, "0123456789abcdef") != n)
		return NULL;
	for (int k = 0; k < 2; k++)
		for (int i = roots[0] ? 0 : 1; !found && i < 2; i++)
			found = in_folders(build_id, roots[i], i == 0, suffixes[k]);
	for (size_t i = where->nfolders; !found && i-- > 0;)
		found = among_programs(build_id, where->folders[i]);
	for (int k = 0; where->debuginfod && !found && k < 2; k++)
		found = by_server(build_id, k ? DEBUGINFOD_DEBUG_FILE : DEBUGINFOD_EXECUTABLE, where->debuginfod);
	path = found ? realpath(found->path, NULL) : NULL;
	elf_file_close(found);
	return path;
}

/* The places are those of libdw's dwarf_getalt(): by build-id, then by name, from the directory of @f on. */
bool debug_file_common_refused(const struct elf_file *f, const char *name, const uint8_t *id, size_t len)
{
	char *file = f->path ? realpath(f->path, NULL) : NULL, *end = file ? strrchr(file, '/') : NULL;
	char hex[BUILD_ID_TEXT] = {0}, *path = NULL;
	bool refused = false;

	put_hex(hex, id, len < BUILD_ID_MAX ? len : BUILD_ID_MAX);
	if (asprintf(&path, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2) >= 0) {
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
