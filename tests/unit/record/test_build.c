/* SPDX-License-Identifier: BSD-2-Clause */
/* The build-id in a guest's memory, and what may be taken for it. */
#include "tests/unit/unit.h"

#include <elf.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "guest/x86.h"
#include "record/stack/build.h"

#define CODE 0xffffffff81000000ull
#define MIB (1ull << 20)

struct fixture {
	struct sim_domain d;
	struct guest *guest;
	struct pages *pages;
	uint64_t root;
	struct vcpu_regs regs;
	struct build build;
};

static void setup(struct fixture *f)
{
	f->guest = sim_guest(&f->d);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 1);
	f->root = sim_space(&f->d);
	f->regs = (struct vcpu_regs){
		.arch = &arch_x86_64_pv, .root.cr3 = f->root << GUEST_PAGE_SHIFT, .ip = CODE + 0x123, .valid = true};
	sim_page(&f->d, f->root, CODE);
}

static void teardown(struct fixture *f)
{
	assert_int_equal(f->d.mapped, 0);
	assert_int_equal(f->d.broken, 0);
	pages_free(f->pages);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
}

static void write_bytes(struct fixture *f, uint64_t address, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = address + i;

		f->d.memory[sim_page(&f->d, f->root, at)][at % GUEST_PAGE_SIZE] = ((const uint8_t *)bytes)[i];
	}
}

/* A note with an id of @size bytes of @byte. */
static void put_note(struct fixture *f, uint64_t address, uint8_t byte, uint32_t size)
{
	const Elf64_Nhdr header = {4, size, NT_GNU_BUILD_ID};
	uint8_t id[80];

	memset(id, byte, sizeof(id));
	write_bytes(f, address, &header, sizeof(header));
	write_bytes(f, address + sizeof(header), "GNU", 4);
	write_bytes(f, address + sizeof(header) + 4, id, size);
}

/* An image as it is loaded: its header and program headers, code of @size bytes, and a note at @note. */
static void put_image(struct fixture *f, uint64_t address, uint64_t linked, uint64_t size, uint64_t note)
{
	const Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
	                      .e_phoff = sizeof(e),
	                      .e_phentsize = sizeof(Elf64_Phdr),
	                      .e_phnum = 2};
	const Elf64_Phdr p[] = {
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = linked, .p_filesz = size, .p_memsz = size},
		{.p_type = PT_NOTE, .p_offset = note, .p_vaddr = linked + note, .p_filesz = 36, .p_memsz = 36}};

	write_bytes(f, address, &e, sizeof(e));
	write_bytes(f, address + sizeof(e), p, sizeof(p));
}

/* A little at a time, as while sampling. */
static bool search(struct fixture *f, uint64_t entry)
{
	enum build_progress progress;

	do
		progress = build_search(&f->build, f->pages, &f->regs, entry, 0);
	while (progress == BUILD_MORE);
	return progress == BUILD_FOUND;
}

static void found(struct fixture *f, uint64_t address, uint8_t byte, uint32_t size)
{
	assert_true(search(f, 0));
	assert_int_equal(f->build.note.address, address);
	assert_int_equal(f->build.note.size, size);
	for (uint32_t i = 0; i < size; i++)
		assert_int_equal(f->build.note.id[i], byte);
}

FIXTURE_TEST(beside_the_code)
{
	put_note(f, CODE + 0x800, 0xab, 20);
	found(f, CODE + 0x800, 0xab, 20);
}

FIXTURE_TEST(below_it)
{
	for (uint64_t at = CODE; at > CODE - 15 * MIB; at -= 2 * MIB)
		sim_page(&f->d, f->root, at);
	put_note(f, CODE - 15 * MIB, 0xab, 8);
	found(f, CODE - 15 * MIB, 0xab, 8);
}

/* Behind a hole, as Linux leaves it, and across a page. */
FIXTURE_TEST(far_above_it)
{
	for (uint64_t at = CODE; at < CODE + 20 * MIB; at += 2 * MIB)
		sim_page(&f->d, f->root, at);
	put_note(f, CODE + 20 * MIB + 0xfe8, 0xab, 64);
	found(f, CODE + 20 * MIB + 0xfe8, 0xab, 64);
}

/* At every place at which pieces that are read may meet. */
FIXTURE_TEST(at_any_place)
{
	for (uint64_t page = 60; page < 68; page++) {
		const uint64_t at = CODE + page * GUEST_PAGE_SIZE + GUEST_PAGE_SIZE - 4 * (page - 58);

		memset(&f->build, 0, sizeof(f->build));
		put_note(f, at, (uint8_t)page, 20);
		found(f, at, (uint8_t)page, 20);
		put_note(f, at, 0, 20); /* an id of zeros is none */
	}
}

FIXTURE_TEST(two_that_differ)
{
	put_note(f, CODE + 0x800, 0xab, 20);
	put_note(f, CODE + 0x2800, 0xcd, 20);
	assert_false(search(f, 0));
}

FIXTURE_TEST(two_that_are_the_same)
{
	put_note(f, CODE + 0x2800, 0xab, 20);
	put_note(f, CODE + 0x800, 0xab, 20);
	found(f, CODE + 0x800, 0xab, 20);
}

