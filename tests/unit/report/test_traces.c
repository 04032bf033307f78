/* SPDX-License-Identifier: BSD-2-Clause */
/* Several traces shown as one: their order, and the time and session they have together. */
#include "tests/unit/unit.h"

#include "report/input/traces.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECOND 1000000000ull

static int put(void *ctx, const void *data, size_t len)
{
	return write(*(int *)ctx, data, len) == (ssize_t)len ? 0 : -EIO;
}

/* Adds an empty trace that starts so many seconds after the first one of a host. */
static void add(struct traces *t, const char *path, unsigned seconds)
{
	const struct upf_domain domain = {.id = 1, .name = path, .vcpus = 1};
	const struct upf_session session = {.rate_mhz = 1000,
	                                    .max_stack = 8,
	                                    .start_real_ns = (1700000000 + seconds) * SECOND,
	                                    .start_mono_ns = (1000 + seconds) * SECOND,
	                                    .domains = &domain,
	                                    .ndomains = 1};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_reader *reader;
	enum upf_fault fault;

	assert_non_null(w);
	assert_int_equal(upf_writer_finish(w, &(struct upf_totals){0}, UPF_REASON_DURATION), 0);
	upf_writer_free(w);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	reader = upf_reader_open(fd, &fault, NULL);
	assert_non_null(reader);
	assert_int_equal(traces_add(t, path, fd, reader), 0);
}

TEST(in_the_order_of_time)
{
	static const char *const paths[] = {"b", "c", "d", "a"};
	static const unsigned seconds[] = {0, 0, 5, 60};
	const struct selection selection = {0};
	struct traces t = {0};
	char why[128];

	add(&t, "a", 60);
	add(&t, "b", 0);
	add(&t, "c", 0);
	add(&t, "d", 5);
	assert_int_equal(traces_join(&t, &selection, why, sizeof(why)), 0);
	assert_int_equal(t.session.start_real_ns, 1700000000 * SECOND);
	assert_int_equal(t.session.start_mono_ns, 1000 * SECOND);
	assert_int_equal(t.session.ndomains, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(t.list[i].path, paths[i]);
		assert_int_equal(t.list[i].scope.later_ns, seconds[i] * SECOND);
		assert_string_equal(t.session.domains[scope_domain(&t.list[i].scope, 0)].name, paths[i]);
	}
	traces_close(&t);
}
