/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolizer.h - the names of addresses; each address is looked up once.
 *
 * A return address follows the call, which may be the last instruction of its function: so a caller's address is
 * looked up one byte lower. Functions with the same name are one, whichever programs they are of; an address without a
 * name is a function of its own. The same address means something else in each program, that is a set of binaries.
 * With DWARF, an address also has the functions inlined there. Names and paths take at most SYMBOLIZER_BYTES_MAX, as a
 * mangled name of a hundred bytes may stand for 64 KiB: functions beyond that are "[too many names]", of no file.
 */
#ifndef REPORT_SYMBOLS_SYMBOLIZER_H
#define REPORT_SYMBOLS_SYMBOLIZER_H

#include "common/hash_array.h"
#include "common/string_table.h"
#include "report/symbols/monitor_names.h"
#include "report/symbols/resolver.h"

#define SYMBOLIZER_BYTES_MAX (256u << 20)

struct function {
	const char *name; /* safe on a terminal: control characters are written as \xNN */
	bool named;       /* false: the name is an address */
	uint64_t address; /* if not named */
};

/* A function at an address, and where in its source. */
struct name_at {
	uint32_t function;
	uint32_t line;    /* 0: not known */
	const char *file; /* NULL: not known; safe on a terminal; lives as long as the names */
};

struct frame_name {
	uint32_t function; /* the one whose code it is; others may be inlined there: symbolizer_inlined() */
	uint64_t offset;   /* from its start; 0 without a name */
	struct name_at at; /* the same with its source: where the first inlined one is called, if there is any */
	uint32_t ninlined, first_inlined;
};

struct looked_up {
	uint64_t address;
	uint32_t how; /* the program, and in bit 0 whether it is a caller's */
	struct frame_name name;
};

/* A symbol's text, made safe once. */
struct name_of_symbol {
	const char *symbol;
	uint32_t function;
};

/* A path, made safe once. */
struct file_of_path {
	const char *path, *file;
};

struct symbolizer {
	const struct resolver *resolvers; /* by program */
	bool mangled;                     /* do not demangle names */
	size_t bytes;                     /* of names and paths */
	struct function *functions;
	size_t nfunctions, functions_cap;
	struct hash_table by_name;

	HASH_ARRAY(struct looked_up, addresses, naddresses, by_address);
	HASH_ARRAY(struct name_of_symbol, texts, ntexts, by_symbol);
	struct name_at *inlined;
	size_t ninlined, inlined_cap;
	struct strings files;
	HASH_ARRAY(struct file_of_path, paths, npaths, by_path);
	struct monitor_names monitor; /* the VMM's functions */
};

/* @resolvers, one for each program, must outlive @n. */
void symbolizer_init(struct symbolizer *n, const struct resolver *resolvers);
void symbolizer_free(struct symbolizer *n);
/* The name of @address in @program; @caller: as a return address. 0 or -ENOMEM. */
int symbolizer_find(struct symbolizer *n, uint32_t program, uint64_t address, bool caller, struct frame_name *out);
/* Has @address in @program a name? Of addresses that may be any numbers: what is not named is not kept. */
bool symbolizer_knows(const struct symbolizer *n, uint32_t program, uint64_t address);
/*
 * The functions inlined at an address, name->ninlined of them, the innermost last; good until the next
 * symbolizer_find().
 */
const struct name_at *symbolizer_inlined(const struct symbolizer *n, const struct frame_name *name);
/* A function with a name that is no symbol, as "[no stack]". 0 or -ENOMEM. */
int symbolizer_function(struct symbolizer *n, const char *name, uint32_t *function);
/* The same for a function of the host's, also by a place: monitor_name(). @name lives as long as @n. */
int symbolizer_host_function(struct symbolizer *n, const char *name, uint32_t *function);
/* The function with the same name as @other, a function of another symbolizer. 0 or -ENOMEM. */
int symbolizer_like(struct symbolizer *n, const struct function *other, uint32_t *function);
/*
 * The place of each function's name in the order of @compare, strcmp() or strverscmp(); equal names have the same.
 * NULL: no memory. free() it.
 */
uint32_t *symbolizer_ranks(const struct symbolizer *n, int (*compare)(const char *a, const char *b));

#endif
