/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/file/header.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/bytes/checksum.h"

#define DETAIL_SIZE 64

#define FEATURE_ARCHIVE 1u  /* optional */
#define FEATURE_PROGRAMS 1u /* required */

enum tag {
	TAG_TRACE_ID = 1,
	TAG_START = 2,
	TAG_RATE = 3,
	TAG_MAX_STACK = 4,
	TAG_COMMAND = 5,
	TAG_RECORDER = 6,
	TAG_HOST = 7,
	TAG_HYPERVISOR = 8,
	TAG_DOMAIN = 9,
	TAG_TOPS = 10,
};

enum domain_tag {
	DOMAIN_ID = 1,
	DOMAIN_UUID = 2,
	DOMAIN_KIND = 3,
	DOMAIN_ARCH = 4,
	DOMAIN_VCPUS = 5,
	DOMAIN_NAME = 6,
	DOMAIN_IMAGE = 7,
	DOMAIN_BUILD_ID = 8,
	DOMAIN_PROGRAM = 9,
};

/* --- tagged values ----------------------------------------------------------------------------------------------- */

int tag_put(struct buf *b, uint16_t tag, const void *value, size_t len)
{
	uint8_t head[6];
	int rc;

	put_u16(head, tag);
	put_u32(head + 2, (uint32_t)len);
	rc = buf_add(b, head, sizeof(head));
	return rc == 0 ? buf_add(b, value, len) : rc;
}

int tag_put_text(struct buf *b, uint16_t tag, const char *text)
{
	return text ? tag_put(b, tag, text, strlen(text)) : 0;
}

int tag_put_u64(struct buf *b, uint16_t tag, uint64_t value)
{
	uint8_t bytes[8];

	put_u64(bytes, value);
	return tag_put(b, tag, bytes, sizeof(bytes));
}

