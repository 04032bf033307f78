/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binaries.h - the programs that the recorded domains ran: names, lines, unwind tables and code are kept apart by
 * program. A domain that was started again may run another one from then on. Domains for which the same files were
 * chosen share one, unless their kernels lie elsewhere. An archive needs no files: it contains what they say.
 */
#ifndef REPORT_INPUT_BINARIES_H
#define REPORT_INPUT_BINARIES_H

#include "report/input/program.h"

/* Zero-initialise, binaries_free() at the end. Stays where it is. */
struct binaries {
	struct program *programs; /* nprograms of them, 1 or more once it is loaded */
	size_t nprograms;
	struct resolver *resolvers; /* of each */
	struct boots boots;
	uint32_t *program_of; /* by boot */
	bool has_files;       /* any at all, if only of names */
	bool has_symbols;     /* names of some program are known, by -s or otherwise */
	bool has_archive;     /* some of them from the trace itself */
};

/*
 * Loads what @request asks for, for @traces that have been joined; of an archive reads the blocks of names. 0;
 * -EINVAL: the request is wrong; or -1; both with one line in @why.
 */
int binaries_load(struct binaries *b, struct traces *traces, const struct binary_request *request, char *why,
                  size_t size);
void binaries_free(struct binaries *b);
/*
 * The number of the program that @domain ran then, both as all traces together have them. Domains that no trace names
 * are taken to run the first one.
 */
static inline uint32_t binaries_program(const struct binaries *b, uint32_t domain, uint64_t time_ns)
{
	return domain < b->boots.ndomains ? b->program_of[boots_at(&b->boots, domain, time_ns)] : 0;
}
/* Did it ever run that one? */
bool binaries_ran(const struct binaries *b, uint32_t domain, uint32_t program);
/* Has it ever run one that is so? */
bool binaries_ran_any(const struct binaries *b, uint32_t domain, bool (*is)(const struct program *p));
/* Some archive's stacks are to be taken instead of those recorded. */
bool binaries_have_stacks(const struct binaries *b);
/* Are there unwind tables of some program, now or when the archive was made? */
bool binaries_have_tables(const struct binaries *b);
/* Some program has binaries without DWARF; or so it was when the archive was made. */
bool binaries_lack_dwarf(const struct binaries *b);

#endif
