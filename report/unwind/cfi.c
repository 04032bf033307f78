/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/cfi.h"

#include "common/hash_array.h"
#include "report/unwind/code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

struct source_image {
	const struct isa *isa;
	struct image *image;
	struct tables *tables; /* NULL: it has none; likewise below */
	struct exidx *at_calls;
	struct orc *orc;
	struct code *code;
};

struct cached_row {
	const struct isa *isa;
	uint64_t address;
	uint64_t behind; /* 1: as cfi_find()'s */
	struct cfi_known_row known;
};

struct cfi {
	const struct isa *isa; /* of the code that is asked for */
	bool pv;
	const struct symbols *symbols;
	struct source_image *images;
	size_t nimages, images_cap;
	bool has_stubs;
	uint64_t stubs; /* address of the hypercall page */

	HASH_ARRAY(struct cached_row, cache, ncache, by_address);
	struct cfi_known_row stub; /* of the last look at the hypercall page */
};

struct cfi *cfi_new(const struct symbols *symbols)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));

	if (!cfi)
		return NULL;
	cfi->isa = &isa_x86_64;
	cfi->symbols = symbols;
	cfi->has_stubs = symbols_address(symbols, "hypercall_page", &cfi->stubs);
	return cfi;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < cfi->nimages; i++) {
		tables_free(cfi->images[i].tables);
		free(cfi->images[i].at_calls);
		orc_free(cfi->images[i].orc);
		code_free(cfi->images[i].code);
		image_close(cfi->images[i].image);
	}
	free(cfi->images);
	hash_array_free(&cfi->by_address);
	free(cfi);
}

bool cfi_any(const struct cfi *cfi)
{
	return cfi->nimages != 0;
}

/* The pointer to what an image does not have stays NULL. */
static void read_linked(struct cfi *cfi, struct source_image *i)
{
	uint64_t stubs;

	i->tables = tables_new(i->image);
	i->at_calls = exidx_new(i->image);
	i->orc = orc_new(i->image);
	i->code = code_new(i->image, cfi->symbols);
	if (image_hypercall_page(i->image, &stubs)) {
		cfi->stubs = stubs;
		cfi->has_stubs = true;
	}
}

/* A module's code is not linked, so it does not tell where calls lead. */
static int read_module(struct cfi *cfi, struct source_image *i, char *why, size_t size)
{
	struct module *m = module_place(i->image, cfi->symbols, why, size);

	if (!m)
		return -1;
	i->orc = orc_of_module(i->image, m);
	module_free(m);
	if (!i->orc)
		snprintf(why, size, "a module without usable ORC tables");
	return i->orc ? 0 : -1;
}

int cfi_add_image(struct cfi *cfi, const char *path, uint64_t bias, char *why, size_t size)
{
	struct source_image i = {.image = image_open(path, why, size)};
	int rc;

	if (!i.image)
		return -1;
	i.isa = image_isa(i.image);
	image_move(i.image, image_is_linked(i.image) ? bias : 0);
	rc = array_room(&cfi->images, &cfi->images_cap, cfi->nimages, sizeof(*cfi->images));
	if (rc != 0)
		snprintf(why, size, "%s", strerror(ENOMEM));
	else if (image_is_linked(i.image))
		read_linked(cfi, &i);
	else
		rc = read_module(cfi, &i, why, size);
	if (rc != 0) {
		image_close(i.image);
		return -1;
	}
	cfi->images[cfi->nimages++] = i;
	return 0;
}

const struct image *cfi_image(const struct cfi *cfi, uint64_t address)
{
	size_t left;

	for (size_t i = 0; i < cfi->nimages; i++)
		if (image_code(cfi->images[i].image, address, &left))
			return cfi->images[i].image;
	return NULL;
}

bool cfi_behind_code(const struct cfi *cfi, uint64_t address)
{
	return symbols_range(cfi->symbols, address - 1) || cfi_image(cfi, address - 1);
}