static int put_u32_tag(struct buf *b, uint16_t tag, uint32_t value)
{
	uint8_t bytes[4];

	put_u32(bytes, value);
	return tag_put(b, tag, bytes, sizeof(bytes));
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

static int put_domain(struct buf *b, const struct upf_domain *d)
{
	struct buf inner = {0};
	int rc;

	rc = put_u32_tag(&inner, DOMAIN_ID, d->id);
	rc = rc ? rc : tag_put(&inner, DOMAIN_UUID, d->uuid, sizeof(d->uuid));
	rc = rc ? rc : tag_put(&inner, DOMAIN_KIND, &d->kind, 1);
	rc = rc ? rc : tag_put(&inner, DOMAIN_ARCH, &d->arch, 1);
	rc = rc ? rc : put_u32_tag(&inner, DOMAIN_VCPUS, d->vcpus);
	rc = rc ? rc : tag_put_text(&inner, DOMAIN_NAME, d->name);
	rc = rc ? rc : tag_put_text(&inner, DOMAIN_IMAGE, d->image);
	rc = rc ? rc : tag_put_text(&inner, DOMAIN_BUILD_ID, d->build_id);
	rc = rc || !d->program ? rc : put_u32_tag(&inner, DOMAIN_PROGRAM, d->program);
	rc = rc ? rc : tag_put(b, TAG_DOMAIN, inner.data, inner.len);
	buf_free(&inner);
	return rc;
}

static int put_tags(struct buf *b, const struct upf_session *s)
{
	uint8_t start[16], tops[12];
	int rc;

	put_u64(start, s->start_real_ns);
	put_u64(start + 8, s->start_mono_ns);
	rc = tag_put(b, TAG_TRACE_ID, s->trace_id, sizeof(s->trace_id));
	rc = rc ? rc : tag_put(b, TAG_START, start, sizeof(start));
	rc = rc ? rc : tag_put_u64(b, TAG_RATE, s->rate_mhz);
	rc = rc ? rc : put_u32_tag(b, TAG_MAX_STACK, s->max_stack);
	put_u32(tops, s->tops);
	put_u32(tops + 4, s->tops_size);
	put_u32(tops + 8, s->copy_size);
	if (s->tops != UPF_TOPS_NONE)
		rc = rc ? rc : tag_put(b, TAG_TOPS, tops, s->copy_size ? 12 : 8);
	rc = rc ? rc : tag_put_text(b, TAG_COMMAND, s->command);
	rc = rc ? rc : tag_put_text(b, TAG_RECORDER, s->recorder);
	rc = rc ? rc : tag_put_text(b, TAG_HOST, s->host);
	rc = rc ? rc : tag_put_text(b, TAG_HYPERVISOR, s->hypervisor);
	for (size_t i = 0; rc == 0 && i < s->ndomains; i++)
		rc = put_domain(b, &s->domains[i]);
	return rc;
}

int header_put(struct buf *b, const struct upf_session *s)
{
	uint8_t fixed[HEADER_FIXED] = {0}, sum[8];
	int rc;

	memcpy(fixed, HEADER_MAGIC, HEADER_MAGIC_SIZE);
	put_u16(fixed + 8, UPF_MAJOR);
	put_u16(fixed + 10, UPF_MINOR);
	put_u64(fixed + 16, s->by_program ? FEATURE_PROGRAMS : 0);
	put_u64(fixed + 24, s->archived ? FEATURE_ARCHIVE : 0);
	rc = buf_add(b, fixed, sizeof(fixed));
	rc = rc ? rc : put_tags(b, s);
	if (rc != 0)
		return rc;
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

static uint64_t value_u64(struct cursor v)
{
	return get_u64(&v);
}

static uint32_t value_u32(struct cursor v)
{
	return get_u32(&v);
}

/* A C string of the value, ended at its first NUL; NULL: no memory. */
static char *value_text(struct cursor v)
{
	return strndup((const char *)v.at, cursor_left(&v));
}

static int keep_text(const char **field, struct cursor v)
{
	free((char *)(uintptr_t)*field);
	*field = value_text(v);
	return *field ? 0 : -ENOMEM;
}

static int get_domain(struct cursor c, struct upf_domain *d)
{
	struct cursor v;
	uint16_t tag;
	int rc = 0;

	while (rc == 0 && tag_get(&c, &tag, &v)) {
		switch (tag) {
		case DOMAIN_ID:
			d->id = value_u32(v);
			break;
		case DOMAIN_UUID: {
			const uint8_t *uuid = get_bytes(&v, sizeof(d->uuid));

			if (uuid)
				memcpy(d->uuid, uuid, sizeof(d->uuid));
			break;
		}
		case DOMAIN_KIND:
			d->kind = get_u8(&v);
			break;
		case DOMAIN_ARCH:
			d->arch = get_u8(&v);
			break;
		case DOMAIN_VCPUS:
			d->vcpus = value_u32(v);
			break;
		case DOMAIN_NAME:
			rc = keep_text(&d->name, v);
			break;
		case DOMAIN_IMAGE:
			rc = keep_text(&d->image, v);
			break;
		case DOMAIN_BUILD_ID:
			rc = keep_text(&d->build_id, v);
			break;
		case DOMAIN_PROGRAM:
			d->program = value_u32(v);
			break;
		default:
			break;
		}
	}
	return rc ? rc : c.bad ? -EBADMSG : 0;
}

static int add_domain(struct header *h, struct cursor v)
{
	struct upf_domain *domain;

	if (h->session.ndomains >= UPF_DOMAINS_MAX)
		return -EBADMSG;
	if (array_room(&h->domains, &h->domain_room, h->session.ndomains, sizeof(*h->domains)) != 0)
		return -ENOMEM;
	h->session.domains = h->domains;
	domain = &h->domains[h->session.ndomains++];
	*domain = (struct upf_domain){0};
	return get_domain(v, domain);
}

static int get_value(struct header *h, uint16_t tag, struct cursor v, char *detail)
{
	struct upf_session *s = &h->session;

	switch (tag) {
	case TAG_TRACE_ID: {
		const uint8_t *id = get_bytes(&v, sizeof(s->trace_id));

		if (!id)
			return -EBADMSG;
		memcpy(s->trace_id, id, sizeof(s->trace_id));
		h->trace_id = peek_u64(id);
		return 0;
	}
	case TAG_START:
		s->start_real_ns = get_u64(&v);
		s->start_mono_ns = get_u64(&v);
		return 0;
	case TAG_RATE:
		s->rate_mhz = value_u64(v);
		return 0;
	case TAG_MAX_STACK:
		s->max_stack = value_u32(v);
		return 0;
	case TAG_COMMAND:
		return keep_text(&s->command, v);
	case TAG_RECORDER:
		return keep_text(&s->recorder, v);
	case TAG_HOST:
		return keep_text(&s->host, v);
	case TAG_HYPERVISOR:
		return keep_text(&s->hypervisor, v);
	case TAG_DOMAIN:
		return add_domain(h, v);
	case TAG_TOPS:
		s->tops = (uint8_t)get_u32(&v);
		s->tops_size = get_u32(&v);
		s->copy_size = get_u32(&v);
		return 0;
	default:
		if (!(tag & TAG_REQUIRED))
			return 0;
		if (detail)
			snprintf(detail, DETAIL_SIZE, "header value 0x%x", tag);
		return -ENOTSUP;
	}
}

static bool features_known(uint64_t required, char *detail)
{
	uint64_t unknown = required & ~(uint64_t)FEATURE_PROGRAMS;

	if (unknown && detail)
		snprintf(detail, DETAIL_SIZE, "feature bit %d", __builtin_ctzll(unknown));
	return unknown == 0;
}

/* Without the feature all domains are of one program, whatever they say. */
static void join_programs(struct header *h)
{
	for (size_t i = 0; i < h->session.ndomains; i++)
		h->domains[i].program = 0;
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
	if (!h->session.by_program)
		join_programs(h);
	if (rc == 0 && !c.bad)
		return UPF_OK;
	header_free(h);
	return rc == -ENOTSUP ? UPF_FAULT_FEATURE : rc == -ENOMEM ? UPF_FAULT_MEMORY : UPF_FAULT_HEADER;
}

static void free_text(const char *text)
{
	free((char *)(uintptr_t)text);
}

void header_free(struct header *h)
{
	free_text(h->session.command);
	free_text(h->session.recorder);
	free_text(h->session.host);
	free_text(h->session.hypervisor);
	for (size_t i = 0; i < h->session.ndomains; i++) {
		free_text(h->domains[i].name);
		free_text(h->domains[i].image);
		free_text(h->domains[i].build_id);
	}
	free(h->domains);
	memset(h, 0, sizeof(*h));
}
