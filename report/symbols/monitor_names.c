/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/monitor_names.h"
#include "common/array.h"
#include "format/bytes/wire.h"
#include "report/elf/debug_file.h"
#include "report/symbols/demangle.h"
#include "report/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 64 /* a trace may name any that there are */
#define KERNEL_ID 20 /* bytes of a build-id as the kernel gives it: a shorter one has zeros behind it */

struct monitor_file {
	char build_id[BUILD_ID_TEXT];
	struct symbols symbols;
	GElf_Phdr *code; /* segments, as many as @nsegments */
	size_t nsegments, cap;
};

struct place {
	char build_id[BUILD_ID_TEXT];
	uint64_t offset;
	char path[MONITOR_PLACE_MAX];
};

void monitor_names_free(struct monitor_names *m)
{
	for (size_t i = 0; i < m->n; i++) {
		symbols_free(&m->files[i].symbols);
		free(m->files[i].code);
	}
	free(m->files);
	*m = (struct monitor_names){0};
}

void monitor_place(char text[MONITOR_PLACE_MAX], const uint8_t *build_id, size_t size, uint64_t offset,
                   const char *path, size_t path_size)
{
	char id[BUILD_ID_TEXT];

	put_hex(id, build_id, size > BUILD_ID_MAX ? 0 : size);
	snprintf(text, MONITOR_PLACE_MAX, "@%s+%" PRIx64 " %.*s", id, offset, (int)path_size, path);
}

static bool parse_place(const char *text, struct place *p)
{
	const size_t len = strcspn(text, "+");
	int end = 0;

	if (*text != '@' || len == 0 || len > sizeof(p->build_id) || text[len] != '+' ||
	    sscanf(text + len + 1, "%" SCNx64 " %n", &p->offset, &end) != 1)
		return false;
	snprintf(p->build_id, sizeof(p->build_id), "%.*s", (int)len - 1, text + 1);
	snprintf(p->path, sizeof(p->path), "%s", text + len + 1 + end);
	return true;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

/* Where it was, below @root. */
static struct elf_file *open_recorded(const struct place *p, const char *root)
{
	char path[MONITOR_PLACE_MAX + 256], why[256], id[BUILD_ID_TEXT];
	struct elf_file *f = NULL;

	if (*p->path == '/' && snprintf(path, sizeof(path), "%s%s", root, p->path) < (int)sizeof(path))
		f = elf_file_open(path, why, sizeof(why));
	if (!f)
		return NULL;
	elf_file_build_id(f, id);
	while (strlen(id) < 2 * KERNEL_ID)
		strcat(id, "00");
	if (strcmp(id, p->build_id) == 0)
		return f;
	elf_file_close(f);
	return NULL;
}

static struct elf_file *open_by_id(const struct place *p, const struct debug_search *where)
{
	char why[256], id[BUILD_ID_TEXT];
	char *path = debug_file_of_build(p->build_id, where);
	struct elf_file *f;
	size_t n = strlen(p->build_id);

	/* Maybe it is a shorter one. */
	while (n > 2 && strncmp(p->build_id + n - 2, "00", 2) == 0)
		n -= 2;
	snprintf(id, sizeof(id), "%.*s", (int)n, p->build_id);
	if (!path && n < strlen(p->build_id))
		path = debug_file_of_build(id, where);
	f = path ? elf_file_open(path, why, sizeof(why)) : NULL;
	free(path);
	return f;
}

static int read_segments(struct monitor_file *file, const struct elf_file *f)
{
	GElf_Phdr h;
	int rc = 0;

	for (size_t i = 0; rc == 0 && elf_file_segment(f, PT_LOAD, &i, &h);) {
		if ((h.p_flags & PF_X) && h.p_filesz != 0)
			rc = array_add(file->code, file->cap, file->nsegments, h);
	}
	return rc;
}

/* A file that cannot be read has no symbols. */
static int read_file(struct monitor_file *file, const struct place *p, const struct debug_search *where)
{
	struct elf_file *f = NULL;
	int rc;

	if (!where || !*p->build_id)
		return 0;
	if (where->symfs)
		f = open_recorded(p, where->symfs);
	if (!f)
		f = open_recorded(p, "");
	if (!f)
		f = open_by_id(p, where);
	if (!f)
		return 0;
	rc = read_segments(file, f);
	/* A file of debug information alone has no code: nothing there is where it was in the program. */
	if (rc == 0 && file->nsegments)
		rc = symbols_add_elf(&file->symbols, f, where);
	if (rc >= 0)
		rc = symbols_sort(&file->symbols);
	elf_file_close(f);
	return rc;
}

/* *@file NULL: there are too many. */
static int find_file(struct monitor_names *m, const struct place *p, struct monitor_file **file)
{
	int rc;

	*file = NULL;
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->files[i].build_id, p->build_id) == 0)
			*file = &m->files[i];
	if (*file || m->n == FILES_MAX)
		return 0;
	rc = array_add(m->files, m->cap, m->n, (struct monitor_file){0});
	if (rc != 0)
		return rc;
	*file = &m->files[m->n - 1];
	strcpy((*file)->build_id, p->build_id);
	return read_file(*file, p, m->where);
}

static const char *symbol_at(const struct monitor_file *file, uint64_t offset)
{
	uint64_t behind;

	for (size_t i = 0; i < file->nsegments; i++)
		if (offset >= file->code[i].p_offset && offset - file->code[i].p_offset < file->code[i].p_filesz)
			return symbols_find(&file->symbols, offset - file->code[i].p_offset + file->code[i].p_vaddr,
			                    &behind);
	return NULL;
}

/* Without folders; "[vdso]" is none, but has brackets. */
static const char *file_name(char *path)
{
	char *slash = strrchr(path, '/');
	size_t n = strlen(path);

	if (slash)
		return slash + 1;
	if (n > 2 && path[0] == '[' && path[n - 1] == ']') {
		path[n - 1] = '\0';
		return path + 1;
	}
	return n ? path : "anonymous";
}

int monitor_name(struct monitor_names *m, const char *text, char **name)
{
	struct monitor_file *file;
	struct buf shown = {0};
	const char *symbol;
	struct place p;
	int rc;

	*name = NULL;
	if (!parse_place(text, &p)) {
		*name = strdup(text);
		return *name ? 0 : -ENOMEM;
	}
	rc = find_file(m, &p, &file);
	symbol = rc == 0 && file ? symbol_at(file, p.offset) : NULL;
	if (symbol)
		rc = m->mangled ? buf_add(&shown, symbol, strlen(symbol) + 1) : demangle(symbol, &shown);
	if (rc == 0 &&
	    asprintf(name, "%s [VMM:%s]", symbol ? (const char *)shown.data : "[unknown]", file_name(p.path)) < 0)
		rc = -ENOMEM;
	buf_free(&shown);
	return rc;
}
