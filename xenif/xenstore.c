/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/xenstore.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/parse.h"

/* Types as in xenstore.h, which has kept them since Xen 4.0. */
struct xenstore {
	void *library;
	void *handle;
	void *(*open)(unsigned long flags);
	void (*close)(void *handle);
	void *(*read)(void *handle, uint32_t transaction, const char *path, unsigned *len);
	char **(*directory)(void *handle, uint32_t transaction, const char *path, unsigned *n);
};

static void *load_library(void)
{
	static const char *const sonames[] = {"libxenstore.so.4", "libxenstore.so.3.0", "libxenstore.so"};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(sonames) / sizeof(*sonames); i++)
		library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

struct xenstore *xenstore_open(void)
{
	struct xenstore *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->library = load_library();
	if (s->library) {
		s->open = (void *(*)(unsigned long))dlsym(s->library, "xs_open");
		s->close = (void (*)(void *))dlsym(s->library, "xs_close");
		s->read = (void *(*)(void *, uint32_t, const char *, unsigned *))dlsym(s->library, "xs_read");
		s->directory =
			(char **(*)(void *, uint32_t, const char *, unsigned *))dlsym(s->library, "xs_directory");
	}
	if (s->open && s->close && s->read && s->directory)
		s->handle = s->open(0);
	if (!s->handle) {
		xenstore_close(s);
		return NULL;
	}
	return s;
}

void xenstore_close(struct xenstore *s)
{
	if (!s)
		return;
	if (s->handle)
		s->close(s->handle);
	if (s->library)
		dlclose(s->library);
	free(s);
}

/* -ENOENT: there is none, or it does not fit. */
static int read_text(struct xenstore *s, const char *path, char *text, size_t size)
{
	unsigned len;
	char *value = s ? s->read(s->handle, 0, path, &len) : NULL;
	int n = value ? snprintf(text, size, "%s", value) : -1;

	free(value);
	return n >= 0 && (size_t)n < size ? 0 : -ENOENT;
}

int xenstore_name(struct xenstore *s, uint32_t domid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/local/domain/%u/name", domid);
	return read_text(s, path, name, size);
}

int xenstore_kernel(struct xenstore *s, uint32_t domid, char *kernel, size_t size)
{
	char path[64], vm[64] = "", file[96];
	int rc;

	snprintf(path, sizeof(path), "/local/domain/%u/vm", domid);
	rc = read_text(s, path, vm, sizeof(vm));
	snprintf(file, sizeof(file), "%s/image/kernel", vm);
	if (rc == 0)
		rc = read_text(s, file, kernel, size);
	return rc == 0 && *kernel != '/' ? -ENOENT : rc;
}

static int by_number(const void *a, const void *b)
{
	return array_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

int xenstore_domids(struct xenstore *s, uint32_t **domids, size_t *n)
{
	unsigned entries = 0;
	char **names = s ? s->directory(s->handle, 0, "/local/domain", &entries) : NULL;
	uint32_t *list;

	if (!names)
		return -ENOENT;
	list = calloc(entries + 1u, sizeof(*list));
	*n = 0;
	for (unsigned i = 0; list && i < entries; i++) {
		uint64_t domid;

		if (parse_u64(names[i], 0, UINT32_MAX, &domid) == 0)
			list[(*n)++] = (uint32_t)domid;
	}
	free(names); /* one block of memory, with the strings */
	if (!list)
		return -ENOMEM;
	qsort(list, *n, sizeof(*list), by_number);
	*domids = list;
	return 0;
}

uint32_t xenstore_own_domid(struct xenstore *s)
{
	uint64_t domid = 0;
	unsigned len;
	char *value = s ? s->read(s->handle, 0, "domid", &len) : NULL;

	if (value && parse_u64(value, 0, UINT32_MAX, &domid) != 0)
		domid = 0;
	free(value);
	return (uint32_t)domid;
}
