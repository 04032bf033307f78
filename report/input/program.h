/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.h - what is known of the code that one domain ran, or several that share it: symbols, source lines, unwind
 * tables and code, from files, or from what an archive contains of them.
 */
#ifndef REPORT_INPUT_PROGRAM_H
#define REPORT_INPUT_PROGRAM_H

#include "report/archive/archive.h"
#include "report/input/binary_files.h"
#include "report/input/kernel_entry.h"
#include "report/unwind/cfi.h"

/* Zero-initialise, program_free() at the end. */
struct program {
	struct binary_file **files; /* nfiles of them */
	uint64_t *bias;             /* of each */
	size_t nfiles;
	const struct program *like; /* of the same files, @moved lower: symbols and lines are its own */
	uint64_t moved;
	struct symbols symbols;
	struct cfi *cfi;      /* NULL: stacks are shown as recorded */
	struct lines **lines; /* nlines of them: of files that may have DWARF */
	size_t nlines;
	struct archive *archive; /* what the trace itself has of names; NULL: nothing, or binaries are at hand */
	bool has_files;          /* any at all, if only of names */
	bool has_symbols;        /* names are known */
	bool no_repair, no_inline;
};

/* What a program is loaded from. */
struct program_source {
	struct binary_files *files; /* those that are for @boot, */
	const struct boots *boots;
	size_t boot; /* in which a guest ran it */
	const struct binary_request *request;
	const struct program *loaded; /* nloaded of them, which outlive it: what it has in common with one is shared */
	size_t nloaded;
};

/* 0, or -1 with one line in @why. */
int program_load(struct program *p, const struct program_source *source, char *why, size_t size);
/*
 * Begins an empty program whose names come from an archive: program_archived() when all that it has was added to
 * p->archive. 0 or -ENOMEM.
 */
int program_archive(struct program *p, const struct binary_request *request);
int program_archived(struct program *p);
void program_free(struct program *p);

/* Where names are looked up: good as long as @p. */
struct resolver program_resolver(const struct program *p);
/* The archive's stacks are to be taken instead of those recorded. */
bool program_has_stacks(const struct program *p);
/* Were there unwind tables, now or when the archive was made? */
bool program_has_tables(const struct program *p);
/* There are binaries, but none of them has DWARF; or so it was when the archive was made. */
bool program_lacks_dwarf(const struct program *p);
/*
 * The code of the whole symbol that holds @address, as far as it is shown: from *start, *size bytes, 1 or more, of
 * *isa, NULL: not known. NULL: no symbol, or no code.
 */
const uint8_t *program_function(const struct program *p, uint64_t address, uint64_t *start, size_t *size,
                                const struct isa **isa);

#endif
