/* SPDX-License-Identifier: BSD-2-Clause */
/* tables.h - a simulated domain whose page tables a test writes. Frames 1 to 32 are its memory. */
#ifndef TESTS_UNIT_GUEST_TABLES_H
#define TESTS_UNIT_GUEST_TABLES_H

#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "guest/space.h"

struct fixture {
	struct sim_domain d;
	struct guest *guest;
	struct pages *pages;
	struct capture *capture;
};

static inline void setup(struct fixture *f)
{
	f->guest = sim_guest(&f->d);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 100);
	f->capture = capture_new(f->pages, 256);
	while (f->d.used < 32)
		sim_space(&f->d);
}

static inline void teardown(struct fixture *f)
{
	capture_free(f->capture);
	pages_free(f->pages);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
}

/* Writes entry @index of the table in @frame. */
static inline void put8(struct fixture *f, uint64_t frame, unsigned index, uint64_t entry)
{
	memcpy(f->d.memory[frame] + index * 8, &entry, 8);
}

static inline void put4(struct fixture *f, uint64_t frame, unsigned index, uint64_t entry)
{
	memcpy(f->d.memory[frame] + index * 4, &entry, 4);
}

/* The frame of @address, page tables mapped as they are asked for. */
static inline int translate_by(struct fixture *f, const struct vcpu_regs *regs, uint64_t address, uint64_t *frame)
{
	int rc;

	assert_true(regs->arch->canonical(address));
	for (int i = 0; i < 6; i++) {
		capture_copy(f->capture);
		rc = regs->arch->translate(f->capture, &regs->root, address, frame);
		if (rc != -EAGAIN)
			return rc;
		assert_int_equal(capture_extend(f->capture), 1);
	}
	fail_msg("more steps than levels");
	return -EAGAIN;
}

#endif