bool cfi_named(const struct cfi *cfi, uint64_t address, uint64_t *offset)
{
	return symbols_find(cfi->symbols, address, offset) != NULL;
}

/* --- rows that are the same in any code --------------------------------------------------------------------------- */

/* A frame that consists of @pushed bytes and nothing else. */
static void plain_row(const struct isa *isa, struct cfi_row *row, int32_t pushed)
{
	*row = (struct cfi_row){.kind = CFI_CALLER,
	                        .cfa_base = isa->sp,
	                        .cfa_offset = pushed + isa_pushed(isa),
	                        .ra = isa->link == ISA_NONE ? CFI_RA_SAVED : CFI_RA_LINK,
	                        .ra_offset = -isa->word};
	for (unsigned i = 0; i < isa->regs; i++)
		row->reg[i].where = CFI_SAME;
	row->reg[isa->sp].where = CFI_VALUE;
}

/* Xen writes the page when it builds the domain; the image has nothing there. */
static const struct cfi_known_row *find_stub(struct cfi *cfi, uint64_t address)
{
	int32_t pushed;

	cfi->stub = (struct cfi_known_row){.source = CFI_UNKNOWN};
	if (cfi->isa->stub_depth && cfi->isa->stub_depth(address - cfi->stubs, cfi->pv, &pushed)) {
		cfi->stub.source = CFI_BY_STUB;
		plain_row(cfi->isa, &cfi->stub.row, pushed);
	}
	return &cfi->stub;
}

/* --- other code -------------------------------------------------------------------------------------------------- */

/* The next image of the instruction set, behind @i; NULL: before the first, or there is none. */
static struct source_image *next_image(const struct cfi *cfi, struct source_image *i)
{
	struct source_image *end;

	if (cfi->nimages == 0)
		return NULL;
	end = cfi->images + cfi->nimages;
	for (i = i ? i + 1 : cfi->images; i < end; i++)
		if (i->isa == cfi->isa)
			return i;
	return NULL;
}

static bool from_tables(struct cfi *cfi, uint64_t address, struct cfi_known_row *k)
{
	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;) {
		int rc = i->tables ? tables_row(i->tables, address, &k->row) : -ENOENT;

		if (rc == -ENOENT && i->at_calls)
			rc = exidx_row(i->at_calls, address, &k->row);
		if (rc == -ENOENT)
			continue;
		k->source = rc == -EBADMSG ? CFI_DAMAGED : rc == -ENODATA ? CFI_UNKNOWN : CFI_BY_TABLE;
		k->live = rc == -ENOTSUP ? i->tables : NULL;
		return true;
	}
	return false;
}

static bool from_orc(struct cfi *cfi, uint64_t address, struct cfi_known_row *k)
{
	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;) {
		int rc = i->orc ? orc_row(i->orc, address, &k->row) : -ENOENT;

		if (rc == -ENOENT)
			continue;
		k->source = rc == 0 ? CFI_BY_ORC : CFI_UNKNOWN;
		return true;
	}
	return false;
}

/* The function where execution began has no caller, whatever its code looks like. */
static bool is_entry(const struct cfi *cfi, uint64_t address)
{
	const struct symbol_range *at = symbols_range(cfi->symbols, address);

	for (struct source_image *i = NULL; at && (i = next_image(cfi, i)) != NULL;) {
		uint64_t entry = image_entry(i->image) - cfi->symbols->bias;

		if (image_is_linked(i->image) && entry >= at->start && entry < at->end)
			return true;
	}
	return false;
}

struct cfi_known_row cfi_from_code(struct cfi *cfi, uint64_t address, bool behind)
{
	struct cfi_known_row k = {.source = CFI_UNKNOWN};

	for (struct source_image *i = NULL; k.source == CFI_UNKNOWN && (i = next_image(cfi, i)) != NULL;)
		if (i->code && code_row(i->code, address, behind, &k.row) == 0)
			k.source = CFI_BY_CODE;
	return k;
}

