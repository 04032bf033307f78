/* SPDX-License-Identifier: BSD-2-Clause */
/* The handler of interrupt vector 0, found in a guest's memory. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/sim/sim.h"
#include "guest/x86.h"
#include "record/sampling/image.h"
#include "record/stack/entry.h"

#define TABLE 0xfffffe0000000000ull
#define HANDLER 0xffffffff9a800b20ull
#define GATE_LOW 0x9a808e0000100b20ull /* handler 15..0, segment, present 64-bit gate, handler 31..16 */
#define PRESENT (0x80ull << 40)

struct fixture {
	struct sim_domain d;
	struct guest *guest;
	struct pages *pages;
	uint64_t root;
	struct vcpu_regs regs;
};

static void setup(struct fixture *f)
{
	f->guest = sim_guest(&f->d);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 100);
	f->root = sim_space(&f->d);
	f->regs = (struct vcpu_regs){.arch = &arch_x86_64_pv,
	                             .root.cr3 = f->root << GUEST_PAGE_SHIFT,
	                             .interrupt_table = TABLE,
	                             .valid = true};
	sim_poke(&f->d, f->root, TABLE, GATE_LOW);
	sim_poke(&f->d, f->root, TABLE + 8, 0xffffffff);
}

static void teardown(struct fixture *f)
{
	pages_free(f->pages);
	assert_int_equal(f->d.mapped, 0);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
}

/* 0, too, where it cannot be read. */
static uint64_t found_by(struct fixture *f)
{
	uint64_t entry = 1;

	return entry_find(f->pages, &f->regs, &entry) ? entry : 0;
}

FIXTURE_TEST(in_the_table)
{
	assert_int_equal(found_by(f), HANDLER);
}

/* i386's gates have half as many bits. */
FIXTURE_TEST(of_32_bit_code)
{
	struct arch narrow = arch_x86_64_pv;

	narrow.word = 4;
	f->regs.arch = &narrow;
	assert_int_equal(found_by(f), HANDLER & 0xffffffff);
}

/* As Xen tells it of PV guests: nothing is read. */
FIXTURE_TEST(known)
{
	unsigned long maps = f->d.maps;

	f->regs.first_handler = 0x1234;
	assert_int_equal(found_by(f), 0x1234);
	assert_int_equal(f->d.maps, maps);
}

/* Early in a boot, in real mode, or of a guest that leads its reader astray. */
FIXTURE_TEST(none)
{
	struct arch real = {.word = 2};

	sim_poke(&f->d, f->root, TABLE, GATE_LOW & ~PRESENT);
	assert_int_equal(found_by(f), 0);
	f->regs.interrupt_table = TABLE + 0x100000;
	assert_int_equal(found_by(f), 0);
	f->regs.interrupt_table = TABLE + 1;
	assert_int_equal(found_by(f), 0);
	f->regs.interrupt_table = UINT64_MAX - 7;
	assert_int_equal(found_by(f), 0);
	f->regs.interrupt_table = 0;
	assert_int_equal(found_by(f), 0);
	f->regs.interrupt_table = TABLE;
	f->regs.arch = &real;
	assert_int_equal(found_by(f), 0);
	f->regs = (struct vcpu_regs){0};
	assert_int_equal(found_by(f), 0);
}

FIXTURE_TEST(none_or_unreadable)
{
	uint64_t entry;

	f->regs.interrupt_table = 0;
	assert_true(entry_find(f->pages, &f->regs, &entry));
	f->regs.interrupt_table = TABLE + 0x100000;
	assert_false(entry_find(f->pages, &f->regs, &entry));
	f->regs.valid = false;
	assert_false(entry_find(f->pages, &f->regs, &entry));
}

/* A vCPU that waits for a processor has none of its registers read: those of a later round are taken. */
FIXTURE_TEST(due_until_registers_come)
{
	struct vcpu_stop stop = {.online = true};
	struct upf_sample sample = {.vcpu = 0};
	const struct vcpu_stacks all = {.stops = &stop, .samples = &sample, .nsamples = 1};
	struct record_stream records = {0};
	struct image image = {.entry_due = true};

	image_tell_entry(&image, f->pages, &all, &records, 0, 0);
	assert_true(image.entry_due);
	stop.regs = f->regs;
	stop.regs.interrupt_table = 0; /* it has none yet: the next second will do */
	image_tell_entry(&image, f->pages, &all, &records, 0, 0);
	assert_false(image.entry_due);
	assert_false(image.entry_told);
}
