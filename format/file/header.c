/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/file/header.h"
#include "common/array.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/bytes/wire.h"

#define DETAIL_SIZE 64

#define FEATURE_ARCHIVE 1u  /* optional */
#define FEATURE_PROGRAMS 1u /* required */

/* Tags that are more than fields. */
#define TAG_TRACE_ID 1
#define TAG_DOMAIN 9
#define TAG_TOPS 10
#define TAG_BOOT 11 /* of a domain */

/* A tagged value (FORMAT.md, "File header") that is a field of a structure. */
struct field {
	uint16_t tag;
	uint8_t size; /* of a number, in bytes; 0: a text */
	uint8_t n;    /* how many such numbers, one behind the other */
	size_t at;
	bool is_rare; /* left out if it is 0 */
};
#define OF_SESSION(field) offsetof(struct upf_session, field)
#define OF_DOMAIN(field) offsetof(struct upf_domain, field)

static_assert(OF_SESSION(start_mono_ns) == OF_SESSION(start_real_ns) + 8, "one behind the other");
static const struct field session_fields[] = {
	{TAG_TRACE_ID, 1, 16, OF_SESSION(trace_id)},
	{2, 8, 2, OF_SESSION(start_real_ns)},
	{3, 8, 1, OF_SESSION(rate_mhz)},
	{4, 4, 1, OF_SESSION(max_stack)},
	{5, 0, 0, OF_SESSION(command)},
	{6, 0, 0, OF_SESSION(recorder)},
	{7, 0, 0, OF_SESSION(host)},
	{8, 0, 0, OF_SESSION(hypervisor)},
};
static const struct field domain_fields[] = {
	{1, 4, 1, OF_DOMAIN(id)},          {2, 1, 16, OF_DOMAIN(uuid)},    {3, 1, 1, OF_DOMAIN(kind)},
	{4, 1, 1, OF_DOMAIN(arch)},        {5, 4, 1, OF_DOMAIN(vcpus)},    {6, 0, 0, OF_DOMAIN(name)},
	{7, 0, 0, OF_DOMAIN(image)},       {8, 0, 0, OF_DOMAIN(build_id)}, {9, 4, 1, OF_DOMAIN(program), true},
	{10, 1, 1, OF_DOMAIN(live), true},
};
#define SESSION_FIELDS (sizeof(session_fields) / sizeof(*session_fields))
#define DOMAIN_FIELDS (sizeof(domain_fields) / sizeof(*domain_fields))

/* --- tagged values ----------------------------------------------------------------------------------------------- */

void tag_put(struct buf *b, uint16_t tag, const void *value, size_t len)
{
	uint8_t head[6];

	put_u16(head, tag);
	put_u32(head + 2, (uint32_t)len);
	buf_add(b, head, sizeof(head));
	buf_add(b, value, len);
}

