/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/symbolizer.h"
#include "common/say.h"
#include "report/symbols/demangle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void symbolizer_init(struct symbolizer *n, const struct resolver *resolvers)
{
	*n = (struct symbolizer){.resolvers = resolvers};
}

void symbolizer_free(struct symbolizer *n)
{
	for (size_t i = 0; i < n->nfunctions; i++)
		free((char *)n->functions[i].name);
	free(n->functions);
	free(n->inlined);
	hash_table_free(&n->by_name);
	strings_free(&n->files);
	hash_array_free(&n->by_address);
	hash_array_free(&n->by_symbol);
	hash_array_free(&n->by_path);
	monitor_names_free(&n->monitor);
	*n = (struct symbolizer){0};
}

/* Takes over @text. */
static int add_new_function(struct symbolizer *n, char *text, uint32_t hash, const struct function *like,
                            uint32_t *function)
{
	struct function new = *like;
	int rc;

	new.name = text;
	rc = n->nfunctions < UINT32_MAX - 1 ? array_add(n->functions, n->functions_cap, n->nfunctions, new)
	                                    : -EOVERFLOW;
	if (rc != 0) {
		free(text);
		return rc;
	}
	*function = (uint32_t)n->nfunctions - 1;
	n->bytes += strlen(text) + 1;
	hash_table_add(&n->by_name, hash, *function);
	return 0;
}

/* The function called @text, which is safe already. */
static int find_same_function(struct symbolizer *n, const char *text, const struct function *like, uint32_t *function)
{
	uint32_t hash, id;
	char *copy;

	if (hash_table_reserve(&n->by_name) != 0)
		return -ENOMEM;
	hash = hash_table_hash_text(&n->by_name, text, strlen(text));
	for (size_t at = hash_table_first(&n->by_name, hash); hash_table_id(&n->by_name, &at, hash, &id);
	     at = hash_table_next(&n->by_name, at)) {
		if (n->functions[id].named == like->named && strcmp(n->functions[id].name, text) == 0) {
			*function = id;
			return 0;
		}
	}
	copy = strdup(text);
	return copy ? add_new_function(n, copy, hash, like, function) : -ENOMEM;
}

int symbolizer_function(struct symbolizer *n, const char *name, uint32_t *function)
{
	const struct function like = {.named = true};
	char *text = safe_text(name);
	int rc = text ? find_same_function(n, text, &like, function) : -ENOMEM;

	free(text);
	return rc;
}

/* Symbols stay where they are, so that a pointer tells them apart. @find is asked once for each. */
static int find_once(struct symbolizer *n, const char *symbol,
                     int (*find)(struct symbolizer *n, const char *symbol, uint32_t *function), uint32_t *function)
{
	struct name_of_symbol known = {.symbol = symbol};
	uint32_t id;
	int rc;

	if (hash_array_find(&n->by_symbol, &id, symbol, &known)) {
		*function = n->texts[id].function;
		return 0;
	}
	rc = find(n, symbol, function);
	known.function = *function;
	return rc == 0 ? hash_array_add(&n->by_symbol, &id, symbol, &known) : rc;
}

static int find_host_function(struct symbolizer *n, const char *name, uint32_t *function)
{
	char *text = NULL;
	int rc = 0;

	if (n->bytes < SYMBOLIZER_BYTES_MAX)
		rc = monitor_name(&n->monitor, name, &text);
	if (rc == 0)
		rc = symbolizer_function(n, text ? text : "[too many names]", function);
	free(text);
	return rc;
}

int symbolizer_host_function(struct symbolizer *n, const char *name, uint32_t *function)
{
	return find_once(n, name, find_host_function, function);
}

int symbolizer_like(struct symbolizer *n, const struct function *other, uint32_t *function)
{
	return find_same_function(n, other->name, other, function);
}

static int demangled_function(struct symbolizer *n, const char *symbol, uint32_t *function)
{
	struct buf name = {0};
	int rc;

	if (n->bytes >= SYMBOLIZER_BYTES_MAX)
		return symbolizer_function(n, "[too many names]", function);
	if (n->mangled)
		return symbolizer_function(n, symbol, function);
	rc = demangle(symbol, &name);
	if (rc == 0)
		rc = symbolizer_function(n, (const char *)name.data, function);
	buf_free(&name);
	return rc;
}

static int function_of_symbol(struct symbolizer *n, const char *symbol, uint32_t *function)
{
	return find_once(n, symbol, demangled_function, function);
}

/* --- one address ------------------------------------------------------------------------------------------------- */

/* The same of paths. */
static int file_of_path(struct symbolizer *n, const char *path, const char **file)
{
	const size_t before = n->files.n;
	uint32_t id;
	int rc;

	if (hash_array_find(&n->by_path, &id, path, &(struct file_of_path){.path = path})) {
		*file = n->paths[id].file;
		return 0;
	}
	rc = strings_add(&n->files, path, &id);
	if (rc != 0)
		return rc;
	*file = n->files.texts[id];
	n->bytes += id == before ? strlen(*file) + 1 : 0;
	return hash_array_add(&n->by_path, &id, path, &(struct file_of_path){path, *file});
}

