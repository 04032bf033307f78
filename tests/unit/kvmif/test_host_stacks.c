/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host did: the kernel's functions by kallsyms, and stacks that are made once. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kvmif/host/host_stacks.h"
#include "kvmif/host/kernel_symbols.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81001000 D some_data\n"
			       "ffffffff81002000 t schedule\n"
			       "ffffffff81000500 T first\n"
			       "ffffffff81000500 t alias\n"
			       "nonsense\n"
			       "ffffffffc0000000 t enter\t[kvm_amd]\n"
			       "ffffffffc0000100 t leave\t[kvm_amd]\n"
			       "ffffffffc0000200 W other\t[kvm]\n";

static struct kernel_symbols *read_text(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct kernel_symbols *k;
	int error;

	assert_non_null(f);
	k = kernel_symbols_read(f);
	error = errno;
	fclose(f);
	errno = error;
	return k;
}

static void check(const struct kernel_symbols *k, uint64_t address, uint64_t start, const char *name,
                  const char *module)
{
	struct kernel_function f = kernel_symbols_find(k, address);

	assert_true(f.start == start);
	if (!start)
		return;
	assert_string_equal(f.name, name);
	assert_string_equal(f.module, module);
}

TEST(functions_are_found)
{
	struct kernel_symbols *k = read_text(kallsyms);

	assert_non_null(k);
	check(k, 0xffffffff80ffffff, 0, NULL, NULL);
	check(k, 0xffffffff81000000, 0xffffffff81000000, "_text", "kernel");
	check(k, 0xffffffff81000500, 0xffffffff81000500, "first", "kernel");
	check(k, 0xffffffff81000fff, 0xffffffff81000500, "first", "kernel");
	check(k, 0xffffffff81001008, 0, NULL, NULL); /* behind data */
	check(k, 0xffffffff81002abc, 0xffffffff81002000, "schedule", "kernel");
	check(k, 0xffffffffc00000ff, 0xffffffffc0000000, "enter", "kvm_amd");
	check(k, 0xffffffffc0000100, 0xffffffffc0000100, "leave", "kvm_amd");
	check(k, 0xffffffffc0000201, 0xffffffffc0000200, "other", "kvm");
	/* A module may have come since where no symbol says whose it is. */
	check(k, 0xffffffffc0000fff, 0xffffffffc0000200, "other", "kvm");
	check(k, 0xffffffffc0001000, 0, NULL, NULL);
	/* No function is so large. */
	check(k, 0xffffffff81012000, 0, NULL, NULL);
	kernel_symbols_free(k);
}

TEST(hidden_addresses_are_refused)
{
	assert_null(read_text("0000000000000000 T _text\n0000000000000000 t schedule\n"));
	assert_int_equal(errno, EPERM);
	assert_null(read_text("nothing\n"));
	assert_int_equal(errno, EPERM);
}

static struct host_stacks *open_stacks(void)
{
	char path[] = "/tmp/kallsyms-XXXXXX", why[200];
	int fd = mkstemp(path);
	struct host_stacks *h;

	assert_true(fd >= 0 && write(fd, kallsyms, sizeof(kallsyms) - 1) == sizeof(kallsyms) - 1);
	close(fd);
	h = host_stacks_open(path, why, sizeof(why));
	unlink(path);
	assert_non_null(h);
	return h;
}

TEST(each_stack_is_made_once)
{
	/* Two places of one function; a return address behind the last instruction of enter(). */
	const unsigned long long one[] = {0xffffffff81002010, 0xffffffffc0000100},
				 same[] = {0xffffffff81002020, one[1]}, other[] = {one[0]}, unknown[] = {1, 2};
	struct host_stacks *h = open_stacks();
	const struct host_stack *s = host_stacks_find(h, &(struct host_addresses){.kernel = one, .nkernel = 2});

	assert_non_null(s);
	assert_int_equal(s->depth, 2);
	assert_string_equal(s->frames[0]->name, "schedule");
	assert_string_equal(s->frames[1]->name, "enter");
	assert_string_equal(s->frames[1]->file, "kvm_amd");
	assert_ptr_equal(s, host_stacks_find(h, &(struct host_addresses){.kernel = same, .nkernel = 2}));
	assert_ptr_not_equal(s, host_stacks_find(h, &(struct host_addresses){.kernel = other, .nkernel = 1}));
	s = host_stacks_find(h, &(struct host_addresses){.kernel = unknown, .nkernel = 2});
	assert_true(s && s->frames[0] == s->frames[1] && !*s->frames[0]->name);
	assert_null(host_stacks_find(h, &(struct host_addresses){0}));
	host_stacks_close(h);
}

/* More stacks than numbers: each has a stack, and those that came first have theirs. */
TEST(too_many_are_one)
{
	static const unsigned long long known[] = {0xffffffff81000000, 0xffffffff81000500, 0xffffffff81002000,
	                                           0xffffffffc0000000, 0xffffffffc0000100, 0xffffffffc0000200};
	const unsigned each = 7; /* known ones, and one that is not */
	struct host_stacks *h = open_stacks();
	const struct host_stack *first = NULL, *last = NULL, *s;

	for (unsigned n = 0; n < 2 * HOST_NUMBERS_MAX; n++) {
		unsigned long long kernel[7];
		unsigned rest = n;

		for (unsigned i = 0; i < 7; i++, rest /= each)
			kernel[i] = rest % each < 6 ? known[rest % each] + 1 : 1;
		s = host_stacks_find(h, &(struct host_addresses){.kernel = kernel, .nkernel = 7});
		assert_non_null(s);
		assert_true(s->id == (n < HOST_NUMBERS_MAX ? n : HOST_NUMBERS_MAX - 1));
		first = n ? first : s;
		last = s;
	}
	assert_string_equal(last->frames[0]->name, "[too many host stacks]");
	s = host_stacks_find(
		h, &(struct host_addresses){
			   .kernel = (const unsigned long long[]){known[0], known[0] + 1, known[0] + 1, known[0] + 1,
	                                                          known[0] + 1, known[0] + 1, known[0] + 1},
			   .nkernel = 7});
	assert_ptr_equal(s, first);
	host_stacks_close(h);
}

TEST(monitors_are_told_by_file)
{
	const uint8_t build_id[] = {1, 2, 3};
	const unsigned long long kernel[] = {0xffffffff81002010};
	char own[4096] = "";
	struct host_addresses a = {.kernel = kernel,
	                           .nkernel = 1,
	                           .monitor = getpid(),
	                           .vmm_ip = (uintptr_t)monitors_are_told_by_file,
	                           .build_id = build_id,
	                           .build_id_size = sizeof(build_id),
	                           .offset = 77};
	struct host_stacks *h = open_stacks();
	const struct host_stack *s = host_stacks_find(h, &a);

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_true(s && s->depth == 2 && s->frames[1]->is_vmm);
	assert_string_equal(s->frames[1]->file, own);
	assert_memory_equal(s->frames[1]->build_id, build_id, sizeof(build_id));
	assert_true(s->frames[1]->build_id_size == sizeof(build_id) && s->frames[1]->offset == 77);
	a.vmm_ip = 1; /* of no file */
	s = host_stacks_find(h, &a);
	assert_true(s && s->depth == 2 && !*s->frames[1]->file);
	host_stacks_close(h);
}
