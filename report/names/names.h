/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - what each address is called; every address is looked up once.
 *
 * A return address stands behind the call, which may be the last instruction of its function: as a caller's frame it is
 * looked up one byte lower. Functions are told apart by their names; an address without a name is a function of its own.
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "report/intern.h"
#include "report/names/symbols.h"

struct function {
	const char *name; /* safe on a terminal: control characters stand as \xNN */
	bool named;       /* false: the name is an address */
	uint64_t address; /* of those */
};

struct frame_name {
	uint32_t function;
	uint64_t offset; /* behind the function's start; 0 for those without a name */
};

struct names {
	const struct symbols *symbols;
	struct function *functions;
	size_t nfunctions, functions_cap;
	struct intern by_name;

	struct looked_up {
		uint64_t address;
		bool caller;
		struct frame_name name;
	} *addresses;
	size_t naddresses, addresses_cap;
	struct intern by_address;

	struct name_of_symbol { /* a symbol's text, made safe once */
		const char *symbol;
		uint32_t function;
	} *texts;
	size_t ntexts, texts_cap;
	struct intern by_symbol;
};

/* @symbols is only looked at, and must outlive @n. */
void names_init(struct names *n, const struct symbols *symbols);
void names_free(struct names *n);
/* The name of @address; @caller: as a return address. 0 or -ENOMEM. */
int names_find(struct names *n, uint64_t address, bool caller, struct frame_name *out);
/* A function by a name of our own, as "[no stack]". 0 or -ENOMEM. */
int names_function(struct names *n, const char *name, uint32_t *function);
/* The function that is called as @other, one of other names, is. 0 or -ENOMEM. */
int names_like(struct names *n, const struct function *other, uint32_t *function);

#endif
