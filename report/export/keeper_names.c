/* SPDX-License-Identifier: BSD-2-Clause */
/* keeper_names.c - the names of an archive's addresses, and the code of their functions. */
#include "report/export/keeper.h"

#include "report/isa/disassembly.h"
#include "report/fold/extents.h"

#include <errno.h>

/* --- names ------------------------------------------------------------------------------------------------------- */

static int compare_looked_up(const void *va, const void *vb)
{
	return array_compare(*(const uint64_t *)va, *(const uint64_t *)vb);
}

static void sort_addresses(struct kept_program *k)
{
	array_sort(k->addresses, k->naddresses, sizeof(*k->addresses), compare_looked_up);
}

static int flush_names(struct keeper *k, struct archive_names_payload *names)
{
	struct buf payload = {0};

	archive_names_finish(names, &payload);
	return keeper_write(k, UPF_BLOCK_NAMES, &payload);
}

static int put_program_names(struct keeper *k, const struct kept_program *p, struct archive_names_payload *names)
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
int keeper_put_names(struct keeper *k, const struct kept_program *p)
{
	struct archive_names_payload names = {.program = k->nprograms > 1 ? &p->number : NULL,
	                                      .flags = (program_has_tables(p->of) ? ARCHIVE_TABLES : 0) |
	                                               (program_lacks_dwarf(p->of) ? ARCHIVE_NO_DWARF : 0)};
	int rc = p->of->has_symbols ? put_program_names(k, p, &names) : 0;

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
			rc = keeper_add_address(k, i.target);
		at += i.size;
	}
	disassembly_free(d);
	return rc;
}

static int flush_code(struct keeper *k, struct archive_code_payload *code)
{
	struct buf payload = {0};

	archive_code_finish(code, &payload);
	return keeper_write(k, UPF_BLOCK_CODE, &payload);
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
		rc = keeper_add_address(p, extents.of[i].first_at);
		if (rc == 0)
			rc = keeper_add_address(p, extents.of[i].last_at);
	}
	extents_free(&extents);
	return rc;
}

static int find_kept_function(struct keeper *k, struct kept_program *p, uint64_t address,
                              const struct symbol_range *range)
{
	const struct symbols *s = &p->of->symbols;
	const struct kept_function f = {.address = address,
	                                .start = symbols_start(s, range),
	                                .name = symbols_name(s, range),
	                                .size = symbols_end(s, range) - symbols_start(s, range)};
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
int keeper_find_functions(struct keeper *k, struct kept_program *p)
{
	size_t n = p->naddresses;
	int rc = 0;

	sort_addresses(p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const uint64_t address = p->addresses[i];
		const struct symbol_range *range = symbols_range(&p->of->symbols, address);

		if (range && (p->nfunctions == 0 ||
		              symbols_start(&p->of->symbols, range) > p->functions[p->nfunctions - 1].start))
			rc = find_kept_function(k, p, address, range);
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

int keeper_put_code(struct keeper *k, const struct kept_program *p)
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
