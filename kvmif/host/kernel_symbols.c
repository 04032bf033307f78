/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/host/kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define FUNCTION_MAX (1u << 16) /* bytes; what is farther behind the last symbol is in none */
#define TYPES "tTwW"            /* of code; others end a function */
#define KERNEL "kernel"
#define PAGE 4096u

struct symbol {
	uint64_t address;
	uint32_t name, module; /* where the texts are; name 0: no code */
};

struct kernel_symbols {
	struct symbol *of; /* by ascending address */
	size_t n, cap;
	struct buf texts;
	uint32_t last_module; /* of the line before; symbols of a module follow each other */
};

static int add_text(struct kernel_symbols *k, const char *text, uint32_t *at)
{
	*at = (uint32_t)k->texts.len;
	return buf_add(&k->texts, text, strlen(text) + 1);
}

static int add_module(struct kernel_symbols *k, const char *module, uint32_t *at)
{
	int rc = 0;

	if (strcmp((const char *)k->texts.data + k->last_module, module) != 0)
		rc = add_text(k, module, &k->last_module);
	*at = k->last_module;
	return rc;
}

/* A line is an address, a type, a name, and of a module's function its module in brackets. */
static int add_line(struct kernel_symbols *k, const char *line)
{
	char type, name[512], module[128] = KERNEL;
	struct symbol s = {0};
	int n = sscanf(line, "%" SCNx64 " %c %511s [%127[^]]]", &s.address, &type, name, module);
	const bool is_code = n >= 3 && strchr(TYPES, type);
	int rc = is_code ? add_text(k, name, &s.name) : 0;

	if (rc == 0 && n >= 3)
		rc = add_module(k, module, &s.module);
	return rc == 0 && n >= 3 ? array_add(k->of, k->cap, k->n, s) : rc;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address != y->address ? array_compare(x->address, y->address) : array_compare(x->name, y->name);
}

static int read_all(struct kernel_symbols *k, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	int rc = add_text(k, "", &k->last_module);

	while (rc == 0 && getline(&line, &size, f) >= 0)
		rc = add_line(k, line);
	free(line);
	if (rc == 0 && ferror(f))
		rc = -EIO;
	array_sort(k->of, k->n, sizeof(*k->of), compare);
	if (rc == 0 && (k->n == 0 || k->of[k->n - 1].address == 0))
		rc = -EPERM;
	return rc;
}

struct kernel_symbols *kernel_symbols_read(FILE *f)
{
	struct kernel_symbols *k = calloc(1, sizeof(*k));
	int rc = k ? read_all(k, f) : -ENOMEM;

	if (rc == 0)
		return k;
	kernel_symbols_free(k);
	errno = -rc;
	return NULL;
}

void kernel_symbols_free(struct kernel_symbols *k)
{
	if (!k)
		return;
	free(k->of);
	buf_free(&k->texts);
	free(k);
}

/*
 * Behind a module's last symbol there may be a module that was loaded since. Modules begin at pages, so what is in the
 * symbol's own is its own.
 */
static bool may_be_later(const struct kernel_symbols *k, size_t last, uint64_t address)
{
	const struct symbol *s = &k->of[last];
	const bool is_kernel = strcmp((const char *)k->texts.data + s->module, KERNEL) == 0;

	return !is_kernel && (last + 1 == k->n || s[1].module != s->module) && address / PAGE != s->address / PAGE;
}

struct kernel_function kernel_symbols_find(const struct kernel_symbols *k, uint64_t address)
{
	const struct symbol *s;
	size_t i;

	ARRAY_SEARCH(i, k->n, k->of[i].address <= address);
	if (i == 0 || address - k->of[i - 1].address >= FUNCTION_MAX || may_be_later(k, i - 1, address))
		return (struct kernel_function){0};
	s = &k->of[i - 1];
	while (s > k->of && s[-1].address == s->address && s[-1].name)
		s--;
	if (!s->name)
		return (struct kernel_function){0};
	return (struct kernel_function){s->address, (const char *)k->texts.data + s->name,
	                                (const char *)k->texts.data + s->module};
}