bool tag_get(struct cursor *c, uint16_t *tag, struct cursor *value)
{
	const uint8_t *at;
	uint32_t len;

	if (cursor_left(c) == 0)
		return false;
	*tag = get_u16(c);
	len = get_u32(c);
	at = get_bytes(c, len);
	if (!at)
		return false;
	*value = cursor_of(at, len);
	return true;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static uint64_t read_number(const void *at, size_t size)
{
	return size == 1 ? *(const uint8_t *)at : size == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static void put_header_field(struct buf *b, const struct field *f, const void *structure)
{
	const uint8_t *at = (const uint8_t *)structure + f->at;
	const char *text = f->size == 0 ? *(const char *const *)at : NULL;
	uint8_t bytes[16 + 8];

	if (text)
		tag_put(b, f->tag, text, strlen(text));
	if (f->size == 0 || (f->is_rare && read_number(at, f->size) == 0))
		return;
	for (size_t i = 0; i < f->n; i++)
		put_u64(bytes + i * f->size, read_number(at + i * f->size, f->size));
	tag_put(b, f->tag, bytes, f->n * (size_t)f->size);
}

static void put_fields(struct buf *b, const struct field *f, size_t n, const void *structure)
{
	for (size_t i = 0; i < n; i++)
		put_header_field(b, &f[i], structure);
}

static void put_tops(struct buf *b, const struct upf_session *s)
{
	uint8_t tops[12];

	put_u32(tops, s->tops);
	put_u32(tops + 4, s->tops_size);
	put_u32(tops + 8, s->copy_size);
	if (s->tops != UPF_TOPS_NONE)
		tag_put(b, TAG_TOPS, tops, s->copy_size ? 12 : 8);
}

static void put_boot(struct buf *b, const struct upf_boot *boot)
{
	uint8_t bytes[12];

	put_u64(bytes, boot->from_ns);
	put_u32(bytes + 8, boot->program);
	tag_put(b, TAG_BOOT, bytes, sizeof(bytes));
}

static void put_domain_fields(struct buf *b, const struct upf_domain *d)
{
	struct buf inner = {0};

	put_fields(&inner, domain_fields, DOMAIN_FIELDS, d);
	for (uint32_t i = 0; i < d->nboots; i++)
		put_boot(&inner, &d->boots[i]);
	tag_put(b, TAG_DOMAIN, inner.data, inner.len);
	b->failed |= inner.failed;
	buf_free(&inner);
}

int header_put(struct buf *b, const struct upf_session *s)
{
	uint8_t fixed[HEADER_FIXED] = {0}, sum[8];

	memcpy(fixed, HEADER_MAGIC, HEADER_MAGIC_SIZE);
	put_u16(fixed + 8, UPF_MAJOR);
	put_u16(fixed + 10, UPF_MINOR);
	put_u64(fixed + 16, s->by_program ? FEATURE_PROGRAMS : 0);
	put_u64(fixed + 24, s->archived ? FEATURE_ARCHIVE : 0);
	buf_add(b, fixed, sizeof(fixed));
	put_fields(b, session_fields, SESSION_FIELDS, s);
	put_tops(b, s);
	for (size_t i = 0; i < s->ndomains; i++)
		put_domain_fields(b, &s->domains[i]);
	if (b->failed)
		return -ENOMEM;
	if (b->len + sizeof(sum) > HEADER_MAX)
		return -E2BIG;
	put_u32(b->data + 12, (uint32_t)(b->len + sizeof(sum)));
	put_u64(sum, checksum(b->data, b->len));
	return buf_add(b, sum, sizeof(sum));
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

uint32_t header_size(const uint8_t *at, enum upf_fault *fault, char *detail)
{
	uint32_t size = peek_u32(at + 12);

	*fault = UPF_OK;
	if (memcmp(at, HEADER_MAGIC, HEADER_MAGIC_SIZE) != 0) {
		*fault = UPF_FAULT_MAGIC;
	} else if (peek_u16(at + 8) != UPF_MAJOR && peek_u16(at + 8) != V1_MAJOR) {
		*fault = UPF_FAULT_MAJOR;
		if (detail)
			snprintf(detail, DETAIL_SIZE, "version %u.%u", peek_u16(at + 8), peek_u16(at + 10));
	} else if (size < HEADER_FIXED + 8 || size > HEADER_MAX) {
		*fault = UPF_FAULT_HEADER;
	}
	return *fault == UPF_OK ? size : 0;
}

static const struct field *find_field(const struct field *f, size_t n, uint16_t tag)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].tag == tag)
			return &f[i];
	return NULL;
}

/* The value becomes the field. A text ends at its first NUL. 0 or -ENOMEM. */
static int get_field(const struct field *f, void *structure, struct cursor v)
{
	uint8_t *at = (uint8_t *)structure + f->at;

	if (f->size == 0) {
		const char **text = (const char **)at;

		free((char *)(uintptr_t)*text);
		*text = strndup((const char *)v.at, cursor_left(&v));
		return *text ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < f->n; i++, at += f->size)
		switch (f->size) {
		case 1:
			*at = get_u8(&v);
			break;
		case 4:
			*(uint32_t *)at = get_u32(&v);
			break;
		default:
			*(uint64_t *)at = get_u64(&v);
		}
	return 0;
}

static void free_texts(const struct field *f, size_t n, void *structure)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].size == 0)
			free((char *)(uintptr_t) * (const char **)((uint8_t *)structure + f[i].at));
}

/* They are in order of time; what is not is left out. */
static int add_boot(struct upf_domain *d, struct cursor v)
{
	const struct upf_boot boot = {get_u64(&v), get_u32(&v)};
	struct upf_boot *list = (struct upf_boot *)(uintptr_t)d->boots;

	if (v.bad || d->nboots == UPF_BOOTS_MAX || (d->nboots && list[d->nboots - 1].from_ns >= boot.from_ns))
		return 0;
	if (!list)
		d->boots = list = calloc(UPF_BOOTS_MAX, sizeof(*list));
	if (!list)
		return -ENOMEM;
	list[d->nboots++] = boot;
	return 0;
}

