/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/program.h"
#include "report/elf/elf_file.h"
#include "report/elf/image.h"
#include "report/input/kernel_entry.h"
#include "report/isa/isa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct program_loading {
	struct program *program;
	const struct program_source *source;
	char *why;
	size_t size;
};

static int fail_program(struct program_loading *l, const char *path, const char *why)
{
	snprintf(l->why, l->size, "%s%s%s", path ? path : "", path ? ": " : "", why);
	return -1;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* Where the file's lowest address is, by its program headers; of a list of names, by its first function. */
static bool lowest_address(const char *path, const struct symbols *s, size_t from, uint64_t *address)
{
	char why[64];
	struct elf_file *f = elf_file_is(path) ? elf_file_open(path, why, sizeof(why)) : NULL;
	bool found = f ? elf_file_lowest(f, address) : symbols_lowest(s, from, address);

	elf_file_close(f);
	return found;
}

/*
 * How much higher the kernel in the image lies than it was linked: the list of names that was taken from the guest, one
 * of the first @nlists symbols, tells, or else the trace. 0: neither, or it is no kernel.
 */
static uint64_t kernel_bias(const struct program_loading *l, const struct binary_file *file, size_t nlists)
{
	uint64_t seen;

	if (!file->kernel.start)
		return 0;
	if (symbols_added(&l->program->symbols, KERNEL_START, 0, nlists, &seen))
		return seen - file->kernel.start;
	return kernel_entry_bias(&file->kernel, l->source->boots, l->source->boot);
}

/* @nlists: how many of the symbols are from lists; @from: where the file's begin. */
static int choose_bias(struct program_loading *l, size_t i, size_t nlists, size_t from)
{
	struct binary_file *file = l->program->files[i];
	uint64_t *bias = &l->program->bias[i], lowest;

	if (!file->moved || file->by_offset) {
		*bias = file->moved ? file->where : file->is_elf ? kernel_bias(l, file, nlists) : 0;
		return 0;
	}
	if (!lowest_address(file->path, &l->program->symbols, from, &lowest))
		return fail_program(l, binary_file_name(file),
		                    "nothing in it is loaded: where it lies cannot be told by an address");
	*bias = file->where - lowest;
	return 0;
}

static int add_symbols(struct program_loading *l, size_t i, size_t nlists)
{
	struct symbols *symbols = &l->program->symbols;
	struct binary_file *file = l->program->files[i];
	size_t from = symbols->nadded;
	char why[200];
	int rc = binary_file_read(file, &l->source->request->debug, why, sizeof(why));

	/* A kernel's vmlinux may be stripped and still be what its stacks are unwound by. */
	if (rc < 0 || (rc > 0 && !file->image && !image_has_tables(file->path)))
		return fail_program(l, binary_file_name(file), why);
	if (symbols_append(symbols, &file->symbols) != 0)
		return fail_program(l, binary_file_name(file), strerror(ENOMEM));
	if (choose_bias(l, i, nlists, from) != 0)
		return -1;
	symbols_move(symbols, from, l->program->bias[i]);
	return 0;
}

static int check_machine(struct program_loading *l, const struct binary_file *file)
{
	const struct upf_domain *d = &l->source->boots->list[l->source->boot].as;
	char why[200];
	struct elf_file *f = elf_file_open(file->path, why, sizeof(why));
	const struct isa *isa = f ? isa_of_machine(f->header.e_machine) : NULL;
	bool ran = f && (!isa_of_arch(d->arch) || (isa && isa_runs_on(isa, d->arch)));

	if (f && !ran)
		snprintf(why, sizeof(why), "is for %s, but %.64s ran %s code",
		         isa ? upf_arch_text(isa->arch) : "another machine", d->name ? d->name : "the domain",
		         upf_arch_text(d->arch));
	elf_file_close(f);
	return ran ? 0 : fail_program(l, binary_file_name(file), why);
}

/* Lists come first: they may say where binaries are loaded. */
static int load_symbols(struct program_loading *l)
{
	struct symbols *symbols = &l->program->symbols;
	size_t nlists;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->program->nfiles; i++)
		if (!l->program->files[i]->is_elf)
			rc = add_symbols(l, i, 0);
	nlists = symbols->nadded;
	for (size_t i = 0; rc == 0 && i < l->program->nfiles; i++)
		if (l->program->files[i]->is_elf)
			rc = add_symbols(l, i, nlists);
	return rc == 0 && symbols_sort(symbols) != 0 ? fail_program(l, "symbols", strerror(ENOMEM)) : rc;
}

