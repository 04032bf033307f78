/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/binaries.h"
#include "report/input/kernel_entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct binaries_loading {
	struct binaries *binaries;
	struct traces *traces;
	const struct binary_request *request;
	struct binary_files files;
	struct kernel_entries *kernel_entries; /* by domain */
	uint32_t *first;                       /* by program: its first domain */
	uint64_t *archived;                    /* by trace and domain: archived_program() */
	size_t memory;                         /* that archives may still take, however many programs they have */
	char *why;
	size_t size;
};

static int fail_loading(struct binaries_loading *l, int error)
{
	snprintf(l->why, l->size, "%s", strerror(-error));
	return -1;
}

/* --- which domains share a program ------------------------------------------------------------------------------- */

#define SEVERAL UINT64_MAX

/*
 * The number that archive number @trace has for the program of @domain, plus 1. 0: it lacks the domain; SEVERAL: it has
 * more domains of that name, and they ran different programs.
 */
static uint64_t *archived_program(const struct binaries_loading *l, size_t trace, uint32_t domain)
{
	return &l->archived[trace * l->binaries->ndomains + domain];
}

static int list_archived(struct binaries_loading *l)
{
	l->archived = calloc(l->traces->n * l->binaries->ndomains, sizeof(*l->archived));
	for (size_t i = 0; l->archived && i < l->traces->n; i++) {
		const struct trace *t = &l->traces->list[i];
		const struct upf_session *s = upf_reader_session(t->reader);

		for (uint32_t k = 0; k < s->ndomains; k++) {
			uint64_t program = (uint64_t)s->domains[k].program + 1;
			uint64_t *known = archived_program(l, i, scope_domain(&t->scope, k));

			*known = *known && *known != program ? SEVERAL : program;
		}
		if (s->ndomains == 0)
			*archived_program(l, i, 0) = 1;
	}
	return l->archived ? 0 : -ENOMEM;
}

static bool is_archived(const struct binaries_loading *l, uint32_t domain)
{
	return l->traces->session.archived && !binary_files_any(&l->files, domain);
}

static bool same_archived(const struct binaries_loading *l, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < l->traces->n; i++)
		if (*archived_program(l, i, a) != *archived_program(l, i, b))
			return false;
	return true;
}

/* A kernel may lie elsewhere in each domain, and code of other machines is unwound in other ways. */
static bool same_program(const struct binaries_loading *l, uint32_t a, uint32_t b)
{
	const struct upf_domain *domains = l->traces->session.domains;

	for (size_t i = 0; i < l->files.n; i++)
		if (binary_files_for(&l->files, a, i) != binary_files_for(&l->files, b, i))
			return false;
	if (is_archived(l, a))
		return same_archived(l, a, b);
	return memcmp(&l->kernel_entries[a], &l->kernel_entries[b], sizeof(*l->kernel_entries)) == 0 &&
	       domains[a].arch == domains[b].arch &&
	       (domains[a].kind <= UPF_KIND_PV) == (domains[b].kind <= UPF_KIND_PV);
}

static void number_programs(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;

	for (uint32_t i = 0; i < b->ndomains; i++) {
		uint32_t program = 0;

		if (!traces_have(l->traces, i))
			continue; /* of samples that do not count */
		while (program < b->nprograms && !same_program(l, l->first[program], i))
			program++;
		if (program == b->nprograms)
			l->first[b->nprograms++] = i;
		b->program_of[i] = program;
	}
	b->nprograms += b->nprograms == 0; /* of domains that the traces do not name */
}

/* --- archives ---------------------------------------------------------------------------------------------------- */

/* Adds the block to each program that the archive's own number @program is part of. */
static int add_block(struct binaries_loading *l, size_t trace, uint64_t program, const struct upf_block *block)
{
	struct binaries *b = l->binaries;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < b->nprograms; i++) {
		struct program *p = &b->programs[i];

		if (!p->archive || *archived_program(l, trace, l->first[i]) != program + 1)
			continue;
		rc = archive_add(p->archive, &p->symbols, block, &l->memory);
	}
	return rc;
}

/* An archive has its names before all samples. The reader reports damaged blocks; malformed ones are counted here. */
static int read_names(struct binaries_loading *l, size_t trace)
{
	struct trace *t = &l->traces->list[trace];
	bool by_program = upf_reader_session(t->reader)->by_program;
	struct upf_block block;
	int rc = trace_resume(t);

	if (rc != 0)
		return rc;
	while ((rc = upf_reader_next(t->reader, &block)) > 0) {
		uint64_t program = 0;

		if (block.fault == UPF_OK && block.type != UPF_BLOCK_NAMES && block.type != UPF_BLOCK_CODE) {
			upf_reader_again(t->reader, &block);
			return 0;
		}
		rc = block.fault == UPF_OK && by_program ? archive_program(&block, &program) : 0;
		if (rc == 0 && block.fault == UPF_OK)
			rc = add_block(l, trace, program, &block);
		if (rc != 0 && rc != -EBADMSG)
			return rc;
		t->bad_blocks += rc == -EBADMSG;
	}
	return rc;
}

