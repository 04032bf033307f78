/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "common/array.h"
#include "common/say.h"

/* A file that is read, and the first thing that is wrong with it. */
struct reading {
	struct config *config;
	const char *path;
	char *why;
	size_t size;
	bool failed;
};

static int refuse(struct reading *r, const char *what, const char *text)
{
	if (!r->failed)
		failure(r->why, r->size, -1, "%s: '%.100s' %s", r->path, text, what);
	r->failed = true;
	return 0;
}

static int out_of_memory(struct reading *r)
{
	return refuse(r, "does not fit: out of memory", "memory");
}

static int set_text(struct reading *r, char **place, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return out_of_memory(r);
	free(*place);
	*place = copy;
	return 1;
}

static int add_known(struct reading *r, const char *domain, const char *path)
{
	struct config *c = r->config;
	struct known_binary k = {.domain = strdup(domain), .path = strdup(path)};

	if (*path != '/') {
		refuse(r, "must be an absolute path", path);
	} else if (k.domain && k.path && array_add(c->known, c->known_cap, c->nknown, k) == 0) {
		return 1;
	} else {
		out_of_memory(r);
	}
	free(k.domain);
	free(k.path);
	return 0;
}

static int add_folder(struct reading *r, const char *path)
{
	struct config *c = r->config;

	if (*path != '/')
		return refuse(r, "must be an absolute path", path);
	if (array_room(&c->folders, &c->folders_cap, c->nfolders, sizeof(*c->folders)) != 0)
		return out_of_memory(r);
	c->folders[c->nfolders] = strdup(path);
	if (!c->folders[c->nfolders])
		return out_of_memory(r);
	c->nfolders++;
	return 1;
}

/* inih's: 1, or 0 for an error. */
static int take(void *ctx, const char *section, const char *name, const char *value)
{
	struct reading *r = ctx;

	if (!name || !*value)
		return refuse(r, "has no value", name ? name : section);
	if (strcmp(section, "guests") == 0)
		return add_known(r, name, value);
	if (strcmp(section, "files") != 0)
		return refuse(r, "is no section: there are [guests] and [files]", section);
	if (strcmp(name, "images") == 0)
		return add_folder(r, value);
	if (strcmp(name, "symfs") == 0)
		return set_text(r, &r->config->symfs, value);
	if (strcmp(name, "debuginfod") == 0)
		return set_text(r, &r->config->debuginfod, value);
	return refuse(r, "is not known in [files]: there are images, symfs and debuginfod", name);
}

static int read_one(struct config *c, const char *path, char *why, size_t size)
{
	struct reading r = {.config = c, .path = path, .why = why, .size = size};
	FILE *f = fopen(path, "re");
	int line;

	if (!f)
		return errno == ENOENT || errno == ENOTDIR ? 0
		                                           : failure(why, size, -1, "%s: %s", path, strerror(errno));
	line = ini_parse_file(f, take, &r);
	fclose(f);
	if (r.failed)
		return -1;
	return line == 0 ? 0 : failure(why, size, -1, "%s:%d: neither [SECTION] nor NAME = VALUE", path, line);
}

int config_read(struct config *c, char *why, size_t size)
{
	const char *only = getenv("UNIPROF_CONFIG"), *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char own[PATH_MAX] = "";

	if (only)
		return *only ? read_one(c, only, why, size) : 0;
	if (folder && *folder == '/')
		snprintf(own, sizeof(own), "%s/uniprof.conf", folder);
	else if (home && *home == '/')
		snprintf(own, sizeof(own), "%s/.config/uniprof.conf", home);
	if (read_one(c, "/etc/uniprof.conf", why, size) != 0)
		return -1;
	return *own ? read_one(c, own, why, size) : 0;
}

void config_free(struct config *c)
{
	for (size_t i = 0; i < c->nknown; i++) {
		free(c->known[i].domain);
		free(c->known[i].path);
	}
	for (size_t i = 0; i < c->nfolders; i++)
		free(c->folders[i]);
	free(c->known);
	free(c->folders);
	free(c->symfs);
	free(c->debuginfod);
	*c = (struct config){0};
}
