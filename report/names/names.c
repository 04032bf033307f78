/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/names/names.h"
#include "common/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void names_init(struct names *n, const struct symbols *symbols)
{
	*n = (struct names){.symbols = symbols};
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < n->nfunctions; i++)
		free((char *)n->functions[i].name);
	free(n->functions);
	free(n->addresses);
	free(n->texts);
	intern_free(&n->by_name);
	intern_free(&n->by_address);
	intern_free(&n->by_symbol);
	*n = (struct names){0};
}

/* Takes over @text. */
static int add_function(struct names *n, char *text, uint32_t hash, const struct function *like, uint32_t *function)
{
	int rc = n->nfunctions < UINT32_MAX - 1 ? 0 : -EOVERFLOW;

	if (rc == 0)
		rc = array_room(&n->functions, &n->functions_cap, n->nfunctions, sizeof(*n->functions));
	if (rc != 0) {
		free(text);
		return rc;
	}
	*function = (uint32_t)n->nfunctions++;
	n->functions[*function] = *like;
	n->functions[*function].name = text;
	intern_add(&n->by_name, hash, *function);
	return 0;
}

/* The function called @text, which is safe already. */
static int find_function(struct names *n, const char *text, const struct function *like, uint32_t *function)
{
	uint32_t hash, id;
	char *copy;

	if (intern_reserve(&n->by_name) != 0)
		return -ENOMEM;
	hash = intern_hash_text(&n->by_name, text, strlen(text));
	for (size_t at = intern_first(&n->by_name, hash); intern_id(&n->by_name, &at, hash, &id);
	     at = intern_next(&n->by_name, at)) {
		if (n->functions[id].named == like->named && strcmp(n->functions[id].name, text) == 0) {
			*function = id;
			return 0;
		}
	}
	copy = strdup(text);
	return copy ? add_function(n, copy, hash, like, function) : -ENOMEM;
}

int names_function(struct names *n, const char *name, uint32_t *function)
{
	const struct function like = {.named = true};
	size_t len;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &len);
	int rc = -ENOMEM;

	if (!memory)
		return rc;
	print_safe(memory, name);
	if (fclose(memory) == 0)
		rc = find_function(n, text, &like, function);
	free(text);
	return rc;
}

int names_like(struct names *n, const struct function *other, uint32_t *function)
{
	return find_function(n, other->name, other, function);
}

/* Symbols stay where they are, so that a pointer tells them apart. */
static int function_of_symbol(struct names *n, const char *symbol, uint32_t *function)
{
	uint32_t hash, id;
	int rc = intern_reserve(&n->by_symbol);

	if (rc != 0)
		return rc;
	hash = intern_hash(&n->by_symbol, (uintptr_t)symbol, 0);
	for (size_t at = intern_first(&n->by_symbol, hash); intern_id(&n->by_symbol, &at, hash, &id);
	     at = intern_next(&n->by_symbol, at)) {
		if (n->texts[id].symbol == symbol) {
			*function = n->texts[id].function;
			return 0;
		}
	}
	rc = array_room(&n->texts, &n->texts_cap, n->ntexts, sizeof(*n->texts));
	if (rc == 0)
		rc = names_function(n, symbol, function);
	if (rc != 0)
		return rc;
	n->texts[n->ntexts] = (struct name_of_symbol){symbol, *function};
	intern_add(&n->by_symbol, hash, (uint32_t)n->ntexts++);
	return 0;
}

static int look_up(struct names *n, uint64_t address, bool caller, struct frame_name *out)
{
	bool behind = caller && address != 0;
	struct function like = {.named = false, .address = address};
	const char *symbol;
	char text[20];

	out->offset = 0;
	symbol = n->symbols ? symbols_find(n->symbols, address - behind, &out->offset) : NULL;
	if (symbol) {
		out->offset += behind;
		return function_of_symbol(n, symbol, &out->function);
	}
	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return find_function(n, text, &like, &out->function);
}

int names_find(struct names *n, uint64_t address, bool caller, struct frame_name *out)
{
	uint32_t hash, id;
	int rc = intern_reserve(&n->by_address);

	if (rc != 0)
		return rc;
	hash = intern_hash(&n->by_address, address, caller);
	for (size_t at = intern_first(&n->by_address, hash); intern_id(&n->by_address, &at, hash, &id);
	     at = intern_next(&n->by_address, at)) {
		if (n->addresses[id].address == address && n->addresses[id].caller == caller) {
			*out = n->addresses[id].name;
			return 0;
		}
	}
	rc = array_room(&n->addresses, &n->addresses_cap, n->naddresses, sizeof(*n->addresses));
	if (rc == 0)
		rc = look_up(n, address, caller, out);
	if (rc != 0)
		return rc;
	n->addresses[n->naddresses] = (struct looked_up){address, caller, *out};
	intern_add(&n->by_address, hash, (uint32_t)n->naddresses++);
	return 0;
}