static int load_archives(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < b->nprograms; i++)
		if (is_archived(l, l->first[i])) {
			b->has_archive = true;
			rc = program_archive(&b->programs[i], l->request);
		}
	for (size_t i = 0; rc == 0 && b->has_archive && i < l->traces->n; i++) {
		rc = read_names(l, i);
		trace_suspend(&l->traces->list[i]);
	}
	for (size_t i = 0; rc == 0 && i < b->nprograms; i++)
		if (b->programs[i].archive)
			rc = program_archived(&b->programs[i]);
	return rc == 0 ? 0 : fail_loading(l, rc);
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int load_files(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < b->nprograms; i++) {
		const struct program_source source = {.files = &l->files,
		                                      .domain = l->first[i],
		                                      .kernel_entries = &l->kernel_entries[l->first[i]],
		                                      .traces = l->traces,
		                                      .request = l->request,
		                                      .loaded = b->programs,
		                                      .nloaded = i};

		if (!is_archived(l, l->first[i]))
			rc = program_load(&b->programs[i], &source, l->why, l->size);
	}
	return rc;
}

static int allocate(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;

	b->ndomains = l->files.ndomains;
	b->program_of = calloc(b->ndomains, sizeof(*b->program_of));
	l->first = calloc(b->ndomains, sizeof(*l->first));
	l->kernel_entries = calloc(b->ndomains, sizeof(*l->kernel_entries));
	return b->program_of && l->first && l->kernel_entries ? 0 : -ENOMEM;
}

/* Is one of the files a kernel, of which the traces may know where it was loaded? */
static bool has_kernel(const struct binaries_loading *l)
{
	bool found = false;

	for (size_t i = 0; i < l->files.n && !found; i++) {
		struct binary_file *file = &l->files.list[i];
		uint64_t start;
		char why[200];

		found = file->is_linked && !file->moved &&
		        binary_file_read(file, &l->request->debug, why, sizeof(why)) == 0 &&
		        symbols_added(&file->symbols, KERNEL_START, 0, file->symbols.nadded, &start);
	}
	return found;
}

static int make_programs(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = allocate(l);

	if (rc == 0 && l->traces->session.archived)
		rc = list_archived(l);
	if (rc == 0 && has_kernel(l))
		rc = kernel_entry_find(l->traces, l->kernel_entries);
	if (rc != 0)
		return fail_loading(l, rc);
	number_programs(l);
	b->programs = calloc(b->nprograms, sizeof(*b->programs));
	b->resolvers = calloc(b->nprograms, sizeof(*b->resolvers));
	return b->programs && b->resolvers ? 0 : fail_loading(l, -ENOMEM);
}

static int load_all(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = binary_files_choose(&l->files, l->traces, l->request, l->why, l->size);

	if (rc == 0)
		rc = make_programs(l);
	if (rc == 0)
		rc = load_files(l);
	if (rc == 0)
		rc = load_archives(l);
	for (size_t i = 0; rc == 0 && i < b->nprograms; i++) {
		b->resolvers[i] = program_resolver(&b->programs[i]);
		b->has_files |= b->programs[i].has_files;
		b->has_symbols |= b->programs[i].has_symbols;
	}
	return rc;
}

int binaries_load(struct binaries *b, struct traces *traces, const struct binary_request *request, char *why,
                  size_t size)
{
	struct binaries_loading l = {.binaries = b,
	                             .traces = traces,
	                             .request = request,
	                             .memory = ARCHIVE_MEMORY_MAX,
	                             .why = why,
	                             .size = size};
	int rc = load_all(&l);

	binary_files_free(&l.files);
	free(l.kernel_entries);
	free(l.first);
	free(l.archived);
	return rc;
}

void binaries_free(struct binaries *b)
{
	for (size_t i = 0; b->programs && i < b->nprograms; i++)
		program_free(&b->programs[i]);
	free(b->programs);
	free(b->resolvers);
	free(b->program_of);
	*b = (struct binaries){0};
}

static bool any_program(const struct binaries *b, bool (*is)(const struct program *p))
{
	for (size_t i = 0; i < b->nprograms; i++)
		if (is(&b->programs[i]))
			return true;
	return false;
}

bool binaries_have_stacks(const struct binaries *b)
{
	return any_program(b, program_has_stacks);
}

bool binaries_have_tables(const struct binaries *b)
{
	return any_program(b, program_has_tables);
}

bool binaries_lack_dwarf(const struct binaries *b)
{
	return any_program(b, program_lacks_dwarf);
}
