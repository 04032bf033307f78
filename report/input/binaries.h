/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binaries.h - the files that give symbols, source lines and unwind tables: those of -s, or else the images that the
 * traces name, if they still exist. A binary that is not the recorded build is refused. An archive needs no files: it
 * contains what they say.
 */
#ifndef REPORT_INPUT_BINARIES_H
#define REPORT_INPUT_BINARIES_H

#include "report/archive/archive.h"
#include "report/binary/debug_file.h"
#include "report/input/traces.h"
#include "report/unwind/cfi.h"

/* What the command line asks for. */
struct binary_request {
	const char *const *files; /* of -s: FILE, FILE@ADDRESS or FILE@+OFFSET */
	size_t nfiles;
	struct debug_search debug; /* symfs: a directory with the guest's files, images too */
	bool no_repair;            /* stacks stay as recorded: no unwind tables */
	bool no_inline;            /* no DWARF: neither inlined functions nor lines */
	bool force;                /* whichever build it is */
};

/* A file of -s, taken apart. */
struct binary_file {
	char *path;
	bool moved, by_offset; /* to @where: an address for its lowest one, or an offset to all */
	uint64_t where;
};

/* 0 or -ENOMEM. Where a file has the whole of @text as its name, "@" is part of that. free() file->path. */
int binary_file_parse(const char *text, struct binary_file *file);

/* Zero-initialise, binaries_free() at the end. */
struct binaries {
	struct symbols symbols;
	struct cfi *cfi;      /* NULL: stacks are shown as recorded */
	struct lines **lines; /* nlines of them: of files that may have DWARF */
	size_t nlines;
	struct archive *archive; /* what the trace itself has of names; NULL: nothing, or binaries are at hand */
	bool no_repair;          /* stacks stay as recorded */
	bool no_inline;
	bool has_symbols; /* names are known, by -s or otherwise */
	bool has_files;   /* any at all, if only of names */
	bool several;     /* the domains ran different ones, so that none was taken by itself */
};

/*
 * Loads what @request asks for, for @traces that have been joined; of an archive reads the blocks of names. 0, or -1
 * with one line in @why.
 */
int binaries_load(struct binaries *b, struct traces *traces, const struct binary_request *request, char *why,
                  size_t size);
void binaries_free(struct binaries *b);
/* Where names are looked up: good as long as @b. */
struct resolver binaries_resolver(const struct binaries *b);
/* The archive's stacks are to be taken instead of those recorded. */
bool binaries_have_stacks(const struct binaries *b);
/* Were there unwind tables, now or when the archive was made? */
bool binaries_have_tables(const struct binaries *b);
/* There are binaries, but none of them has DWARF; or so it was when the archive was made. */
bool binaries_lack_dwarf(const struct binaries *b);
/*
 * The code of the function that begins at @start and holds @address, from there on, and its *isa, NULL: not known.
 * NULL: not at hand. Of the *left bytes some may lie behind the function.
 */
const uint8_t *binaries_code(const struct binaries *b, uint64_t address, uint64_t start, size_t *left,
                             const struct isa **isa);
/*
 * The code of the whole symbol that holds @address, as far as it is shown: from *start, *size bytes, 1 or more. NULL:
 * no symbol, or no code.
 */
const uint8_t *binaries_function(const struct binaries *b, uint64_t address, uint64_t *start, size_t *size,
                                 const struct isa **isa);

#endif
