/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/binaries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct binaries_loading {
	struct binaries *binaries;
	struct traces *traces;
	const struct binary_request *request;
	struct binary_files files;
	size_t *first;      /* by program: its first boot */
	uint64_t *archived; /* by trace and boot: archived_program() */
	size_t memory;      /* that archives may still take, however many programs they have */
	char *why;
	size_t size;
};

static int fail_loading(struct binaries_loading *l, int error)
{
	snprintf(l->why, l->size, "%s", strerror(-error));
	return -1;
}

/* --- which boots share a program --------------------------------------------------------------------------------- */

#define SEVERAL UINT64_MAX

/*
 * The number that archive number @trace has for the program of @boot, plus 1. 0: it lacks the domain, or that boot of
 * it; SEVERAL: it has more domains of that name, and they ran different programs.
 */
static uint64_t *archived_program(const struct binaries_loading *l, size_t trace, size_t boot)
{
	return &l->archived[trace * l->binaries->boots.n + boot];
}

static void take_archived(const struct binaries_loading *l, size_t trace, size_t boot, uint32_t program)
{
	uint64_t *known = archived_program(l, trace, boot);

	*known = *known && *known != (uint64_t)program + 1 ? SEVERAL : (uint64_t)program + 1;
}

/* The header tells of each boot which program it ran, or of all together. */
static void list_archived_domain(const struct binaries_loading *l, size_t trace, uint32_t k)
{
	const struct trace *t = &l->traces->list[trace];
	const struct upf_domain *d = &upf_reader_session(t->reader)->domains[k];
	const struct boots *b = &l->binaries->boots;
	const uint32_t domain = scope_domain(&t->scope, k);

	for (size_t i = b->first[domain]; d->nboots == 0 && i < b->first[domain + 1]; i++)
		take_archived(l, trace, i, d->program);
	if (d->nboots)
		take_archived(l, trace, boots_at(b, domain, t->scope.later_ns), d->program);
	for (uint32_t i = 0; i < d->nboots; i++)
		take_archived(l, trace, boots_at(b, domain, t->scope.later_ns + d->boots[i].from_ns),
		              d->boots[i].program);
}

static int list_archived(struct binaries_loading *l)
{
	l->archived = calloc(l->traces->n * l->binaries->boots.n, sizeof(*l->archived));
	for (size_t i = 0; l->archived && i < l->traces->n; i++) {
		const struct upf_session *s = upf_reader_session(l->traces->list[i].reader);

		for (uint32_t k = 0; k < s->ndomains; k++)
			list_archived_domain(l, i, k);
		if (s->ndomains == 0)
			*archived_program(l, i, 0) = 1;
	}
	return l->archived ? 0 : -ENOMEM;
}

static bool is_archived(const struct binaries_loading *l, size_t boot)
{
	return l->traces->session.archived && !binary_files_any(&l->files, boot);
}

static bool same_archived(const struct binaries_loading *l, size_t a, size_t b)
{
	for (size_t i = 0; i < l->traces->n; i++)
		if (*archived_program(l, i, a) != *archived_program(l, i, b))
			return false;
	return true;
}

/* A kernel may lie elsewhere in each boot. */
static bool same_file(const struct binaries_loading *l, size_t file, size_t a, size_t b)
{
	const struct boots *boots = &l->binaries->boots;
	const struct kernel_symbols *k = &l->files.list[file].kernel;
	bool is = binary_files_for(&l->files, a, file);

	return is == binary_files_for(&l->files, b, file) &&
	       (!is || kernel_entry_bias(k, boots, a) == kernel_entry_bias(k, boots, b));
}

/* Code of other machines is unwound in other ways. */
static bool same_program(const struct binaries_loading *l, size_t a, size_t b)
{
	const struct upf_domain *x = &l->binaries->boots.list[a].as, *y = &l->binaries->boots.list[b].as;

	for (size_t i = 0; i < l->files.n; i++)
		if (!same_file(l, i, a, b))
			return false;
	if (is_archived(l, a))
		return same_archived(l, a, b);
	return x->arch == y->arch && (x->kind <= UPF_KIND_PV) == (y->kind <= UPF_KIND_PV);
}

static void number_programs(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;

	for (size_t i = 0; i < b->boots.n; i++) {
		uint32_t program = 0;

		if (!boots_count(&b->boots, l->traces, i))
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
		                                      .boots = &b->boots,
		                                      .boot = l->first[i],
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

	b->program_of = calloc(b->boots.n, sizeof(*b->program_of));
	l->first = calloc(b->boots.n, sizeof(*l->first));
	return b->program_of && l->first ? 0 : -ENOMEM;
}

/* Which of the files are kernels, whose place the traces may know. Loading says what is wrong with one. */
static void find_kernels(struct binaries_loading *l)
{
	for (size_t i = 0; i < l->files.n; i++) {
		struct binary_file *file = &l->files.list[i];
		char why[200];

		if (file->is_linked && !file->moved &&
		    binary_file_read(file, &l->request->debug, why, sizeof(why)) == 0)
			file->kernel = kernel_symbols_of(&file->symbols);
	}
}

static int make_programs(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = allocate(l);

	if (rc == 0 && l->traces->session.archived)
		rc = list_archived(l);
	if (rc != 0)
		return fail_loading(l, rc);
	find_kernels(l);
	number_programs(l);
	b->programs = calloc(b->nprograms, sizeof(*b->programs));
	b->resolvers = calloc(b->nprograms, sizeof(*b->resolvers));
	return b->programs && b->resolvers ? 0 : fail_loading(l, -ENOMEM);
}

/* Else it does not matter which guest ran what, and a report of a pipe begins before its first block has come. */
static bool may_have_names(const struct binaries_loading *l)
{
	const struct upf_session *s = &l->traces->session;
	bool may = l->request->nfiles || l->request->nknown || s->archived;

	for (size_t i = 0; i < s->ndomains && !may; i++)
		may = s->domains[i].image || s->domains[i].build_id;
	return may;
}

static int load_all(struct binaries_loading *l)
{
	struct binaries *b = l->binaries;
	int rc = boots_find(&b->boots, l->traces, may_have_names(l));

	if (rc != 0)
		return fail_loading(l, rc);
	rc = binary_files_choose(&l->files, l->traces, &b->boots, l->request, l->why, l->size);
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
	boots_free(&b->boots);
	*b = (struct binaries){0};
}

bool binaries_ran(const struct binaries *b, uint32_t domain, uint32_t program)
{
	const struct boots *boots = &b->boots;

	for (size_t i = 0; i < boots->n; i++)
		if (boots->list[i].domain == domain && b->program_of[i] == program)
			return true;
	return false;
}

bool binaries_ran_any(const struct binaries *b, uint32_t domain, bool (*is)(const struct program *p))
{
	for (uint32_t i = 0; i < b->nprograms; i++)
		if (binaries_ran(b, domain, i) && is(&b->programs[i]))
			return true;
	return false;
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
