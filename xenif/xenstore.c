/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/xenstore.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/parse.h"

/* Types as in xenstore.h, which has kept them since Xen 4.0. */
struct xenstore {
	void *library;
	void *handle;
	void *(*open)(unsigned long flags);
	void (*close)(void *handle);
	void *(*read)(void *handle, uint32_t transaction, const char *path, unsigned *len);
};

static void *load(void)
{
	static const char *const sonames[] = {"libxenstore.so.4", "libxenstore.so.3.0", "libxenstore.so"};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(sonames) / sizeof(*sonames); i++)
		library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

struct xenstore *xenstore_open(void)
{
	struct xenstore *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->library = load();
	if (n->library) {
		n->open = (void *(*)(unsigned long))dlsym(n->library, "xs_open");
		n->close = (void (*)(void *))dlsym(n->library, "xs_close");
		n->read = (void *(*)(void *, uint32_t, const char *, unsigned *))dlsym(n->library, "xs_read");
	}
	if (n->open && n->close && n->read)
		n->handle = n->open(0);
	if (!n->handle) {
		xenstore_close(n);
		return NULL;
	}
	return n;
}

void xenstore_close(struct xenstore *n)
{
	if (!n)
		return;
	if (n->handle)
		n->close(n->handle);
	if (n->library)
		dlclose(n->library);
	free(n);
}

int xenstore_of(struct xenstore *n, uint32_t domid, char *name, size_t size)
{
	char path[64], *value;
	unsigned len;

	if (!n)
		return -ENOENT;
	snprintf(path, sizeof(path), "/local/domain/%u/name", domid);
	value = n->read(n->handle, 0, path, &len);
	if (!value)
		return -ENOENT;
	snprintf(name, size, "%s", value);
	free(value);
	return 0;
}

uint32_t xenstore_own_domid(struct xenstore *n)
{
	uint64_t domid = 0;
	unsigned len;
	char *value = n ? n->read(n->handle, 0, "domid", &len) : NULL;

	if (value && parse_u64(value, 0, UINT32_MAX, &domid) != 0)
		domid = 0;
	free(value);
	return (uint32_t)domid;
}
