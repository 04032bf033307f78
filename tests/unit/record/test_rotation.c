/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of several traces, and which of them are kept. */
#include "tests/unit/record/folder.h"

#include <time.h>

#include "record/output/rotation.h"

#define LEAP_DAY 1709210096120000000ull /* 2024-02-29 12:34:56.12 UTC */

static void expect(const struct rotation *r, uint64_t real_ns, const char *expected)
{
	char *name = rotation_name(r, real_ns);

	assert_string_equal(name, expected);
	free(name);
}

FOLDER_TEST(stamps)
{
	struct rotation *r = rotation_new("run.upf", 0);

	setenv("TZ", "America/New_York", 1);
	tzset();
	expect(r, LEAP_DAY, "run.upf.2024022912345612");
	expect(r, LEAP_DAY + 9999999, "run.upf.2024022912345612");
	expect(r, LEAP_DAY + 10000000, "run.upf.2024022912345613");
	rotation_free(r);
}

FOLDER_TEST(taken_names)
{
	struct rotation *r = rotation_new("run.upf", 0);

	write_text("run.upf.2024022912345612", "precious");
	assert_int_equal(mkdir("run.upf.2024022912345613", 0777), 0);
	expect(r, LEAP_DAY, "run.upf.2024022912345614");
	rotation_free(r);
}

static void add(struct rotation *r, const char *name)
{
	write_text(name, name);
	rotation_add(r, name);
}

FOLDER_TEST(the_newest_are_kept)
{
	struct rotation *r = rotation_new("run", 2);

	write_text("run.0", "of another recording");
	add(r, "run.1");
	add(r, "run.2");
	assert_int_equal(entries_of("."), 3);
	add(r, "run.3");
	assert_int_equal(entries_of("."), 3);
	assert_int_equal(access("run.1", F_OK), -1);
	/* Somebody was faster. */
	assert_int_equal(unlink("run.2"), 0);
	add(r, "run.4");
	add(r, "run.5");
	assert_int_equal(entries_of("."), 3);
	assert_int_equal(access("run.0", F_OK), 0);
	assert_int_equal(access("run.4", F_OK), 0);
	assert_int_equal(access("run.5", F_OK), 0);
	rotation_free(r);
}

/* Of this path, whatever characters it has, and of no other. */
FOLDER_TEST(earlier_recordings_count)
{
	static const char path[] = "r*[u]n\\?";
	static const char *const kept[] = {"run.2024022912345601", "r*[u]n\\?.202402291234560",
	                                   "r*[u]n\\?.20240229123456010", "r*[u]n\\?.2024022912345x01"};
	struct rotation *r = rotation_new(path, 2);
	char name[64];

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		write_text(kept[i], "another file");
	assert_int_equal(mkdir("r*[u]n\\?.2024022912345600", 0777), 0);
	for (int i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), "%s.202402291234560%d", path, i);
		write_text(name, "of an earlier recording");
	}
	rotation_adopt(r);
	assert_int_equal(access("r*[u]n\\?.2024022912345601", F_OK), -1);
	assert_int_equal(entries_of("."), 4 + 1 + 2);
	add(r, "r*[u]n\\?.2024022912345604");
	assert_int_equal(access("r*[u]n\\?.2024022912345602", F_OK), -1);
	assert_int_equal(access("r*[u]n\\?.2024022912345603", F_OK), 0);
	assert_int_equal(entries_of("."), 4 + 1 + 2);
	rotation_free(r);
}

FOLDER_TEST(all_are_kept)
{
	struct rotation *r = rotation_new("run", 0);

	add(r, "run.1");
	add(r, "run.2");
	assert_int_equal(entries_of("."), 2);
	rotation_free(r);
}
