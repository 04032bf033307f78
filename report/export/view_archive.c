/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_archive.c - writes the trace again, together with what the binaries say of its addresses and stacks, so that
 * reports no longer need them. The trace is read twice: names must come before the samples, but which names are needed
 * is known only after all samples.
 */
#include "common/regular_file.h"
#include "report/archive/archive_stacks.h"
#include "report/binary/disassembly.h"
#include "report/profile/extents.h"
#include "report/unwind/sample_chain.h"
#include "report/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct pair {
	uint32_t stack, top;
};

struct kept_function {
	uint64_t address; /* a sampled one in it */
	uint64_t start, size;
	const char *name;
};

struct keeper {
	const struct report *report;
	const struct upf_session *session;
	struct upf_decoder *decoder;
	struct upf_writer *writer; /* NULL while the trace is read for the first time */
	uint64_t size;             /* of the trace, bytes; 0: not known */
	struct chain chain;

	uint64_t *addresses; /* each once */
	size_t naddresses, addresses_cap;
	struct hash_table by_address;
	struct kept_function *functions;
	size_t nfunctions, functions_cap;
	struct archive_code_payload code;

	/* Of one block. */
	struct pair *pairs; /* stacks with tops, each once */
	size_t npairs, pairs_cap;
	struct hash_table by_pair;
	uint8_t *uses; /* of nodes */
	size_t nuses, uses_cap;
	struct archive_stacks_payload stacks;
};

static int put_out(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

static int add_address(struct keeper *k, uint64_t address)
{
	uint32_t hash, id;

	if (hash_table_reserve(&k->by_address) != 0 ||
	    array_room(&k->addresses, &k->addresses_cap, k->naddresses, sizeof(*k->addresses)) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&k->by_address, address, 0);
	for (size_t at = hash_table_first(&k->by_address, hash); hash_table_id(&k->by_address, &at, hash, &id);
	     at = hash_table_next(&k->by_address, at))
		if (k->addresses[id] == address)
			return 0;
	k->addresses[k->naddresses] = address;
	hash_table_add(&k->by_address, hash, (uint32_t)k->naddresses++);
	return 0;
}

/* As symbolizer_find() looks it up. */
static int add_frame(struct keeper *k, uint64_t address, bool caller)
{
	return add_address(k, address - (caller && address != 0));
}

static int add_chain(struct keeper *k, const struct chain *c)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		rc = add_frame(k, c->frame[i].address, i > 0 && !(c->frame[i].flags & FRAME_EXACT));
	return rc;
}

#define USED_AS_LEAF 1u
#define USED_AS_CALLER 2u

/* Notes that the stack that ends in @leaf was sampled. */
static int use_stack(struct keeper *k, uint32_t leaf)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(k->decoder, &n);

	while (k->nuses < n) {
		if (array_room(&k->uses, &k->uses_cap, k->nuses, sizeof(*k->uses)) != 0)
			return -ENOMEM;
		k->uses[k->nuses++] = 0;
	}
	k->uses[leaf] |= USED_AS_LEAF;
	for (uint32_t node = nodes[leaf].parent; leaf && node && !(k->uses[node] & USED_AS_CALLER);
	     node = nodes[node].parent)
		k->uses[node] |= USED_AS_CALLER;
	return 0;
}

/* The addresses of stacks as they were recorded. */
static int add_recorded(struct keeper *k)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(k->decoder, &n);
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < k->nuses && i < n; i++) {
		if (k->uses[i] & USED_AS_LEAF)
			rc = add_frame(k, nodes[i].address, false);
		if (rc == 0 && k->uses[i] & USED_AS_CALLER)
			rc = add_frame(k, nodes[i].address, true);
	}
	return rc;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static int flush_stacks(struct keeper *k)
{
	struct buf payload = {0};
	int rc = archive_stacks_finish(&k->stacks, &payload);

	if (rc == 0)
		rc = upf_writer_data(k->writer, UPF_BLOCK_STACKS, payload.data, payload.len);
	buf_free(&payload);
	return rc;
}

