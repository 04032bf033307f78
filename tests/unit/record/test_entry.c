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

static int setup(void **state)
{
	static struct fixture f;
	struct hypervisor *x;
	char why[128];

	memset(&f, 0, sizeof(f));
	f.d.info = (struct guest_info){.domid = 1, .vcpus = 1};
	sim_world(&f.d, 1);
	x = hypervisor_backend.host.open(why, sizeof(why));
	f.guest = hypervisor_backend.guest.attach(x, &f.d.info, NULL, ATTACH_TO_SAMPLE);
	f.pages = pages_new(&hypervisor_backend.memory, f.guest, 100);
	f.root = sim_space(&f.d);
	f.regs = (struct vcpu_regs){.arch = &arch_x86_64_pv,
	                            .root.cr3 = f.root << GUEST_PAGE_SHIFT,
	                            .interrupt_table = TABLE,
	                            .valid = true};
	sim_poke(&f.d, f.root, TABLE, GATE_LOW);
	sim_poke(&f.d, f.root, TABLE + 8, 0xffffffff);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pages_free(f->pages);
	assert_int_equal(f->d.mapped, 0);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
	return 0;
}

static void in_the_table(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(entry_find(f->pages, &f->regs), HANDLER);
}

/* i386's gates have half as many bits. */
static void of_32_bit_code(void **state)
{
	struct fixture *f = *state;
	struct arch narrow = arch_x86_64_pv;

	narrow.word = 4;
	f->regs.arch = &narrow;
	assert_int_equal(entry_find(f->pages, &f->regs), HANDLER & 0xffffffff);
}

/* As Xen tells it of PV guests: nothing is read. */
static void known(void **state)
{
	struct fixture *f = *state;
	unsigned long maps = f->d.maps;

	f->regs.first_handler = 0x1234;
	assert_int_equal(entry_find(f->pages, &f->regs), 0x1234);
	assert_int_equal(f->d.maps, maps);
}

/* Early in a boot, in real mode, or of a guest that leads its reader astray. */
static void none(void **state)
{
	struct fixture *f = *state;
	struct arch real = {.word = 2};

	sim_poke(&f->d, f->root, TABLE, GATE_LOW & ~PRESENT);
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs.interrupt_table = TABLE + 0x100000;
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs.interrupt_table = TABLE + 1;
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs.interrupt_table = UINT64_MAX - 7;
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs.interrupt_table = 0;
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs.interrupt_table = TABLE;
	f->regs.arch = &real;
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
	f->regs = (struct vcpu_regs){0};
	assert_int_equal(entry_find(f->pages, &f->regs), 0);
}

/* A vCPU that waits for a processor has none of its registers read: those of a later round are taken. */
static void due_until_registers_come(void **state)
{
	struct fixture *f = *state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_the_table, setup, teardown),
		cmocka_unit_test_setup_teardown(of_32_bit_code, setup, teardown),
		cmocka_unit_test_setup_teardown(known, setup, teardown),
		cmocka_unit_test_setup_teardown(none, setup, teardown),
		cmocka_unit_test_setup_teardown(due_until_registers_come, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
