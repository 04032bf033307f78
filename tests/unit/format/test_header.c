/* SPDX-License-Identifier: BSD-2-Clause */
/* The file header: what goes in comes out, what is unknown is passed over or refused by name. */
#include "tests/unit/format/trace.h"

#include "format/bytes/wire.h"
#include "format/file/header.h"

static void assert_domain(const struct upf_domain *a, const struct upf_domain *b)
{
	assert_true(a->id == b->id && a->kind == b->kind && a->arch == b->arch && a->vcpus == b->vcpus);
	assert_memory_equal(a->uuid, b->uuid, 16);
	assert_string_equal(a->name, b->name);
	assert_true((a->image == NULL) == (b->image == NULL) && (a->build_id == NULL) == (b->build_id == NULL));
	if (b->image)
		assert_string_equal(a->image, b->image);
	if (b->build_id)
		assert_string_equal(a->build_id, b->build_id);
}

TEST(comes_back)
{
	struct small t;
	enum upf_fault fault;
	struct upf_reader *r;
	const struct upf_session *s;
	int fd;

	make_small(&t);
	fd = file_of(t.bytes.data, t.bytes.len);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	s = upf_reader_session(r);
	assert_memory_equal(s->trace_id, some_session.trace_id, 16);
	assert_true(s->start_real_ns == some_session.start_real_ns && s->start_mono_ns == some_session.start_mono_ns);
	assert_true(s->rate_mhz == some_session.rate_mhz && s->max_stack == some_session.max_stack);
	assert_string_equal(s->command, some_session.command);
	assert_string_equal(s->recorder, some_session.recorder);
	assert_string_equal(s->host, some_session.host);
	assert_string_equal(s->hypervisor, some_session.hypervisor);
	assert_int_equal(s->ndomains, 2);
	for (int i = 0; i < 2; i++)
		assert_domain(&s->domains[i], &two_domains[i]);
	assert_int_equal(upf_reader_minor(r), UPF_MINOR);
	upf_reader_close(r);
	close(fd);
	free(t.bytes.data);
}

/* Domains have programs only in an archive that keeps them apart. */
TEST(programs)
{
	const struct upf_domain domains[] = {{.name = "a", .program = 5}, {.name = "b"}};
	struct upf_session session = some_session;

	session.domains = domains;
	for (int by_program = 0; by_program < 2; by_program++) {
		struct buf b = {0};
		struct header h;

		session.by_program = by_program;
		assert_int_equal(header_put(&b, &session), 0);
		assert_int_equal(header_get(b.data, (uint32_t)b.len, &h, NULL), UPF_OK);
		assert_int_equal(h.session.by_program, by_program);
		assert_int_equal(h.session.domains[0].program, by_program ? 5 : 0);
		assert_int_equal(h.session.domains[1].program, 0);
		header_free(&h);
		buf_free(&b);
	}
}

/* A header of these fields and one value more, sound but for what is asked. */
static struct outcome read_header_with(uint16_t major, uint16_t minor, uint64_t required, uint64_t optional,
                                       uint16_t tag)
{
	struct buf b = {0};
	uint8_t sum[8];
	struct outcome o;

	assert_int_equal(header_put(&b, &some_session), 0);
	b.len -= sizeof(sum);
	tag_put(&b, tag, "later", 5);
	assert_false(b.failed);
	put_u16(b.data + 8, major);
	put_u16(b.data + 10, minor);
	put_u64(b.data + 16, required);
	put_u64(b.data + 24, optional);
	put_u32(b.data + 12, (uint32_t)(b.len + sizeof(sum)));
	put_u64(sum, checksum(b.data, b.len));
	assert_int_equal(buf_add(&b, sum, sizeof(sum)), 0);
	o = read_bytes(b.data, b.len);
	buf_free(&b);
	return o;
}

TEST(optional_things_are_passed_over)
{
	struct outcome o = read_header_with(UPF_MAJOR, UPF_MINOR + 7, 0, UINT64_MAX, 0x1234);

	assert_int_equal(o.open, UPF_OK);
}

TEST(required_things_are_refused_by_name)
{
	struct outcome o = read_header_with(UPF_MAJOR, UPF_MINOR, 1u << 3, 0, 0x1234);

	assert_int_equal(o.open, UPF_FAULT_FEATURE);
	assert_string_equal(o.detail, "feature bit 3");
	o = read_header_with(UPF_MAJOR, UPF_MINOR, UINT64_C(1) << 63, 0, 0x1234);
	assert_string_equal(o.detail, "feature bit 63");
	o = read_header_with(UPF_MAJOR, UPF_MINOR, 0, 0, 0x8123);
	assert_int_equal(o.open, UPF_FAULT_FEATURE);
	assert_string_equal(o.detail, "header value 0x8123");
	o = read_header_with(UPF_MAJOR + 1, 5, 0, 0, 0x1234);
	assert_int_equal(o.open, UPF_FAULT_MAJOR);
	assert_string_equal(o.detail, "version 3.5");
}

TEST(values_that_pass_the_end_are_refused)
{
	struct buf b = {0};
	uint8_t sum[8];

	assert_int_equal(header_put(&b, &some_session), 0);
	for (size_t cut = 1; cut < 7; cut++) { /* into the last domain's value, or its head */
		size_t len = b.len - 8 - cut;
		uint8_t *copy = malloc(len + 8);
		struct outcome o;

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		put_u32(copy + 12, (uint32_t)(len + 8));
		put_u64(sum, checksum(copy, len));
		memcpy(copy + len, sum, 8);
		o = read_bytes(copy, len + 8);
		assert_int_equal(o.open, UPF_FAULT_HEADER);
		free(copy);
	}
	buf_free(&b);
}

TEST(not_a_trace)
{
	const char text[] = "#!/bin/sh\necho this is a text of more than forty bytes\n";
	struct outcome o = read_bytes((const uint8_t *)text, sizeof(text));

	assert_int_equal(o.open, UPF_FAULT_MAGIC);
	o = read_bytes((const uint8_t *)"x", 1);
	assert_int_equal(o.open, UPF_FAULT_MAGIC);
}

TEST(reading_that_fails_says_why)
{
	enum upf_fault fault;

	errno = 0;
	assert_null(upf_reader_open(-1, &fault, NULL));
	assert_int_equal(fault, UPF_FAULT_IO);
	assert_int_equal(errno, EBADF);
}

TEST(many_domains)
{
	static struct upf_domain domains[UPF_DOMAINS_MAX];
	struct upf_session session = some_session;
	struct bytes b = {0};
	struct upf_writer *w;
	struct outcome o;

	session.domains = domains;
	session.ndomains = UPF_DOMAINS_MAX;
	for (uint32_t i = 0; i < UPF_DOMAINS_MAX; i++)
		domains[i] = (struct upf_domain){.id = i, .name = "x"};
	w = upf_writer_new(&session, collect, &b);
	assert_non_null(w);
	upf_writer_free(w);
	o = read_bytes(b.data, b.len);
	assert_int_equal(o.open, UPF_OK);
	free(b.data);
}

static int refuse(void *ctx, const void *data, size_t len)
{
	(void)ctx, (void)data, (void)len;
	return -ENOSPC;
}

TEST(a_writer_without_output_is_none)
{
	errno = 0;
	assert_null(upf_writer_new(&some_session, refuse, NULL));
	assert_int_equal(errno, ENOSPC);
}