static int keep_stack(struct keeper *k, const struct upf_record *rec)
{
	int rc;

	if (k->chain.n == 0 && !k->chain.restored && !k->chain.doubtful)
		return 0;
	rc = archive_stacks_put(&k->stacks, rec->stack, rec->top, &k->chain);
	if (rc == -ENOSPC) {
		rc = flush_stacks(k);
		if (rc == 0)
			rc = archive_stacks_put(&k->stacks, rec->stack, rec->top, &k->chain);
	}
	return rc;
}

/* Has this pair been met in the block? 1: yes; 0: no, now it has; -ENOMEM. */
static int met(struct keeper *k, const struct upf_record *rec)
{
	uint32_t hash, id;

	if (hash_table_reserve(&k->by_pair) != 0 ||
	    array_room(&k->pairs, &k->pairs_cap, k->npairs, sizeof(*k->pairs)) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&k->by_pair, rec->stack, rec->top);
	for (size_t at = hash_table_first(&k->by_pair, hash); hash_table_id(&k->by_pair, &at, hash, &id);
	     at = hash_table_next(&k->by_pair, at))
		if (k->pairs[id].stack == rec->stack && k->pairs[id].top == rec->top)
			return 1;
	k->pairs[k->npairs] = (struct pair){rec->stack, rec->top};
	hash_table_add(&k->by_pair, hash, (uint32_t)k->npairs++);
	return 0;
}

static int study_sample(struct keeper *k, const struct upf_record *rec)
{
	int rc = use_stack(k, rec->stack);

	if (rc != 0 || !k->report->run->binaries.cfi || !chain_may_differ(k->session, rec))
		return rc;
	rc = met(k, rec);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	chain_of_sample(k->report->run->binaries.cfi, k->session, k->decoder, rec, &k->chain);
	return k->writer ? keep_stack(k, rec) : add_chain(k, &k->chain);
}

/* Goes through the block's samples, as far as it is sound. */
static int study_block(struct keeper *k, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(k->decoder, b);
	struct upf_record rec;
	int rc = 0, more = 0;

	k->npairs = k->nuses = 0;
	hash_table_clear(&k->by_pair);
	if (fault != UPF_OK)
		return fault == UPF_FAULT_MEMORY ? -ENOMEM : 0;
	while (rc == 0 && (more = upf_decoder_next(k->decoder, &rec)) > 0) {
		if (rec.kind == UPF_SAMPLE)
			rc = study_sample(k, &rec);
		else if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(k->decoder); /* no stack that was not there before */
		if (!k->writer)
			counters_record(&k->report->run->profile.counters, &rec);
	}
	if (rc == 0 && !k->writer)
		rc = add_recorded(k);
	k->report->run->profile.counters.bad_blocks += more == -EBADMSG && !k->writer;
	return rc == 0 && more < 0 && more != -EBADMSG ? more : rc;
}

static int copy_block(struct keeper *k, const struct upf_block *b)
{
	int rc = study_block(k, b);

	if (rc == 0 && k->stacks.nstacks)
		rc = flush_stacks(k);
	return rc == 0 ? upf_writer_copy(k->writer, b) : rc;
}

