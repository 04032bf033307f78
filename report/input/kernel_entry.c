/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/kernel_entry.h"
#include "common/regular_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT 4096u /* kernels are moved by multiples of it, at least */
#define BLOCKS_MAX 64   /* of samples, without any such address, before there is none */

static bool is_in_time(const struct trace *t, const struct upf_block *b)
{
	return b->last_ns + t->scope.later_ns >= t->scope.from_ns && b->first_ns + t->scope.later_ns < t->scope.to_ns;
}

static void add(struct kernel_entries *e, uint64_t address)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->address[i] == address)
			return;
	if (e->n < KERNEL_ENTRIES_MAX)
		e->address[e->n++] = address;
}

static void note(const struct trace *t, const struct upf_record *rec, struct kernel_entries *of)
{
	uint32_t domain = scope_domain(&t->scope, rec->domain);

	if (rec->count != 0 && rec->domain < upf_reader_session(t->reader)->ndomains &&
	    scope_has_domain(&t->scope, domain))
		add(&of[domain], rec->count);
}

/* Those of a block, which has one for each domain near its beginning. False: it has none. */
static bool note_block(struct upf_decoder *d, const struct trace *t, const struct upf_block *b,
                       struct kernel_entries *of)
{
	const uint32_t ndomains = upf_reader_session(t->reader)->ndomains;
	struct upf_record rec;
	uint32_t told = 0;

	if (b->fault != UPF_OK || upf_decoder_start(d, b) != UPF_OK)
		return false;
	while (told < ndomains && upf_decoder_next(d, &rec) > 0) {
		if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(d); /* a small block may repeat millions */
		if (rec.kind != UPF_ENTRY)
			continue;
		told++;
		note(t, &rec, of);
	}
	return told > 0;
}

static int note_file(struct upf_decoder *d, const struct trace *t, struct upf_reader *reader,
                     struct kernel_entries *of)
{
	struct upf_block b;
	size_t without = 0;
	bool any = false;
	int rc = 0;

	while (without < BLOCKS_MAX && (rc = upf_reader_next(reader, &b)) > 0) {
		if (b.type != UPF_BLOCK_SAMPLES || !is_in_time(t, &b))
			continue;
		any |= note_block(d, t, &b, of);
		without += !any;
	}
	return rc < 0 ? rc : 0;
}

/* A pipe cannot be read twice. */
static int note_first_block(struct upf_decoder *d, const struct trace *t, struct kernel_entries *of)
{
	struct upf_block b;
	int rc = upf_reader_next(t->reader, &b);

	if (rc <= 0)
		return rc;
	if (b.type == UPF_BLOCK_SAMPLES)
		note_block(d, t, &b, of);
	upf_reader_again(t->reader, &b);
	return 0;
}

static int note_trace(struct upf_decoder *d, const struct trace *t, struct kernel_entries *of)
{
	enum upf_fault fault;
	int fd = strcmp(t->path, "-") != 0 ? regular_file_open(t->path) : -1, rc;
	struct upf_reader *again = fd >= 0 ? upf_reader_open(fd, &fault, NULL) : NULL;

	rc = again ? note_file(d, t, again, of) : note_first_block(d, t, of);
	upf_reader_close(again);
	if (fd >= 0)
		close(fd);
	return rc;
}

int kernel_entry_find(struct traces *t, struct kernel_entries *of)
{
	struct upf_decoder *d = upf_decoder_new();
	int rc = d ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < t->n; i++)
		rc = note_trace(d, &t->list[i], of);
	upf_decoder_free(d);
	return rc;
}

/* By one address. */
static bool find_bias(const struct symbols *s, size_t from, uint64_t entry, uint64_t *bias)
{
	/*
	 * x86: of division by zero, since Linux 5.8 and before, natively and as a PV guest; while it starts, in the
	 * same order. AArch64: of all.
	 */
	static const char *const names[] = {
		"asm_exc_divide_error",    "xen_asm_exc_divide_error",    "divide_error", "xen_divide_error",
		"early_idt_handler_array", "xen_early_idt_handler_array", "vectors"};
	uint64_t linked;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!symbols_added(s, names[i], from, s->nadded, &linked) || (entry - linked) % ALIGNMENT != 0)
			continue;
		*bias = entry - linked;
		return true;
	}
	return false;
}

bool kernel_entry_bias(const struct symbols *s, size_t from, const struct kernel_entries *e, uint64_t *bias)
{
	size_t found = 0;
	uint64_t one;

	for (size_t i = 0; i < e->n; i++) {
		if (!find_bias(s, from, e->address[i], &one))
			continue;
		if (found++ && one != *bias)
			return false;
		*bias = one;
	}
	return found > 0;
}
