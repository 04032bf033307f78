/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_reader.c - any bytes as a trace: read to the end, every sound block decoded to its end.
 *
 * Checksums would stop almost every changed trace at the door, so all but every fourth input has them made right
 * first. An input that does not begin like a trace is taken as the payload of a samples block, of version 1 if its
 * length is odd.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/file/block.h"
#include "format/bytes/wire.h"
#include "format/file/header.h"

#define RECORDS_MAX 200000 /* a SAME may repeat a lot from a few bytes: that is no fault */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool fine)
{
	if (!fine)
		abort();
}

static volatile uint64_t sum; /* so that what is handed out is read */

static void read_host_stack(const struct upf_decoder *d, uint32_t number)
{
	uint32_t depth;
	const uint32_t *functions = upf_decoder_host_stack(d, number, &depth);

	must(depth <= HOST_DEPTH_MAX && (depth != 0) == (number != 0));
	for (uint32_t i = 0; i < depth; i++) {
		const struct upf_host_function *f = upf_decoder_host_function(d, functions[i]);

		must(f->name_size <= HOST_TEXT_MAX && f->file_size <= HOST_TEXT_MAX &&
		     f->build_id_size <= HOST_BUILD_ID_MAX);
		for (uint32_t at = 0; at < f->name_size; at++)
			sum += (uint8_t)f->name[at];
		for (uint32_t at = 0; at < f->file_size; at++)
			sum += (uint8_t)f->file[at];
		for (uint32_t at = 0; at < f->build_id_size; at++)
			sum += f->build_id[at];
	}
}

static void decode(struct upf_decoder *d, const struct upf_block *b)
{
	struct register_set set;
	struct upf_record r;
	uint32_t n;

	if (upf_decoder_start(d, b) != UPF_OK)
		return;
	for (int i = 0; i < RECORDS_MAX && upf_decoder_next(d, &r) == 1; i++) {
		const struct upf_node *nodes = upf_decoder_nodes(d, &n);

		must(n <= b->raw_size + 1);
		must(r.domain < UPF_DOMAINS_MAX && r.vcpu < UPF_VCPUS_MAX && r.stack < n);
		must(r.nwords <= (r.tops == UPF_TOPS_COPY ? UPF_COPY_MAX : UPF_WINDOW_MAX));
		for (uint32_t w = 0; w < r.nwords; w++)
			sum += r.words[w];
		must(upf_record_registers(&r, &set) == (r.registers != NULL));
		for (uint32_t g = 0; r.registers && g < set.n; g++)
			sum += set.of[g].id + set.of[g].value + set.code[set.code_before % REGISTERS_CODE];
		must(!r.registers || (set.n <= REGISTERS_MAX && set.code_before <= set.code_size));
		read_host_stack(d, r.host);
		must((r.regs != NULL) == (r.nregs != 0) && r.nregs <= UPF_REGS_MAX);
		for (unsigned g = 0; g < r.nregs; g++)
			sum += r.regs[g];
		must(nodes[r.stack].depth <= UPF_DEPTH_MAX && (r.stack == 0 || nodes[r.stack].parent < r.stack));
	}
}

/* Makes the checksums of the header and of the blocks behind it right, as far as sizes allow. */
static void repair(uint8_t *at, size_t len)
{
	struct block_header h;
	uint32_t size = len >= HEADER_FIXED + 8 ? peek_u32(at + 12) : 0;
	bool v1;

	if (size < HEADER_FIXED + 8 || size > len)
		return;
	v1 = peek_u16(at + 8) == 1;
	put_u64(at + size - 8, checksum(at, size - 8));
	for (size_t i = size; len - i >= BLOCK_HEADER_SIZE; i += h.header_size + h.stored_size) {
		size_t covered;

		put_u32(at + i + 60, v1 ? 0 : (uint32_t)checksum(at + i, 60));
		if (block_header_get(at + i, v1, &h) != UPF_OK || h.header_size + h.stored_size > len - i)
			return;
		covered = h.header_size - BLOCK_CHECKSUM_SIZE;
		put_u64(at + i + covered, checksum2(at + i, covered, at + i + h.header_size, h.stored_size));
	}
}

static int file_of(const uint8_t *data, size_t len)
{
	int fd = memfd_create("trace", 0);

	must(fd >= 0 && write(fd, data, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void read_all(struct upf_decoder *d, int fd)
{
	enum upf_reason reason;
	enum upf_fault fault;
	char detail[64] = "";
	struct upf_reader *r = upf_reader_open(fd, &fault, detail);
	struct upf_block b;

	must((r != NULL) == (fault == UPF_OK) && upf_fault_text(fault) && memchr(detail, 0, sizeof(detail)));
	while (r && upf_reader_next(r, &b) == 1) {
		must((b.payload != NULL) == (b.fault == UPF_OK));
		if (b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES)
			decode(d, &b);
	}
	if (r && upf_reader_totals(r, &reason))
		upf_hist_quantile(&upf_reader_totals(r, &reason)->pause, 990);
	upf_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct upf_decoder *d = upf_decoder_new();
	uint8_t *copy = malloc(len + 1);
	int fd;

	must(d && copy);
	memcpy(copy, data, len);
	if (len < 4 || memcmp(data, HEADER_MAGIC, 4) != 0) {
		struct upf_block b = {
			.type = UPF_BLOCK_SAMPLES, .v1 = len & 1, .raw_size = (uint32_t)len, .payload = copy};

		if (len <= UPF_RAW_MAX)
			decode(d, &b);
	} else {
		if (data[len - 1] & 3)
			repair(copy, len);
		fd = file_of(copy, len);
		read_all(d, fd);
		close(fd);
	}
	free(copy);
	upf_decoder_free(d);
	return 0;
}