/* The image's own headers say which of them is right, wherever it was loaded. */
FIXTURE_TEST(of_the_image)
{
	put_note(f, CODE + 0x4800, 0xcd, 20);
	put_image(f, CODE - 0x2000, 0x400000, 0x10000, 0x200);
	put_note(f, CODE - 0x2000 + 0x200, 0xab, 20);
	found(f, CODE - 0x2000 + 0x200, 0xab, 20);
}

/* As of a vDSO: an image in whose code the guest is not. */
FIXTURE_TEST(of_another_image)
{
	put_image(f, CODE + 0x4000, 0, 0x1000, 0x200);
	put_note(f, CODE + 0x4000 + 0x200, 0xcd, 20);
	assert_false(search(f, 0));
	memset(&f->build, 0, sizeof(f->build));
	put_note(f, CODE + 0x8000, 0xab, 20);
	found(f, CODE + 0x8000, 0xab, 20);
}

FIXTURE_TEST(no_notes)
{
	const Elf64_Nhdr other = {4, 20, NT_GNU_BUILD_ID + 1}, long_name = {5, 20, NT_GNU_BUILD_ID};

	put_note(f, CODE + 0x100, 0xab, 7);
	put_note(f, CODE + 0x200, 0xab, 65);
	put_note(f, CODE + 0x302, 0xab, 20); /* not aligned */
	put_note(f, CODE + 0x400, 0xab, 20);
	write_bytes(f, CODE + 0x400, &other, sizeof(other));
	put_note(f, CODE + 0x500, 0xab, 20);
	write_bytes(f, CODE + 0x500, &long_name, sizeof(long_name));
	put_note(f, CODE + 0xff0, 0xab, 0); /* its id would be in a page that is not there */
	write_bytes(f, CODE + 0xff4, &(uint32_t){20}, 4);
	put_note(f, CODE - 100 * MIB, 0xab, 20); /* too far */
	assert_false(search(f, 0));
}

/* All that is near is searched once; what is elsewhere, a few times. */
FIXTURE_TEST(not_again)
{
	unsigned long maps;

	assert_false(search(f, 0));
	maps = f->d.maps;
	put_note(f, CODE + 0x800, 0xab, 20);
	assert_false(search(f, 0));
	f->regs.ip += 0x1000;
	assert_false(search(f, 0));
	assert_int_equal(f->d.maps, maps);
	for (uint64_t i = 1; i < 100; i++) {
		sim_page(&f->d, f->root, i << 25);
		search(f, i << 25);
	}
	assert_int_equal(f->build.searches, 8);
}

/* Before anything is sampled there is time for all of it. */
FIXTURE_TEST(at_once)
{
	put_note(f, CODE + 2 * MIB, 0xab, 20);
	assert_int_equal(build_search(&f->build, f->pages, &f->regs, 0, UINT64_MAX), BUILD_FOUND);
}

/* Meanwhile the vCPU was in user mode, whose page tables lack the kernel; in others nothing is where it began. */
FIXTURE_TEST(meanwhile_elsewhere)
{
	const uint64_t kernel = f->regs.root.cr3, other = sim_space(&f->d) << GUEST_PAGE_SHIFT;

	put_note(f, CODE + 2 * MIB, 0xab, 20);
	assert_int_equal(build_search(&f->build, f->pages, &f->regs, 0, 0), BUILD_MORE);
	f->regs.user = true;
	f->regs.root.cr3 = other;
	assert_int_equal(build_search(&f->build, f->pages, &f->regs, 0, 0), BUILD_NONE);
	f->regs.user = false;
	f->regs.root.cr3 = kernel;
	assert_int_equal(build_search(&f->build, f->pages, &f->regs, 0, 0), BUILD_MORE);
	f->regs.root.cr3 = other;
	assert_false(search(f, 0));
	f->regs.root.cr3 = kernel;
	assert_int_equal(f->build.searches, 0);
	assert_true(search(f, 0));
}

/* A user's program tells nothing, and the kernel may be mapped elsewhere meanwhile. */
FIXTURE_TEST(in_user_mode)
{
	put_note(f, CODE + 0x800, 0xab, 20);
	f->regs.user = true;
	assert_false(search(f, 0));
	assert_false(search(f, CODE + 1024 * MIB));
	assert_int_equal(f->build.searches, 0);
	assert_true(search(f, CODE + 0x10));
}

/* Page tables all over memory, pages that cannot be mapped, the last and the first address. */
FIXTURE_TEST(led_astray)
{
	const uint64_t loop = f->root << GUEST_PAGE_SHIFT | 3;

	f->regs.ip = 0xfffffffffffff000;
	sim_page(&f->d, f->root, f->regs.ip);
	assert_false(search(f, 0));
	f->regs.ip = 0x10;
	sim_page(&f->d, f->root, 0);
	assert_false(search(f, 0));
	/* Every entry of the root is the root itself: everything is mapped. */
	for (size_t i = 0; i < 512; i++)
		memcpy(f->d.memory[f->root] + 8 * i, &loop, 8);
	f->regs.ip = 1ull << 30;
	assert_false(search(f, 0));
	f->regs.ip = CODE;
	assert_false(search(f, 0));
	f->regs.valid = false;
	assert_false(search(f, CODE));
	assert_true(f->d.maps < 2000);
}