/* The first instruction of a function: nothing has been pushed, whatever it is. */
static void from_name(const struct cfi *cfi, uint64_t address, bool behind, struct cfi_known_row *k)
{
	const struct symbol_range *at = symbols_range(cfi->symbols, address);

	if (behind || !at || symbols_start(cfi->symbols, at) != address)
		return;
	plain_row(cfi->isa, &k->row, 0);
	k->source = CFI_BY_CODE;
}

static void find_cfi_row(struct cfi *cfi, uint64_t address, bool behind, struct cfi_known_row *k)
{
	if (from_tables(cfi, address - behind, k) || from_orc(cfi, address - behind, k))
		return;
	if (is_entry(cfi, address - behind)) {
		k->source = CFI_BY_CODE;
		k->row.kind = CFI_ROOT;
		return;
	}
	*k = cfi_from_code(cfi, address, behind);
	if (k->source == CFI_UNKNOWN)
		from_name(cfi, address, behind, k);
}

void cfi_enter(struct cfi *cfi, const struct isa *isa, bool pv)
{
	cfi->isa = isa;
	cfi->pv = pv;
}

const struct isa *cfi_isa(const struct cfi *cfi)
{
	return cfi->isa;
}

const struct isa *cfi_isa_at(const struct cfi *cfi, uint64_t address)
{
	size_t left;

	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;)
		if (image_code(i->image, address, &left))
			return image_isa_at(i->image, address);
	return cfi->isa;
}

const struct cfi_known_row *cfi_find(struct cfi *cfi, uint64_t address, bool behind)
{
	struct cached_row row = {.isa = cfi->isa, .address = address, .behind = behind};
	uint32_t id;

	if (cfi->has_stubs && address - cfi->stubs < PAGE)
		return find_stub(cfi, address);
	if (hash_array_find(&cfi->by_address, &id, behind, &row))
		return &cfi->cache[id].known;
	find_cfi_row(cfi, address, behind, &row.known);
	return hash_array_add(&cfi->by_address, &id, behind, &row) == 0 ? &cfi->cache[id].known : NULL;
}

bool cfi_called_from(struct cfi *cfi, uint64_t return_address, uint64_t callee)
{
	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;) {
		uint64_t target;

		switch (i->code ? code_call_before(i->code, return_address, &target) : CALL_NONE) {
		case CALL_DIRECT:
			return code_reaches(i->code, target, callee);
		case CALL_INDIRECT:
			return true;
		default:
			break;
		}
	}
	return false;
}

bool cfi_call_before(struct cfi *cfi, uint64_t return_address, uint64_t *function)
{
	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;)
		if (i->code && code_call_before(i->code, return_address, function) == CALL_DIRECT)
			return true;
	return false;
}

bool cfi_only_call(struct cfi *cfi, uint64_t target, uint64_t callee, struct code_caller *caller)
{
	for (struct source_image *i = NULL; (i = next_image(cfi, i)) != NULL;)
		if (i->code && code_only_call(i->code, target, callee, caller))
			return true;
	return false;
}

bool cfi_code_before(struct cfi *cfi, uint64_t return_address, bool *calls)
{
	bool any = false;

	*calls = false;
	for (size_t i = 0; i < cfi->nimages && !*calls; i++) {
		const struct source_image *image = &cfi->images[i];
		uint64_t target;
		size_t left;

		if (!image->code || !image_code(image->image, return_address - 1, &left))
			continue;
		any = true;
		*calls = code_call_before(image->code, return_address, &target) != CALL_NONE;
	}
	return any;
}

bool cfi_code_at(struct cfi *cfi, uint64_t address, bool *begins)
{
	bool any = false;

	*begins = false;
	for (size_t i = 0; i < cfi->nimages && !*begins; i++) {
		const struct source_image *image = &cfi->images[i];
		size_t left;
		int found;

		if (!image->code || !image_code(image->image, address, &left))
			continue;
		found = code_has_instruction(image->code, address);
		any |= found >= 0;
		*begins = found > 0;
	}
	return any;
}
