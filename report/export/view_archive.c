/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_archive.c - writes the trace again, together with what the binaries say of its addresses and stacks, so that
 * reports no longer need them. The trace is read twice: names must come before the samples, but which names are needed
 * is known only after all samples.
 */
#include "common/regular_file.h"
#include "report/archive/archive_stacks.h"
#include "report/binary/disassembly.h"
#include "report/fold/extents.h"
#include "report/unwind/sample_chain.h"
#include "report/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct pair {
	uint32_t program, stack, top;
};

struct kept_function {
	uint64_t address; /* a sampled one in it */
	uint64_t start, size;
	const char *name;
};

/* What is stored of a program. */
struct kept_program {
	uint32_t number;
	const struct program *of;
	uint64_t *addresses; /* each once */
	size_t naddresses, addresses_cap;
	struct hash_table by_address;
	struct kept_function *functions;
	size_t nfunctions, functions_cap;
	uint8_t *uses; /* of one block's nodes */
	size_t nuses, uses_cap;
};

struct keeper {
	const struct report *report;
	const struct upf_session *session;
	struct upf_decoder *decoder;
	struct upf_writer *writer; /* NULL while the trace is read for the first time */
	uint64_t size;             /* of the trace, bytes; 0: not known */
	struct chain chain;
	struct kept_program *programs;
	size_t nprograms;

	/* Of one block. */
	struct pair *pairs; /* stacks with tops, each once */
	size_t npairs, pairs_cap;
	struct hash_table by_pair;
	struct archive_stacks_payload stacks;
};

static int put_out(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

static int add_address(struct kept_program *k, uint64_t address)
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
static int add_frame(struct kept_program *k, uint64_t address, bool caller)
{
	return add_address(k, address - (caller && address != 0));
}

static int add_chain(struct kept_program *k, const struct chain *c)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		rc = add_frame(k, c->frame[i].address, i > 0 && !(c->frame[i].flags & FRAME_EXACT));
	return rc;
}

static int add_named(struct keeper *k, uint32_t program, uint64_t address)
{
	if (!symbolizer_knows(&k->report->run->names, program, address))
		return 0;
	return add_address(&k->programs[program], address);
}

/* Whatever --registers names. */
static int add_registers(struct keeper *k, uint32_t program, const struct upf_record *rec)
{
	struct register_set set;
	int rc = 0;

	if (!upf_record_registers(rec, &set))
		return 0;
	for (uint32_t i = 0; rc == 0 && i < set.n; i++)
		rc = add_named(k, program, set.of[i].value);
	for (uint32_t i = 0; rc == 0 && i < rec->nregs; i++)
		rc = add_named(k, program, rec->regs[i]);
	for (uint32_t i = 0; rc == 0 && i < rec->nwords; i++) {
		const uint64_t halves[] = {rec->words[i], rec->words[i] >> 32, (uint32_t)rec->words[i]};

		/* Words are of 8 bytes, or of 4. */
		for (int h = 0; rc == 0 && h < 3; h++)
			rc = add_named(k, program, halves[h]);
	}
	return rc;
}

#define USED_AS_LEAF 1u
#define USED_AS_CALLER 2u

/* Notes that the stack that ends in @leaf was sampled. */
static int use_stack(struct kept_program *k, const struct upf_decoder *decoder, uint32_t leaf)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);

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
static int add_recorded(struct kept_program *k, const struct upf_decoder *decoder)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);
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

static int keep_stack(struct keeper *k, uint32_t program, const struct upf_record *rec)
{
	int rc;

	if (k->chain.n == 0 && !k->chain.restored && !k->chain.doubtful)
		return 0;
	rc = archive_stacks_put(&k->stacks, program, rec->stack, rec->top, &k->chain);
	if (rc == -ENOSPC) {
		rc = flush_stacks(k);
		if (rc == 0)
			rc = archive_stacks_put(&k->stacks, program, rec->stack, rec->top, &k->chain);
	}
	return rc;
}

/* Has this pair been met in the block? 1: yes; 0: no, now it has; -ENOMEM. */
static int met(struct keeper *k, uint32_t program, const struct upf_record *rec)
{
	uint32_t hash, id;

	if (hash_table_reserve(&k->by_pair) != 0 ||
	    array_room(&k->pairs, &k->pairs_cap, k->npairs, sizeof(*k->pairs)) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&k->by_pair, rec->stack, (uint64_t)program << 32 | rec->top);
	for (size_t at = hash_table_first(&k->by_pair, hash); hash_table_id(&k->by_pair, &at, hash, &id);
	     at = hash_table_next(&k->by_pair, at))
		if (k->pairs[id].stack == rec->stack && k->pairs[id].top == rec->top &&
		    k->pairs[id].program == program)
			return 1;
	k->pairs[k->npairs] = (struct pair){program, rec->stack, rec->top};
	hash_table_add(&k->by_pair, hash, (uint32_t)k->npairs++);
	return 0;
}

