/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/walk.h"

#include <errno.h>

enum upf_end walk_end(int error)
{
	switch (error) {
	case -EAGAIN:
		return UPF_END_COLD;
	case -EIO:
		return UPF_END_UNREADABLE;
	case -ENOTSUP:
		return UPF_END_MODE;
	default:
		return UPF_END_UNMAPPED;
	}
}

/*
 * Can @fp be the frame pointer of the caller of frame @last? Stacks grow down, so a caller's frame is above its
 * callee's; anything else is a loop or no frame pointer at all.
 */
static enum upf_end check_frame(const struct arch *arch, uint64_t fp, uint64_t last)
{
	if (fp % arch->word != 0)
		return UPF_END_MISALIGNED;
	if (!arch->canonical(fp) || !arch->canonical(fp + arch->return_offset))
		return UPF_END_NONCANONICAL;
	return fp > last ? UPF_END_ROOT : UPF_END_DESCENDING;
}

/* The linear address of @offset in a segment that begins at @base: of as many bits as a pointer of this mode. */
static uint64_t linear(const struct arch *arch, uint64_t base, uint64_t offset)
{
	return arch->word == 4 ? (uint32_t)(base + offset) : base + offset;
}

/* The frame pointers of both instruction sets, and which of them the frame is one of; or one and 0. */
struct pointers {
	uint64_t fp[2];
	unsigned set;
};

static struct pointers first_pointers(const struct arch *arch, const struct vcpu_regs *regs)
{
	struct pointers p = {.fp = {regs->fp}};

	if (arch->frame_pointers[0]) {
		p.fp[0] = regs->all[arch->frame_pointers[0]];
		p.fp[1] = regs->all[arch->frame_pointers[1]];
		p.set = regs->fp != p.fp[0];
	}
	return p;
}

/*
 * On to the frame of the caller at @address, from the frame at @last. Code of one instruction set does not use the
 * other one's frame pointer, so that this leads on to a caller of the other one, if it can be one. But 0 in the second
 * set's is the end: code of an entry point has set it, and what the second set's code did since with the first's
 * register is not known.
 */
static void next_pointers(const struct arch *arch, struct pointers *p, uint64_t caller, uint64_t *address,
                          uint64_t last)
{
	unsigned set = arch->frame_pointers[0] ? *address & 1 : 0;

	*address -= set;
	p->fp[p->set] = caller;
	if (set != p->set && (set == 1 || caller != 0) && check_frame(arch, p->fp[set], last) == UPF_END_ROOT)
		p->set = set;
}

static int read_frame(struct space *space, const struct pointers *p, bool innermost, uint64_t *caller,
                      uint64_t *address)
{
	const struct arch *arch = space->arch;
	uint64_t fp = p->fp[p->set];
	int rc;

	if (arch->frame)
		return arch->frame(space, fp, p->set, innermost, caller, address);
	rc = space_read(space, fp, caller);
	return rc == 0 ? space_read(space, fp + arch->return_offset, address) : rc;
}

enum upf_end walk_frames(struct space *space, const struct vcpu_regs *regs, uint64_t *frames, uint32_t max,
                         uint32_t *depth, uint64_t *above)
{
	const struct arch *arch = space->arch;
	struct pointers p;
	uint64_t fp = regs->fp, last = 0;
	uint32_t n = 0;

	*depth = 0;
	*above = regs->sp;
	if (!regs->valid)
		return UPF_END_NONE;
	p = first_pointers(arch, regs);
	frames[n++] = regs->ip;
	*depth = n;
	if (!arch->translate)
		return UPF_END_MODE;
	for (; fp != 0; n++) {
		uint64_t caller, address;
		enum upf_end end = check_frame(arch, fp, last);
		int rc;

		*depth = n;
		if (end != UPF_END_ROOT)
			return end;
		rc = read_frame(space, &p, n == 1, &caller, &address);
		if (rc != 0)
			return walk_end(rc);
		*above = fp + arch->return_offset + arch->word;
		if (address == 0)
			break;
		if (n == max)
			return UPF_END_DEPTH;
		last = fp;
		next_pointers(arch, &p, caller ? linear(arch, regs->stack_base, caller) : 0, &address, last);
		frames[n] = linear(arch, regs->code_base, address);
		fp = p.fp[p.set];
	}
	*depth = n;
	return UPF_END_ROOT;
}