/* Reads the trace to its end; blocks that are missing will be missing. */
static int read_trace(struct keeper *k, struct upf_reader *reader,
                      int (*each)(struct keeper *k, const struct upf_block *b))
{
	const struct upf_health *health = upf_reader_health(reader);
	struct progress *progress = k->report->progress;
	uint64_t missing = 0;
	struct upf_block b;
	int rc = 0;

	progress_start(progress, k->writer ? "writing the archive" : "reading the trace");
	while (rc == 0 && (rc = upf_reader_next(reader, &b)) > 0) {
		progress_at(progress, upf_reader_bytes(reader), k->size);
		if (k->writer)
			upf_writer_skip(k->writer, health->missing - missing);
		missing = health->missing;
		rc = b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES ? each(k, &b) : 0;
	}
	progress_end(progress);
	return rc;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static int compare_addresses(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void sort_addresses(struct keeper *k)
{
	if (k->naddresses)
		qsort(k->addresses, k->naddresses, sizeof(*k->addresses), compare_addresses);
}

static int flush_names(struct keeper *k, struct archive_names_payload *names)
{
	struct buf payload = {0};
	int rc = archive_names_finish(names, &payload);

	if (rc == 0)
		rc = upf_writer_data(k->writer, UPF_BLOCK_NAMES, payload.data, payload.len);
	buf_free(&payload);
	return rc;
}

static int write_names(struct keeper *k, struct archive_names_payload *names)
{
	struct resolution found;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->naddresses; i++) {
		if (i > 0 && k->addresses[i] == k->addresses[i - 1])
			continue;
		rc = resolve(&k->report->run->names.resolver, k->addresses[i], &found);
		if (rc != 0 || (!found.symbol && found.n == 0))
			continue;
		rc = archive_names_put(names, k->addresses[i], &found);
		if (rc == -ENOSPC) {
			rc = flush_names(k, names);
			if (rc == 0)
				rc = archive_names_put(names, k->addresses[i], &found);
		}
	}
	return rc == 0 ? flush_names(k, names) : rc;
}

static int keep_names(struct keeper *k)
{
	const struct binaries *b = &k->report->run->binaries;
	struct archive_names_payload names = {.flags = (binaries_have_tables(b) ? ARCHIVE_TABLES : 0) |
	                                               (binaries_lack_dwarf(b) ? ARCHIVE_NO_DWARF : 0)};
	int rc;

	rc = write_names(k, &names);
	archive_names_end(&names);
	return rc;
}

/* --- code -------------------------------------------------------------------------------------------------------- */

/* Annotated code shows the names of the targets of calls and jumps. */
static int add_targets(struct keeper *k, const uint8_t *code, size_t size, uint64_t start)
{
	struct disassembly *d = disassembly_new(k->code.isa);
	int rc = 0;

	if (!d)
		return errno == ENOTSUP ? 0 : -ENOMEM;
	for (size_t at = 0; rc == 0 && at < size;) {
		struct instruction i = disassembly_at(d, code + at, size - at, start + at);

		if (i.has_target && i.target - start >= size)
			rc = add_address(k, i.target);
		at += i.size;
	}
	disassembly_free(d);
	return rc;
}

static int flush_code(struct keeper *k)
{
	struct buf payload = {0};
	int rc = archive_code_finish(&k->code, &payload);

	if (rc == 0)
		rc = upf_writer_data(k->writer, UPF_BLOCK_CODE, payload.data, payload.len);
	buf_free(&payload);
	return rc;
}

/* The code of the function that @range is of, cut to what listings show; NULL: not at hand. */
static const uint8_t *code_of(struct keeper *k, const struct kept_function *f, size_t *n)
{
	uint64_t start;
	const uint8_t *code = binaries_function(&k->report->run->binaries, f->address, &start, n, &k->code.isa);

	if (!code)
		*n = 0;
	return code;
}

/* --annotate shows the lines between two addresses, for each function and file in the code. */
static int add_extents(struct keeper *k, const struct kept_function *f)
{
	struct recording *run = k->report->run;
	struct extents extents = {0};
	int rc = extents_add(&extents, &run->binaries, &run->names, f->address);

	for (size_t i = 0; rc == 0 && i < extents.n; i++) {
		rc = add_address(k, extents.of[i].first_at);
		if (rc == 0)
			rc = add_address(k, extents.of[i].last_at);
	}
	extents_free(&extents);
	return rc;
}

static int find_function(struct keeper *k, uint64_t address, const struct symbol_range *range)
{
	const struct symbols *s = &k->report->run->binaries.symbols;
	const struct kept_function f = {.address = address,
	                                .start = range->symbol_start,
	                                .name = symbols_name(s, range),
	                                .size = symbols_end(s, range) - range->symbol_start};
	const uint8_t *code;
	size_t n;

	if (array_room(&k->functions, &k->functions_cap, k->nfunctions, sizeof(*k->functions)) != 0)
		return -ENOMEM;
	k->functions[k->nfunctions++] = f;
	code = code_of(k, &f, &n);
	if (!code)
		return 0;
	return add_targets(k, code, n, f.start) == 0 ? add_extents(k, &f) : -ENOMEM;
}

/* The functions that sampled addresses are in, and what they refer to. */
static int find_functions(struct keeper *k)
{
	size_t n = k->naddresses;
	int rc = 0;

	sort_addresses(k);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const uint64_t address = k->addresses[i];
		const struct symbol_range *range = symbols_range(&k->report->run->binaries.symbols, address);

		if (range && (k->nfunctions == 0 || range->symbol_start > k->functions[k->nfunctions - 1].start))
			rc = find_function(k, address, range);
	}
	sort_addresses(k);
	return rc;
}