static int add_domain(struct header *h, struct cursor c)
{
	struct upf_domain *domain;
	struct cursor v;
	uint16_t tag;
	int rc = 0;

	if (h->session.ndomains >= UPF_DOMAINS_MAX)
		return -EBADMSG;
	if (array_room(&h->domains, &h->domain_room, h->session.ndomains, sizeof(*h->domains)) != 0)
		return -ENOMEM;
	h->session.domains = h->domains;
	domain = &h->domains[h->session.ndomains++];
	*domain = (struct upf_domain){0};
	while (rc == 0 && tag_get(&c, &tag, &v)) {
		const struct field *f = find_field(domain_fields, DOMAIN_FIELDS, tag);

		rc = f ? get_field(f, domain, v) : tag == TAG_BOOT ? add_boot(domain, v) : 0;
	}
	return rc ? rc : c.bad ? -EBADMSG : 0;
}

static int get_value(struct header *h, uint16_t tag, struct cursor v, char *detail)
{
	const struct field *f = find_field(session_fields, SESSION_FIELDS, tag);
	struct upf_session *s = &h->session;

	if (tag == TAG_TRACE_ID && cursor_left(&v) < sizeof(s->trace_id))
		return -EBADMSG;
	if (f)
		return get_field(f, s, v);
	if (tag == TAG_DOMAIN)
		return add_domain(h, v);
	if (tag == TAG_TOPS) {
		s->tops = (uint8_t)get_u32(&v);
		s->tops_size = get_u32(&v);
		s->copy_size = get_u32(&v);
		return 0;
	}
	if (!(tag & TAG_REQUIRED))
		return 0;
	if (detail)
		snprintf(detail, DETAIL_SIZE, "header value 0x%x", tag);
	return -ENOTSUP;
}

static bool features_known(uint64_t required, char *detail)
{
	uint64_t unknown = required & ~(uint64_t)FEATURE_PROGRAMS;

	if (unknown && detail)
		snprintf(detail, DETAIL_SIZE, "feature bit %d", __builtin_ctzll(unknown));
	return unknown == 0;
}

enum upf_fault header_get(const uint8_t *at, uint32_t size, struct header *h, char *detail)
{
	struct cursor c = cursor_of(at + HEADER_FIXED, size - HEADER_FIXED - 8), v;
	uint16_t tag;
	int rc = 0;

	memset(h, 0, sizeof(*h));
	if (peek_u64(at + size - 8) != checksum(at, size - 8))
		return UPF_FAULT_HEADER;
	if (!features_known(peek_u64(at + 16), detail))
		return UPF_FAULT_FEATURE;
	h->major = peek_u16(at + 8);
	h->minor = peek_u16(at + 10);
	h->session.archived = peek_u64(at + 24) & FEATURE_ARCHIVE;
	h->session.by_program = peek_u64(at + 16) & FEATURE_PROGRAMS;
	while (rc == 0 && tag_get(&c, &tag, &v))
		rc = get_value(h, tag, v, detail);
	h->trace_id = peek_u64(h->session.trace_id);
	/* Without the feature all domains are of one program, whatever they say. */
	for (size_t i = 0; !h->session.by_program && i < h->session.ndomains; i++)
		h->domains[i].program = h->domains[i].nboots = 0;
	if (rc == 0 && !c.bad)
		return UPF_OK;
	header_free(h);
	return rc == -ENOTSUP ? UPF_FAULT_FEATURE : rc == -ENOMEM ? UPF_FAULT_MEMORY : UPF_FAULT_HEADER;
}

uint32_t upf_session_program(const struct upf_session *s, uint32_t domain, uint64_t time_ns)
{
	const struct upf_domain *d = domain < s->ndomains ? &s->domains[domain] : NULL;
	uint32_t i = d ? d->nboots : 0;

	while (i > 0 && d->boots[i - 1].from_ns > time_ns)
		i--;
	return i > 0 ? d->boots[i - 1].program : d ? d->program : 0;
}

void header_free(struct header *h)
{
	free_texts(session_fields, SESSION_FIELDS, &h->session);
	for (size_t i = 0; i < h->session.ndomains; i++) {
		free_texts(domain_fields, DOMAIN_FIELDS, &h->domains[i]);
		free((void *)(uintptr_t)h->domains[i].boots);
	}
	free(h->domains);
	memset(h, 0, sizeof(*h));
}