static int study_sample(struct keeper *k, const struct upf_record *rec)
{
	uint32_t program = binaries_program(&k->report->run->binaries, rec->domain);
	struct kept_program *p = &k->programs[program];
	int rc = use_stack(p, k->decoder, rec->stack);

	if (rc == 0 && !k->writer)
		rc = add_registers(k, program, rec);
	if (rc != 0 || !p->of->cfi || !chain_may_differ(k->session, rec))
		return rc;
	rc = met(k, program, rec);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	chain_of_sample(p->of->cfi, k->session, k->decoder, rec, &k->chain);
	return k->writer ? keep_stack(k, program, rec) : add_chain(p, &k->chain);
}

/* Goes through the block's samples, as far as it is sound. */
static int study_block(struct keeper *k, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(k->decoder, b);
	struct upf_record rec;
	int rc = 0, more = 0;

	k->npairs = 0;
	hash_table_clear(&k->by_pair);
	for (size_t i = 0; i < k->nprograms; i++)
		k->programs[i].nuses = 0;
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
	for (size_t i = 0; rc == 0 && !k->writer && i < k->nprograms; i++)
		rc = add_recorded(&k->programs[i], k->decoder);
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

static void sort_addresses(struct kept_program *k)
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

static int write_names(struct keeper *k, const struct kept_program *p, struct archive_names_payload *names)
{
	struct resolution found;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->naddresses; i++) {
		if (i > 0 && p->addresses[i] == p->addresses[i - 1])
			continue;
		rc = resolve(&k->report->run->binaries.resolvers[p->number], p->addresses[i], &found);
		if (rc != 0 || (!found.symbol && found.n == 0))
			continue;
		rc = archive_names_put(names, p->addresses[i], &found);
		if (rc == -ENOSPC) {
			rc = flush_names(k, names);
			if (rc == 0)
				rc = archive_names_put(names, p->addresses[i], &found);
		}
	}
	return rc == 0 ? flush_names(k, names) : rc;
}

/* A program without any block of names is one whose binaries were not at hand. */
static int keep_names(struct keeper *k, const struct kept_program *p)
{
	struct archive_names_payload names = {.program = k->nprograms > 1 ? &p->number : NULL,
	                                      .flags = (program_has_tables(p->of) ? ARCHIVE_TABLES : 0) |
	                                               (program_lacks_dwarf(p->of) ? ARCHIVE_NO_DWARF : 0)};
	int rc = p->of->has_symbols ? write_names(k, p, &names) : 0;

	archive_names_end(&names);
	return rc;
}

/* --- code -------------------------------------------------------------------------------------------------------- */