static int keep_function(struct keeper *k, const struct kept_function *f)
{
	size_t n;
	const uint8_t *code = code_of(k, f, &n);
	int rc = archive_code_put(&k->code, f->start, f->size, f->name, code, n);

	if (rc != -ENOSPC)
		return rc;
	rc = flush_code(k);
	return rc == 0 ? archive_code_put(&k->code, f->start, f->size, f->name, code, n) : rc;
}

static int keep_code(struct keeper *k)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->nfunctions; i++)
		rc = keep_function(k, &k->functions[i]);
	return rc == 0 && k->nfunctions ? flush_code(k) : rc;
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

static int write_archive(struct keeper *k, struct upf_reader *reader)
{
	struct upf_session session = *k->session;
	enum upf_reason reason;
	int rc;

	session.archived = true;
	k->writer = upf_writer_new(&session, put_out, k->report->out.file);
	rc = k->writer ? keep_names(k) : -errno;
	if (rc == 0)
		rc = keep_code(k);
	if (rc == 0)
		rc = read_trace(k, reader, copy_block);
	if (rc == 0 && upf_reader_totals(reader, &reason))
		rc = upf_writer_finish(k->writer, upf_reader_totals(reader, &reason), reason);
	upf_writer_free(k->writer);
	return rc;
}

/* The trace from its beginning again. */
static int write_again(struct keeper *k, const char *path)
{
	int fd = regular_file_open(path), rc;
	enum upf_fault fault = UPF_OK;
	struct upf_reader *reader = fd < 0 ? NULL : upf_reader_open(fd, &fault, NULL);

	if (reader)
		rc = write_archive(k, reader);
	else
		rc = fd < 0 ? fd : fault == UPF_FAULT_MEMORY ? -ENOMEM : -EIO;
	upf_reader_close(reader);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int run(const struct report *r, struct view_result *found)
{
	struct trace *t = &r->run->traces.list[0];
	struct keeper k = {.report = r, .session = upf_reader_session(t->reader), .decoder = upf_decoder_new()};
	struct stat st;
	int rc;

	(void)found;
	k.size = fstat(t->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	rc = k.decoder ? read_trace(&k, t->reader, study_block) : -ENOMEM;
	if (rc == 0)
		rc = find_functions(&k);
	if (rc == 0)
		rc = write_again(&k, t->path);
	upf_decoder_free(k.decoder);
	archive_stacks_end(&k.stacks);
	hash_table_free(&k.by_address);
	hash_table_free(&k.by_pair);
	free(k.addresses);
	free(k.functions);
	archive_code_end(&k.code);
	free(k.pairs);
	free(k.uses);
	return rc;
}

const struct view view_archive = {
	.name = "archive",
	.help = "the trace together with names, source lines and unwound stacks: -o FILE.upf; reports of "
		"it need no binary",
	.endings = {".upf"},
	.states = STATES_ALL,
	.takes = VIEW_WHOLE | VIEW_BINARY,
	.run = run,
};
