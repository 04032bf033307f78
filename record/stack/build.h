/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.h - which build a guest runs: the GNU build-id in its memory. It is searched near the guest's code, in the
 * pages that are mapped there. A guest can have any number of notes there, and may lie: one is taken only if it is the
 * only one that can belong to the code.
 */
#ifndef RECORD_STACK_BUILD_H
#define RECORD_STACK_BUILD_H

#include "format/upf.h"
#include "guest/pages.h"

struct build_note {
	uint8_t id[UPF_BUILD_ID_MAX];
	uint32_t size; /* 0: none */
	uint64_t address;
};

/* Where a search goes on, away from where it began. */
struct build_side {
	uint64_t next, step;
	unsigned left, gap; /* pieces: to be read; in which nothing was mapped, since one was */
};

/* Zero to begin with. */
struct build {
	struct build_note note; /* what was found */
	/* the search: */
	uint64_t near; /* where it began */
	unsigned searches;
	struct build_side up, down;
	struct build_note candidate;
	bool certain;   /* it is the code's own */
	bool ambiguous; /* there are others, and none is certain */
};

enum build_progress {
	BUILD_NONE, /* nothing was found, and there is nothing to do for now */
	BUILD_MORE, /* the search is to go on */
	BUILD_FOUND,
};

/*
 * Searches for about @ns, but reads two pieces at least, in the address space of @regs, unless the last search was at
 * the same place. @pages names the guest; the search maps pages of its own. @entry is the handler of interrupt vector
 * 0, which is in the kernel's code; 0: not known, and the search is near the instruction pointer if it is the kernel's.
 * A search reads at most 40 MiB in 160 pieces, each by a call that maps and one that copies, beside those for page
 * tables. Not to be used while the guest is paused.
 */
enum build_progress build_search(struct build *b, const struct pages *pages, const struct vcpu_regs *regs,
                                 uint64_t entry, uint64_t ns);

/*
 * Is the note that was found still where it was, by these registers? BUILD_MORE: they do not tell, since in user mode
 * the kernel may not be mapped. Not to be used while the guest is paused.
 */
enum build_progress build_verify(struct build *b, const struct pages *pages, const struct vcpu_regs *regs);

#endif