/* --- tables, lines ----------------------------------------------------------------------------------------------- */

/* What makes stacks true: the same files' unwind tables and code. */
static int load_cfi(struct program_loading *l)
{
	struct program *p = l->program;
	char why[200];

	if (p->no_repair)
		return 0;
	p->cfi = cfi_new(&p->symbols);
	if (!p->cfi)
		return fail_program(l, NULL, strerror(ENOMEM));
	for (size_t i = 0; i < l->program->nfiles; i++)
		if (l->program->files[i]->is_elf &&
		    cfi_add_image(p->cfi, l->program->files[i]->path, l->program->bias[i], why, sizeof(why)) != 0)
			return fail_program(l, binary_file_name(l->program->files[i]), why);
	return 0;
}

static int load_lines(struct program_loading *l)
{
	struct program *p = l->program;

	if (p->no_inline)
		return 0;
	p->lines = calloc(l->program->nfiles + 1, sizeof(struct lines *));
	for (size_t i = 0; p->lines && i < l->program->nfiles; i++) {
		if (!l->program->files[i]->is_linked)
			continue;
		p->lines[p->nlines] =
			lines_new(l->program->files[i]->path, l->program->bias[i], &l->source->request->debug);
		if (!p->lines[p->nlines++])
			return fail_program(l, NULL, strerror(ENOMEM));
	}
	return p->lines ? 0 : fail_program(l, NULL, strerror(ENOMEM));
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int list_program_files(struct program_loading *l)
{
	struct binary_files *all = l->source->files;

	l->program->files = calloc(all->n + 1, sizeof(struct binary_file *));
	l->program->bias = calloc(all->n + 1, sizeof(*l->program->bias));
	if (!l->program->files || !l->program->bias)
		return fail_program(l, NULL, strerror(ENOMEM));
	for (size_t i = 0; i < all->n; i++)
		if (binary_files_for(all, l->source->boot, i))
			l->program->files[l->program->nfiles++] = &all->list[i];
	return 0;
}

/* Is all of it @other at another address? *moved: how much higher. The files know by now where they are linked. */
static bool is_like(const struct program_loading *l, const struct program *other, uint64_t *moved)
{
	const struct program *p = l->program;
	bool same = p->nfiles > 0 && p->nfiles == other->nfiles && !other->like;

	for (size_t i = 0; same && i < p->nfiles; i++) {
		same = p->files[i] == other->files[i] && p->files[i]->kernel.start && !p->files[i]->moved;
		p->bias[i] = same ? kernel_bias(l, p->files[i], 0) : 0;
		same = same && (i == 0 || p->bias[i] - other->bias[i] == *moved);
		*moved = p->bias[i] - other->bias[i];
	}
	return same;
}

/* Of many guests with one kernel, which is relocated in each, names and lines are read once. */
static bool share_names(struct program_loading *l)
{
	struct program *p = l->program;
	uint64_t moved = 0;

	for (size_t i = 0; !p->like && i < l->source->nloaded; i++)
		if (is_like(l, &l->source->loaded[i], &moved))
			p->like = &l->source->loaded[i];
	if (!p->like)
		return false;
	p->moved = moved;
	p->symbols = symbols_elsewhere(&p->like->symbols, p->moved);
	p->lines = p->like->lines;
	p->nlines = p->like->nlines;
	return true;
}

int program_load(struct program *p, const struct program_source *source, char *why, size_t size)
{
	struct program_loading l = {.program = p, .source = source, .why = why, .size = size};
	int rc = list_program_files(&l);

	p->no_repair = source->request->no_repair;
	p->no_inline = source->request->no_inline;
	for (size_t i = 0; rc == 0 && i < p->nfiles; i++)
		rc = p->files[i]->is_elf ? check_machine(&l, p->files[i]) : 0;
	if (rc == 0 && !share_names(&l))
		rc = load_symbols(&l);
	if (rc == 0)
		rc = load_cfi(&l);
	if (rc == 0 && !p->like)
		rc = load_lines(&l);
	p->has_files = p->nfiles > 0;
	p->has_symbols = p->symbols.nranges > 0;
	for (size_t i = 0; i < p->nfiles; i++)
		p->has_symbols |= !p->files[i]->image;
	return rc;
}

int program_archive(struct program *p, const struct binary_request *request)
{
	p->no_repair = request->no_repair;
	p->no_inline = request->no_inline;
	p->archive = archive_new();
	return p->archive ? 0 : -ENOMEM;
}

int program_archived(struct program *p)
{
	p->has_symbols = archive_any(p->archive);
	archive_sort(p->archive);
	return symbols_sort(&p->symbols);
}

void program_free(struct program *p)
{
	for (size_t i = 0; !p->like && i < p->nlines; i++)
		lines_free(p->lines[i]);
	if (!p->like)
		free(p->lines);
	free(p->files);
	free(p->bias);
	cfi_free(p->cfi);
	archive_free(p->archive);
	symbols_free(&p->symbols);
	*p = (struct program){0};
}

/* --- what it knows ----------------------------------------------------------------------------------------------- */

struct resolver program_resolver(const struct program *p)
{
	return (struct resolver){.symbols = &p->symbols,
	                         .lines = p->lines,
	                         .nlines = p->nlines,
	                         .moved = p->moved,
	                         .archive = p->archive,
	                         .find_archived = archive_find,
	                         .no_inline = p->no_inline};
}

bool program_has_stacks(const struct program *p)
{
	return p->archive && !p->no_repair;
}

bool program_has_tables(const struct program *p)
{
	return p->archive ? archive_flags(p->archive) & ARCHIVE_TABLES : p->cfi && cfi_any(p->cfi);
}

bool program_lacks_dwarf(const struct program *p)
{
	if (p->archive)
		return !p->no_inline && (archive_flags(p->archive) & ARCHIVE_NO_DWARF);
	for (size_t i = 0; i < p->nlines; i++)
		if (lines_any(p->lines[i]))
			return false;
	return p->nlines > 0;
}

/* The code from @start on, in the function that holds @address; of the *left bytes some may lie behind it. */
static const uint8_t *code_at(const struct program *p, uint64_t address, uint64_t start, size_t *left,
                              const struct isa **isa)
{
	const struct image *image = p->cfi ? cfi_image(p->cfi, address) : NULL;

	if (program_has_stacks(p))
		return archive_code(p->archive, start, left, isa);
	if (!image)
		return NULL;
	*isa = image_isa_at(image, start);
	return image_code(image, start, left);
}

const uint8_t *program_function(const struct program *p, uint64_t address, uint64_t *start, size_t *size,
                                const struct isa **isa)
{
	const struct symbol_range *range = symbols_range(&p->symbols, address);
	uint64_t first = range ? symbols_start(&p->symbols, range) : 0;
	uint64_t length = range ? symbols_end(&p->symbols, range) - first : 0;
	const uint8_t *code = range ? code_at(p, address, first, size, isa) : NULL;

	if (!code)
		return NULL;
	*start = first;
	*size = *size < length ? *size : (size_t)length;
	*size = *size < ARCHIVE_CODE_MAX ? *size : ARCHIVE_CODE_MAX;
	return *size ? code : NULL;
}
