/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binaries.h - the files that names, source lines and unwind tables come from: those given by -s, or else the images
 * that the trace names, where they are still there. A file that is another build than the one that was recorded is
 * refused.
 */
#ifndef REPORT_BINARY_BINARIES_H
#define REPORT_BINARY_BINARIES_H

#include "report/binary/debug_file.h"
#include "report/view/view.h"

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

/*
 * Fills in r->symbols, r->rows and r->lines, of a session that is known. 0, or -1 with one line in @why;
 * binaries_free() in either case.
 */
int binaries_load(struct report *r, const struct binary_request *request, char *why, size_t size);
/*
 * The code of the function that begins at @start and holds @address, from there on, of ELF's *machine; NULL: not at
 * hand. Of the *left bytes some may lie behind the function.
 */
const uint8_t *binaries_code(const struct report *r, uint64_t address, uint64_t start, size_t *left,
                             uint16_t *machine);
/* Names and stacks come out of the trace itself (FORMAT.md, "Archives"). */
bool binaries_archived(const struct report *r);
void binaries_free(struct report *r);

#endif