/* Annotated code shows the names of the targets of calls and jumps. */
static int add_targets(struct kept_program *k, const struct isa *isa, const uint8_t *code, size_t size, uint64_t start)
{
	struct disassembly *d = disassembly_new(isa);
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

static int flush_code(struct keeper *k, struct archive_code_payload *code)
{
	struct buf payload = {0};
	int rc = archive_code_finish(code, &payload);

	if (rc == 0)
		rc = upf_writer_data(k->writer, UPF_BLOCK_CODE, payload.data, payload.len);
	buf_free(&payload);
	return rc;
}

/* The function's code, cut to what listings show; NULL: not at hand. */
static const uint8_t *code_of(const struct kept_program *p, const struct kept_function *f, size_t *n,
                              const struct isa **isa)
{
	uint64_t start;
	const uint8_t *code = program_function(p->of, f->address, &start, n, isa);

	if (!code)
		*n = 0;
	return code;
}

/* --annotate shows the lines between two addresses, for each function and file in the code. */
static int add_extents(struct keeper *k, struct kept_program *p, const struct kept_function *f)
{
	struct recording *run = k->report->run;
	struct extents extents = {0};
	int rc = extents_add(&extents, &run->binaries, &run->names, p->number, f->address);

	for (size_t i = 0; rc == 0 && i < extents.n; i++) {
		rc = add_address(p, extents.of[i].first_at);
		if (rc == 0)
			rc = add_address(p, extents.of[i].last_at);
	}
	extents_free(&extents);
	return rc;
}

static int find_function(struct keeper *k, struct kept_program *p, uint64_t address, const struct symbol_range *range)
{
	const struct symbols *s = &p->of->symbols;
	const struct kept_function f = {.address = address,
	                                .start = range->symbol_start,
	                                .name = symbols_name(s, range),
	                                .size = symbols_end(s, range) - range->symbol_start};
	const uint8_t *code;
	const struct isa *isa;
	size_t n;

	if (array_room(&p->functions, &p->functions_cap, p->nfunctions, sizeof(*p->functions)) != 0)
		return -ENOMEM;
	p->functions[p->nfunctions++] = f;
	code = code_of(p, &f, &n, &isa);
	if (!code)
		return 0;
	return add_targets(p, isa, code, n, f.start) == 0 ? add_extents(k, p, &f) : -ENOMEM;
}

/* The functions that sampled addresses are in, and what they refer to. */
static int find_functions(struct keeper *k, struct kept_program *p)
{
	size_t n = p->naddresses;
	int rc = 0;

	sort_addresses(p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const uint64_t address = p->addresses[i];
		const struct symbol_range *range = symbols_range(&p->of->symbols, address);

		if (range && (p->nfunctions == 0 || range->symbol_start > p->functions[p->nfunctions - 1].start))
			rc = find_function(k, p, address, range);
	}
	sort_addresses(p);
	return rc;
}

static int keep_function(struct keeper *k, const struct kept_program *p, const struct kept_function *f,
                         struct archive_code_payload *out)
{
	struct archive_code_function function = {.start = f->start, .size = f->size, .name = f->name};
	int rc;

	function.code = code_of(p, f, &function.ncode, &function.isa);
	rc = archive_code_put(out, &function);
	if (rc != -ENOSPC)
		return rc;
	rc = flush_code(k, out);
	return rc == 0 ? archive_code_put(out, &function) : rc;
}

static int keep_code(struct keeper *k, const struct kept_program *p)
{
	struct archive_code_payload out = {.program = k->nprograms > 1 ? &p->number : NULL};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->nfunctions; i++)
		rc = keep_function(k, p, &p->functions[i], &out);
	if (rc == 0 && p->nfunctions)
		rc = flush_code(k, &out);
	archive_code_end(&out);
	return rc;
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

/* The trace's header, as the archive has it. NULL: errno. */
static struct upf_writer *new_writer(const struct keeper *k)
{
	const struct binaries *b = &k->report->run->binaries;
	struct upf_session session = *k->session;
	struct upf_domain *domains = calloc(session.ndomains + 1, sizeof(*domains));
	struct upf_writer *writer;

	if (!domains)
		return NULL;
	for (uint32_t i = 0; i < session.ndomains; i++) {
		domains[i] = session.domains[i];
		domains[i].program = binaries_program(b, i);
	}
	session.domains = domains;
	session.archived = true;
	session.by_program = k->nprograms > 1;
	writer = upf_writer_new(&session, put_out, k->report->out.file);
	free(domains);
	return writer;
}

static int write_archive(struct keeper *k, struct upf_reader *reader)
{
	enum upf_reason reason;
	int rc;

	k->writer = new_writer(k);
	rc = k->writer ? 0 : -errno;
	for (size_t i = 0; rc == 0 && i < k->nprograms; i++)
		rc = keep_names(k, &k->programs[i]);
	for (size_t i = 0; rc == 0 && i < k->nprograms; i++)
		rc = keep_code(k, &k->programs[i]);
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

static int open_keeper(struct keeper *k, const struct report *r)
{
	const struct binaries *b = &r->run->binaries;

	k->decoder = upf_decoder_new();
	k->programs = calloc(b->nprograms, sizeof(*k->programs));
	if (!k->decoder || !k->programs)
		return -ENOMEM;
	k->nprograms = b->nprograms;
	for (uint32_t i = 0; i < k->nprograms; i++) {
		k->programs[i].number = i;
		k->programs[i].of = &b->programs[i];
	}
	k->stacks.by_program = k->nprograms > 1;
	return 0;
}

static void close_keeper(struct keeper *k)
{
	for (size_t i = 0; i < k->nprograms; i++) {
		hash_table_free(&k->programs[i].by_address);
		free(k->programs[i].addresses);
		free(k->programs[i].functions);
		free(k->programs[i].uses);
	}
	free(k->programs);
	upf_decoder_free(k->decoder);
	archive_stacks_end(&k->stacks);
	hash_table_free(&k->by_pair);
	free(k->pairs);
}

static int run(const struct report *r, struct view_result *found)
{
	struct trace *t = &r->run->traces.list[0];
	struct keeper k = {.report = r, .session = upf_reader_session(t->reader)};
	struct stat st;
	int rc = open_keeper(&k, r);

	(void)found;
	k.size = fstat(t->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	if (rc == 0)
		rc = read_trace(&k, t->reader, study_block);
	for (size_t i = 0; rc == 0 && i < k.nprograms; i++)
		rc = find_functions(&k, &k.programs[i]);
	if (rc == 0)
		rc = write_again(&k, t->path);
	close_keeper(&k);
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