static int find_place(struct symbolizer *n, const struct line_frame *frame, struct name_at *at)
{
	at->line = frame->line;
	at->file = NULL;
	return frame->file && n->bytes < SYMBOLIZER_BYTES_MAX ? file_of_path(n, frame->file, &at->file) : 0;
}

static int add_inlined(struct symbolizer *n, const struct line_frame *frame)
{
	struct name_at at;
	int rc = find_place(n, frame, &at);

	if (rc == 0)
		rc = frame->name ? function_of_symbol(n, frame->name, &at.function)
		                 : symbolizer_function(n, "[inlined]", &at.function);
	return rc == 0 ? array_add(n->inlined, n->inlined_cap, n->ninlined, at) : rc;
}

static int name_address(struct symbolizer *n, uint64_t address, uint32_t *function)
{
	const struct function like = {.named = false, .address = address};
	char text[20];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return find_same_function(n, text, &like, function);
}

static int look_up(struct symbolizer *n, uint32_t program, uint64_t address, bool caller, struct frame_name *out)
{
	bool behind = caller && address != 0;
	struct resolution found;
	int rc = resolve(&n->resolvers[program], address - behind, &found);

	*out = (struct frame_name){.first_inlined = (uint32_t)n->ninlined};
	if (rc == 0 && found.symbol) {
		out->offset = found.offset + behind;
		rc = function_of_symbol(n, found.symbol, &out->function);
	} else if (rc == 0 && found.n && found.frames[0].name) {
		rc = function_of_symbol(n, found.frames[0].name, &out->function);
	} else if (rc == 0) {
		rc = name_address(n, address, &out->function);
	}
	if (rc == 0 && found.n)
		rc = find_place(n, &found.frames[0], &out->at);
	out->at.function = out->function;
	for (int i = 1; rc == 0 && i < found.n; i++)
		rc = n->ninlined < UINT32_MAX ? add_inlined(n, &found.frames[i]) : -EOVERFLOW;
	out->ninlined = (uint32_t)n->ninlined - out->first_inlined;
	return rc;
}

bool symbolizer_knows(const struct symbolizer *n, uint32_t program, uint64_t address)
{
	struct resolver symbols = n->resolvers[program];
	struct resolution found;

	symbols.nlines = 0; /* slow, and they name no function that symbols do not */
	return resolve(&symbols, address, &found) == 0 && found.symbol;
}

const struct name_at *symbolizer_inlined(const struct symbolizer *n, const struct frame_name *name)
{
	return n->inlined ? n->inlined + name->first_inlined : NULL;
}

int symbolizer_find(struct symbolizer *n, uint32_t program, uint64_t address, bool caller, struct frame_name *out)
{
	const uint32_t how = program << 1 | caller;
	uint32_t id;
	int rc;

	if (hash_array_find(&n->by_address, &id, how, &(struct looked_up){.address = address, .how = how})) {
		*out = n->addresses[id].name;
		return 0;
	}
	rc = look_up(n, program, address, caller, out);
	return rc == 0 ? hash_array_add(&n->by_address, &id, how, &(struct looked_up){address, how, *out}) : rc;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

/* A name for sorting: nearly all that there are millions of are addresses, and fit. */
struct short_name {
	char text[20];
	uint32_t function;
};

struct ranking {
	const struct symbolizer *names;
	int (*compare)(const char *a, const char *b);
};

static const char *whole_name(const struct ranking *r, const struct short_name *s)
{
	return s->text[sizeof(s->text) - 1] ? r->names->functions[s->function].name : s->text;
}

static int compare_function_names(const void *va, const void *vb, void *ctx)
{
	const struct ranking *r = ctx;

	return r->compare(whole_name(r, va), whole_name(r, vb));
}

uint32_t *symbolizer_ranks(const struct symbolizer *n, int (*compare)(const char *a, const char *b))
{
	struct ranking r = {n, compare};
	uint32_t *ranks = malloc((n->nfunctions + 1) * sizeof(*ranks)), rank = 0;
	struct short_name *list = malloc((n->nfunctions + 1) * sizeof(*list));

	for (size_t i = 0; list && i < n->nfunctions; i++) {
		strncpy(list[i].text, n->functions[i].name, sizeof(list[i].text));
		list[i].function = (uint32_t)i;
	}
	if (list && ranks)
		qsort_r(list, n->nfunctions, sizeof(*list), compare_function_names, &r);
	for (size_t i = 0; list && ranks && i < n->nfunctions; i++) {
		rank += i > 0 && compare_function_names(&list[i - 1], &list[i], &r) != 0;
		ranks[list[i].function] = rank;
	}
	if (!list) {
		free(ranks);
		ranks = NULL;
	}
	free(list);
	return ranks;
}
