/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of version 1, written by the last recorder that wrote them: each is read as that version's reader read it,
 * down to the last word of a window or copy. digest_of() gave the numbers below there.
 */
#include "tests/unit/format/trace.h"

#include <fcntl.h>

#include "format/bytes/wire.h"

#define FOLDER "tests/unit/format/v1/"

struct digest {
	uint64_t sum;
};

static void take(struct digest *d, const void *data, size_t len)
{
	d->sum = checksum2((const uint8_t *)&d->sum, sizeof(d->sum), data, len);
}

static void take_number(struct digest *d, uint64_t v)
{
	uint8_t at[8];

	put_u64(at, v);
	take(d, at, sizeof(at));
}

static void take_record(struct digest *d, const struct upf_decoder *decoder, const struct upf_record *r)
{
	const uint64_t numbers[] = {r->kind,  r->index, r->domain,   r->time_ns, r->pause_ns, r->vcpu, r->state,
	                            r->end,   r->user,  r->cpu_ns,   r->tops,    r->top,      r->sp,   r->fp,
	                            r->count, r->code,  r->repeated, r->nwords,  r->stack};
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);

	for (size_t i = 0; i < COUNT(numbers); i++)
		take_number(d, numbers[i]);
	for (uint32_t node = r->stack; node; node = nodes[node].parent)
		take_number(d, nodes[node].address);
	for (uint32_t i = 0; i < r->nwords; i++)
		take_number(d, r->words[i]);
	for (unsigned i = 0; r->regs && i < UPF_REGS; i++)
		take_number(d, r->regs[i]);
}

static uint64_t digest_of(const char *name)
{
	struct digest d = {0};
	char path[128];
	enum upf_fault fault;
	struct upf_reader *r;
	struct upf_decoder *decoder = upf_decoder_new();
	struct upf_record record;
	struct upf_block b;
	int fd, rc;

	snprintf(path, sizeof(path), FOLDER "%s.upf", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && decoder);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	take_number(&d, upf_reader_session(r)->tops);
	take_number(&d, upf_reader_session(r)->ndomains);
	while (upf_reader_next(r, &b) == 1) {
		take_number(&d, b.fault);
		if (b.fault != UPF_OK || b.type != UPF_BLOCK_SAMPLES)
			continue;
		rc = upf_decoder_start(decoder, &b) == UPF_OK ? 1 : -EBADMSG;
		while (rc == 1) {
			rc = upf_decoder_next(decoder, &record);
			if (rc == 1)
				take_record(&d, decoder, &record);
		}
		take_number(&d, (uint64_t)rc);
	}
	take_number(&d, upf_reader_health(r)->cut);
	take_number(&d, upf_reader_health(r)->has_footer);
	upf_decoder_free(decoder);
	upf_reader_close(r);
	close(fd);
	return d.sum;
}

TEST(read_as_before)
{
	static const struct {
		const char *name;
		uint64_t digest;
	} traces[] = {
		{"small", 0x1101d3422bdd8f5f},   {"domains", 0x9b567caf59a30ac9}, {"killed", 0x13aa1002eae04918},
		{"frames", 0xb492a0b42cb19917},  {"windows", 0xb2fb134e6501c8e8}, {"copies", 0x344e450288dd8ee3},
		{"program", 0x9757e096e2221364}, {"cut", 0xedd9ce318743021b},
	};

	for (size_t i = 0; i < COUNT(traces); i++) {
		uint64_t digest = digest_of(traces[i].name);

		if (digest != traces[i].digest)
			print_error("%s: %#llx\n", traces[i].name, (unsigned long long)digest);
		assert_true(digest == traces[i].digest);
	}
}
