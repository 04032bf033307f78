/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a monitor by file and place: this program is the monitor. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/elf/debug_file.h"
#include "report/symbols/monitor_names.h"

/* Where in the file of this program @address is. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *address)
{
	uint64_t *at = address;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && *at >= start && *at < start + h->p_filesz) {
			*at = *at - start + h->p_offset;
			return 1;
		}
	}
	return 0;
}

static void is_named(struct monitor_names *m, const char *place, const char *name)
{
	char *shown;

	assert_int_equal(monitor_name(m, place, &shown), 0);
	assert_string_equal(shown, name);
	free(shown);
}

TEST(the_function_is_found)
{
	const struct debug_search where = {0};
	struct monitor_names m = {.where = &where}, none = {0};
	char path[4096] = "", place[MONITOR_PLACE_MAX], why[256];
	uint64_t offset = (uintptr_t)the_function_is_found;
	char id[BUILD_ID_TEXT];
	struct elf_file *f;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	f = elf_file_open(path, why, sizeof(why));
	assert_non_null(f);
	elf_file_build_id(f, id);
	elf_file_close(f);
	assert_int_equal(dl_iterate_phdr(find_offset, &offset), 1);
	snprintf(place, sizeof(place), "@%s+%" PRIx64 " %.255s", id, offset, path);
	is_named(&m, place, "the_function_is_found [VMM:test_monitor_names]");
	is_named(&none, place, "[unknown] [VMM:test_monitor_names]");
	/* Another build at the same path. */
	place[1] = place[1] == '0' ? '1' : '0';
	is_named(&m, place, "[unknown] [VMM:test_monitor_names]");
	monitor_place(place, (const uint8_t[]){0x0a, 0xbc}, 2, 0x12, "/bin/other", 10);
	assert_string_equal(place, "@0abc+12 /bin/other");
	is_named(&m, place, "[unknown] [VMM:other]");
	monitor_place(place, NULL, 0, 0, "/bin/other", 10);
	is_named(&m, place, "[unknown] [VMM:other]");
	monitor_names_free(&m);
	monitor_names_free(&none);
}

TEST(other_texts_are_names)
{
	struct monitor_names m = {0};

	for (const char *const *text =
	             (const char *const[]){"schedule [kernel]", "", "@", "@+", "@12", "@12+xyz", "@+zz /a", NULL};
	     *text; text++)
		is_named(&m, *text, *text);
	is_named(&m, "@12+7 ", "[unknown] [VMM:anonymous]");
	is_named(&m, "@+0 [vdso]", "[unknown] [VMM:vdso]");
}
