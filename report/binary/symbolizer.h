/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolizer.h - what each address is called; every address is looked up once.
 *
 * A return address stands behind the call, which may be the last instruction of its function: as a caller's frame it
 * is looked up one byte lower. Functions are told apart by their names; an address without a name is a function of its
 * own. Where there is DWARF, an address has the functions inlined there, too.
 */
#ifndef REPORT_BINARY_SYMBOLIZER_H
#define REPORT_BINARY_SYMBOLIZER_H

#include "common/hash_table.h"
#include "report/binary/resolver.h"

struct function {
	const char *name; /* safe on a terminal: control characters stand as \xNN */
	bool named;       /* false: the name is an address */
	uint64_t address; /* of those */
};

/* A function at an address, and where in its source. */
struct name_at {
	uint32_t function;
	uint32_t line;    /* 0: not known */
	const char *file; /* NULL: not known; safe on a terminal; lives as long as the names */
};

struct frame_name {
	uint32_t function; /* the one whose code it is; others may be inlined there: symbolizer_inlined() */
	uint64_t offset;   /* behind its start; 0 for those without a name */
	struct name_at at; /* the same with its source: where the first inlined one is called, if there is any */
	uint32_t ninlined, first_inlined;
};

struct symbolizer {
	struct resolver resolver;
	bool mangled; /* names stay as the linker knows them */
	struct function *functions;
	size_t nfunctions, functions_cap;
	struct hash_table by_name;

	struct looked_up {
		uint64_t address;
		bool caller;
		struct frame_name name;
	} * addresses;
	size_t naddresses, addresses_cap;
	struct hash_table by_address;

	struct name_of_symbol { /* a symbol's text, made safe once */
		const char *symbol;
		uint32_t function;
	} * texts;
	size_t ntexts, texts_cap;
	struct hash_table by_symbol;

	struct name_at *inlined;
	size_t ninlined, inlined_cap;
	char **files;
	size_t nfiles, files_cap;
	struct hash_table by_file;
};

/* @symbols is only looked at, and must outlive @n; so must what is put into n->resolver then. */
void symbolizer_init(struct symbolizer *n, const struct symbols *symbols);
void symbolizer_free(struct symbolizer *n);
/* The name of @address; @caller: as a return address. 0 or -ENOMEM. */
int symbolizer_find(struct symbolizer *n, uint64_t address, bool caller, struct frame_name *out);
/*
 * The functions inlined at an address, name->ninlined of them, the innermost last; good until the next
 * symbolizer_find().
 */
const struct name_at *symbolizer_inlined(const struct symbolizer *n, const struct frame_name *name);
/* A function by a name of our own, as "[no stack]". 0 or -ENOMEM. */
int symbolizer_function(struct symbolizer *n, const char *name, uint32_t *function);
/* The function that is called as @other, one of other names, is. 0 or -ENOMEM. */
int symbolizer_like(struct symbolizer *n, const struct function *other, uint32_t *function);

#endif
