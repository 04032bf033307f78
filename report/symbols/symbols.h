/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols.h - names for addresses, from ELF files, nm's text and kallsyms.
 *
 * Add what files hold, sort once, then look up. After sorting no two symbols overlap: where one symbol lies inside
 * another the inner one names its part, and of aliases, which begin at one address, one is kept. Which one is decided
 * by, in this order: a size is known; it is marked as a function; it is no clone's or part's (foo.cold); global before
 * local before weak; fewer underscores in front; the shorter one; the alphabet. Mapping symbols ($x) and local labels
 * (.L) are no names; nor is a local symbol without type and size behind a global or typed one without a size: a label
 * in that function. The files come from guests and strangers: nothing in them is believed before it is checked.
 */
#ifndef REPORT_SYMBOLS_SYMBOLS_H
#define REPORT_SYMBOLS_SYMBOLS_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOLS_TEXT_MAX (256u << 20) /* bytes of all names: a small file could make gigabytes of one string */

enum symbol_bind { SYMBOL_WEAK, SYMBOL_LOCAL, SYMBOL_GLOBAL }; /* the later, the rather its name is taken */

struct symbol {
	uint64_t start;
	uint64_t size;  /* 0: not known, it reaches to the next symbol, at most to @limit */
	uint64_t limit; /* first address it cannot hold: the end of its section; 0: not known */
	size_t name;    /* offset in the names */
	uint8_t bind;   /* enum symbol_bind */
	bool label;     /* not marked as a function: an assembler label */
	bool mark;      /* a data symbol: it names no code, but ends the range of the symbol before it */
};

/* Without symbols.bias. */
struct symbol_range {
	uint64_t start, end; /* [start, end) */
	uint64_t symbol_start;
	size_t name;
};

/* Zero-initialise, symbols_free() at the end. */
struct symbols {
	struct symbol *added;
	size_t nadded, cap;
	struct symbol_range *ranges;
	size_t nranges, ranges_cap;
	struct buf names;
	uint64_t bias; /* how much higher all ranges are */
	bool shared;   /* ranges and names are another's */
};

struct debug_search;

/*
 * 0 or -ENOMEM. @name need not be terminated. s->name is set here. A symbol is passed over if its name would make all
 * names longer than SYMBOLS_TEXT_MAX.
 */
int symbols_add(struct symbols *s, struct symbol symbol, const char *name, size_t len);
/*
 * Adds a file, after finding out which kind it is; @where: as for debug_file_find(). 0, or -1 with one line in @why:
 * what is wrong with it and what would help; 1, too, for an ELF file that is in order but has no symbols, or none
 * with addresses yet: a relocatable object.
 */
int symbols_add_file(struct symbols *s, const char *path, const struct debug_search *where, char *why, size_t size);
/* Adds all that was added to @other, which has not been sorted. 0 or -ENOMEM. */
int symbols_append(struct symbols *s, const struct symbols *other);
/* Moves what was added since s->nadded was @from by @bias. */
void symbols_move(struct symbols *s, size_t from, uint64_t bias);
/* The lowest function since then; false: there is none. */
bool symbols_lowest(const struct symbols *s, size_t from, uint64_t *address);
/*
 * Where the function or label called @name is, of those added from the @from-th to before the @to-th; false: there is
 * none.
 */
bool symbols_added(const struct symbols *s, const char *name, size_t from, size_t to, uint64_t *address);
int symbols_sort(struct symbols *s); /* 0 or -ENOMEM; nothing may be added afterwards */
/* The same symbols, which have been sorted, @bias higher: as long as @s. */
struct symbols symbols_elsewhere(const struct symbols *s, uint64_t bias);
/* The name at @address and how far behind its start that is; NULL: none. */
const char *symbols_find(const struct symbols *s, uint64_t address, uint64_t *offset);
/* The piece of a symbol that holds @address, NULL: none. */
const struct symbol_range *symbols_range(const struct symbols *s, uint64_t address);
/* Where that symbol begins. */
static inline uint64_t symbols_start(const struct symbols *s, const struct symbol_range *range)
{
	return range->symbol_start + s->bias;
}
/* The end of the symbol that @range is a piece of, up to where another one lies inside it. */
uint64_t symbols_end(const struct symbols *s, const struct symbol_range *range);
const char *symbols_name(const struct symbols *s, const struct symbol_range *range);
/* Where the symbol called @name begins; false: there is none. Looks at all of them. */
bool symbols_address(const struct symbols *s, const char *name, uint64_t *address);
void symbols_free(struct symbols *s);

/*
 * As symbols_add(), for a symbol of nm's @type, with a start and perhaps a size, whose name ends with a NUL behind @len
 * bytes. Data are a mark; what has no address is passed.
 */
int symbols_add_typed(struct symbols *s, struct symbol symbol, char type, const char *name, size_t len);

/* nm's text or kallsyms, at the beginning of @fd, which is closed. The same contract as symbols_add_file(). */
int symbols_add_text(struct symbols *s, int fd, char *why, size_t size);
struct elf_file;
/* Those of an ELF file, or of its debug files. 1: there were, 0: none, or -ENOMEM. */
int symbols_add_elf(struct symbols *s, const struct elf_file *f, const struct debug_search *where);
/* Those that a stripped Linux kernel holds of itself. The same contract. */
int symbols_add_kernel(struct symbols *s, const struct elf_file *f);

#endif
