/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.h - what the files say about an address, or what an archive stored of that: names as they are in the
 * files.
 */
#ifndef REPORT_SYMBOLS_RESOLVER_H
#define REPORT_SYMBOLS_RESOLVER_H

#include "report/dwarf/lines.h"
#include "report/symbols/symbols.h"

struct archive;
struct resolution;

struct resolver {
	const struct symbols *symbols; /* NULL: none; likewise the others */
	struct lines *const *lines;    /* nlines of them, the first that knows an address is taken */
	size_t nlines;
	uint64_t moved; /* how much higher than those tell addresses are */
	/* Asked before the others. Only find_archived(), archive_find(), knows what an archive is. */
	const struct archive *archive;
	bool (*find_archived)(const struct archive *archive, uint64_t address, struct resolution *out);
	bool no_inline; /* suppress what the archive has from DWARF */
};

struct resolution {
	const char *symbol; /* NULL: none */
	uint64_t offset;    /* behind its start */
	int n; /* frames, the innermost last; 0: there is no DWARF. The first is the symbol's own function */
	struct line_frame frames[LINES_DEPTH_MAX];
};

/* What is at @address. 0 or -ENOMEM. The texts live as long as what they come from. */
int resolve(const struct resolver *r, uint64_t address, struct resolution *out);

#endif
