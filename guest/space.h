/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.h - reads words of a guest's address space from a capture (capture.h). Page tables are walked afresh for each
 * page, since a guest may change them at any time. Makes no call and allocates nothing.
 */
#ifndef GUEST_SPACE_H
#define GUEST_SPACE_H

#include <stdint.h>

#include "guest/arch.h"
#include "guest/capture.h"

struct space {
	const struct arch *arch;
	struct capture *capture;
	struct space_root root;
	/* the page translated last: consecutive frames of a stack mostly share one */
	uint64_t last_address; /* of the page; 1: none */
	uint64_t last_frame;
};

/* The address space that a vCPU with these registers is in. */
static inline struct space space_of(const struct vcpu_regs *regs, struct capture *capture)
{
	return (struct space){.arch = regs->arch, .capture = capture, .root = regs->root, .last_address = 1};
}

/*
 * The word at @address, which must be aligned to the word size. 0; -EFAULT: no page there; -EAGAIN: no copy yet (noted
 * for capture_extend()); -EIO: it cannot be mapped; -ENOTSUP: not in this mode.
 */
int space_read(struct space *s, uint64_t address, uint64_t *word);
/*
 * Up to @n words of 8 bytes from @address, a multiple of 8: *got of them, fewer if memory is missing. Then why, as
 * space_read() says it; else 0.
 */
int space_copy(struct space *s, uint64_t address, uint64_t *words, uint32_t n, uint32_t *got);
/* The next walks are likely to read the bytes from @from up to @to: they go on the list where there is a page. */
void space_want(struct space *s, uint64_t from, uint64_t to);
/* The same of the next calls that map pages: the pages of these bytes are mapped together (capture_expect()). */
void space_expect(struct space *s, uint64_t from, uint64_t to);

#endif
