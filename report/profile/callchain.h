/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callchain.h - one stack as views and exporters show it: its frames by name, from the root to the leaf.
 */
#ifndef REPORT_PROFILE_CALLCHAIN_H
#define REPORT_PROFILE_CALLCHAIN_H

#include "report/symbols/symbolizer.h"
#include "report/profile/calltree.h"

struct callchain_frame {
	uint32_t function; /* of the names */
	uint32_t program;  /* that @address is of */
	uint64_t address;  /* as recorded */
	uint64_t offset;   /* behind the function's start; 0 if it has no name, or is inlined */
	bool caller;       /* @address is a return address; not so of what was interrupted */
	bool restored;     /* put back: not found by frame pointers */
	bool is_outside;   /* not of the guest: what the host did meanwhile, or why it had to */
	bool inlined;      /* inlined into the frame before it, at the same address */
	const char *file;  /* the source of @address; NULL: not known. Lives as long as the names */
	uint32_t line;     /* in @file; 0: not known */
};

/* Zero-initialise, callchain_free() at the end; made over and over, it is as large as the deepest stack. */
struct callchain {
	struct callchain_frame *frames;
	size_t n, cap;
	bool user; /* one of user mode, with [user] in front; filter_callchain() sets it */
};

/* The stack whose leaf is @node, with all its frames; empty for node 0. 0 or -ENOMEM. See filter_callchain(). */
int callchain_make(struct callchain *c, const struct calltree *tree, struct symbolizer *names, uint32_t node);
/* Adds a frame behind the last one. 0 or -ENOMEM. */
int callchain_push(struct callchain *c, const struct callchain_frame *frame);
/* Turns the frames from @first on round. */
void callchain_turn(struct callchain *c, size_t first);
void callchain_free(struct callchain *c);

#endif
