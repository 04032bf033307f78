/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/binaries.h"
#include "format/identity.h"
#include "report/binary/elf_file.h"
#include "report/binary/image.h"
#include "report/input/kernel_entry.h"
#include "report/isa/isa.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loading {
	struct binaries *binaries;
	struct traces *traces;
	const struct binary_request *request;
	struct binary_file *files;
	uint64_t *bias; /* of each */
	size_t n, cap;
	uint64_t kernel_entry; /* 0: not known */
	char *why;
	size_t size;
};

static int fail(struct loading *l, const char *path, const char *why)
{
	snprintf(l->why, l->size, "%s%s%s", path ? path : "", path ? ": " : "", why);
	return -1;
}

/* --- which files ------------------------------------------------------------------------------------------------- */

static bool parse_address(const char *text, struct binary_file *file)
{
	const char *digits;
	char *end;

	file->by_offset = *text == '+' || *text == '-';
	digits = text + file->by_offset;
	if (!isxdigit((unsigned char)*digits)) /* what else strtoull() would take: a blank, another sign */
		return false;
	errno = 0;
	file->where = strtoull(digits, &end, 16);
	if (*text == '-')
		file->where = -file->where;
	return errno == 0 && *end == '\0';
}

int binary_file_parse(const char *text, struct binary_file *file)
{
	const char *at = strrchr(text, '@');

	*file = (struct binary_file){0};
	file->moved = at && access(text, F_OK) != 0 && parse_address(at + 1, file);
	file->path = file->moved ? strndup(text, (size_t)(at - text)) : strdup(text);
	return file->path ? 0 : -ENOMEM;
}

static int add_file(struct loading *l, const char *text)
{
	if (array_room(&l->files, &l->cap, l->n, sizeof(*l->files)) != 0 ||
	    binary_file_parse(text, &l->files[l->n]) != 0)
		return fail(l, NULL, strerror(ENOMEM));
	l->n++;
	return 0;
}

/* A trace may name anything, a pipe that never ends as well. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/* The image that the trace names, below --symfs, then as it was called. *path is NULL if it is nowhere. */
static int find_image(struct loading *l, const char *image, char **path)
{
	*path = NULL;
	if (l->request->debug.symfs && asprintf(path, "%s/%s", l->request->debug.symfs, image) < 0)
		return fail(l, NULL, strerror(ENOMEM));
	if (*path && is_file(*path))
		return 0;
	free(*path);
	*path = is_file(image) ? strdup(image) : NULL;
	return 0;
}

/* Do samples of the session's domain @index count? */
static bool is_chosen(const struct traces *t, uint32_t index)
{
	for (size_t i = 0; i < t->n; i++)
		if (scope_has_domain(&t->list[i].scope, index))
			return true;
	return false;
}

/*
 * The image that the trace names, if its identity is told, too. NULL: none. Names are of all domains alike, so those
 * of several images would be given to each other's addresses: then none is taken.
 */
static const char *recorded_image(const struct traces *t, bool *several)
{
	const struct upf_session *s = &t->session;
	const char *image = NULL;

	for (uint32_t i = 0; i < s->ndomains; i++) {
		const struct upf_domain *d = &s->domains[i];

		if (!is_chosen(t, i))
			continue;
		if (!d->image || !d->build_id)
			return NULL;
		*several |= image && strcmp(d->image, image) != 0;
		image = d->image;
	}
	return *several ? NULL : image;
}

static int add_recorded(struct loading *l)
{
	const char *image = recorded_image(l->traces, &l->binaries->several);
	char *path = NULL;
	int rc = image ? find_image(l, image, &path) : 0;

	if (rc != 0 || !path || !elf_file_is(path)) {
		free(path);
		return rc;
	}
	rc = array_room(&l->files, &l->cap, l->n, sizeof(*l->files));
	if (rc != 0) {
		free(path);
		return fail(l, NULL, strerror(ENOMEM));
	}
	l->files[l->n++] = (struct binary_file){.path = path};
	return 0;
}

static int choose_files(struct loading *l)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->request->nfiles; i++)
		rc = add_file(l, l->request->files[i]);
	if (l->request->nfiles == 0 && !l->traces->session.archived)
		rc = add_recorded(l);
	l->bias = rc == 0 ? calloc(l->n + 1, sizeof(*l->bias)) : NULL;
	return rc == 0 && !l->bias ? fail(l, NULL, strerror(ENOMEM)) : rc;
}

/* --- are they the ones that ran? --------------------------------------------------------------------------------- */

/* Modules are no domain's image, nor is a list of names. */
static bool is_linked(const char *path)
{
	char why[64];
	struct image *i = elf_file_is(path) ? image_open(path, why, sizeof(why)) : NULL;
	bool linked = i && image_is_linked(i);

	image_close(i);
	return linked;
}

/* A domain that ran @identity, or NULL: any one whose is known. */
static const struct upf_domain *identified(const struct traces *t, const char *identity)
{
	for (uint32_t i = 0; i < t->session.ndomains; i++) {
		const struct upf_domain *d = &t->session.domains[i];

		if (d->build_id && *d->build_id && is_chosen(t, i) &&
		    (!identity || strcmp(d->build_id, identity) == 0))
			return d;
	}
	return NULL;
}

/* One of the files must be an image that was recorded: others may be programs that ran in the guest. */
static int check_identity(struct loading *l)
{
	const struct upf_domain *d = identified(l->traces, NULL);
	char identity[IDENTITY_SIZE], first[IDENTITY_SIZE];
	const char *wrong = NULL;

	for (size_t i = 0; d && i < l->n; i++) {
		if (!is_linked(l->files[i].path) || identity_of_file(l->files[i].path, identity) != 0)
			continue;
		if (identified(l->traces, identity))
			return 0;
		if (!wrong)
			strcpy(first, identity);
		wrong = wrong ? wrong : l->files[i].path;
	}
	if (!wrong)
		return 0;
	snprintf(l->why, l->size,
	         "%s: not what %.64s ran: %s, and this is %s; find that build, or use this one by --force", wrong,
	         d->name ? d->name : "the domain", d->build_id, first);
	return -1;
}

/* Of traces shown as one, each domain must have run one build: names are given to all its addresses alike. */
static int check_trace(struct loading *l, const struct trace *t)
{
	const struct upf_session *s = upf_reader_session(t->reader);

	for (uint32_t i = 0; t->domain_map && i < s->ndomains; i++) {
		const struct upf_domain *one = &s->domains[i], *all = &l->traces->session.domains[t->domain_map[i]];

		if (!one->build_id || !all->build_id || strcmp(one->build_id, all->build_id) == 0 ||
		    !scope_has_domain(&t->scope, t->domain_map[i]))
			continue;
		snprintf(l->why, l->size,
		         "%s: %.64s ran %s there, and %s in a trace before: compare them by --diff, or use --force",
		         t->path, one->name ? one->name : "the domain", one->build_id, all->build_id);
		return -1;
	}
	return 0;
}

static int check_traces(struct loading *l)
{
	const struct traces *t = l->traces;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n && (l->n > 0 || t->session.archived); i++)
		rc = check_trace(l, &t->list[i]);
	return rc;
}

/* --- what is in them --------------------------------------------------------------------------------------------- */

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
 * How much higher the kernel in the image, whose symbols are the last ones from @from on, lies than it was linked: the
 * list of names that was taken from the guest, one of the first @nlists symbols, tells, or else the trace. 0: neither.
 */
static uint64_t kernel_bias(const struct loading *l, size_t nlists, size_t from)
{
	const struct symbols *s = &l->binaries->symbols;
	uint64_t linked, seen, bias;

	if (symbols_added(s, KERNEL_START, 0, nlists, &seen) &&
	    symbols_added(s, KERNEL_START, from, s->nadded, &linked))
		return seen - linked;
	return l->kernel_entry && kernel_entry_bias(s, from, l->kernel_entry, &bias) ? bias : 0;
}

/* @nlists: how many of the symbols are from lists; @from: where the file's begin. */
static int find_bias(struct loading *l, size_t i, size_t nlists, size_t from)
{
	const struct binary_file *file = &l->files[i];
	uint64_t lowest;

	if (!file->moved || file->by_offset) {
		l->bias[i] = file->moved ? file->where : elf_file_is(file->path) ? kernel_bias(l, nlists, from) : 0;
		return 0;
	}
	if (!lowest_address(file->path, &l->binaries->symbols, from, &lowest))
		return fail(l, file->path, "nothing in it is loaded: where it lies cannot be told by an address");
	l->bias[i] = file->where - lowest;
	return 0;
}

static int add_symbols(struct loading *l, size_t i, size_t nlists)
{
	struct symbols *symbols = &l->binaries->symbols;
	size_t from = symbols->nadded;
	char why[200];
	int rc = symbols_add_file(symbols, l->files[i].path, &l->request->debug, why, sizeof(why));

	/* A kernel's vmlinux may be stripped and still be what its stacks are unwound by. */
	if (rc < 0 || (rc > 0 && l->request->nfiles && !image_has_tables(l->files[i].path)))
		return fail(l, l->files[i].path, why);
	if (find_bias(l, i, nlists, from) != 0)
		return -1;
	symbols_move(symbols, from, l->bias[i]);
	return 0;
}

/* Can a domain whose samples count have run code of the file's machine? *other: one that cannot have. */
static bool machine_ran(const struct traces *t, const struct isa *isa, const struct upf_domain **other)
{
	*other = NULL;
	for (uint32_t i = 0; i < t->session.ndomains; i++) {
		const struct upf_domain *d = &t->session.domains[i];

		if (!is_chosen(t, i))
			continue;
		if (!isa_of_arch(d->arch) || (isa && isa_runs_on(isa, d->arch)))
			return true;
		*other = d;
	}
	return !*other;
}

static int check_machine(struct loading *l, const char *path)
{
	char why[200];
	struct elf_file *f = elf_file_open(path, why, sizeof(why));
	const struct isa *isa = f ? isa_of_machine(f->header.e_machine) : NULL;
	const struct upf_domain *other;
	bool ran = f && machine_ran(l->traces, isa, &other);

	if (f && !ran)
		snprintf(why, sizeof(why), "is for %s, but %.64s ran %s code",
		         isa ? upf_arch_text(isa->arch) : "another machine", other->name ? other->name : "the domain",
		         upf_arch_text(other->arch));
	elf_file_close(f);
	return ran ? 0 : fail(l, path, why);
}

/* Lists come first: they may say where binaries are loaded. */
static int load_symbols(struct loading *l)
{
	struct symbols *symbols = &l->binaries->symbols;
	size_t nlists;
	int rc = l->n ? kernel_entry_find(l->traces, &l->kernel_entry) : 0;

	if (rc != 0)
		return fail(l, NULL, strerror(-rc));
	for (size_t i = 0; rc == 0 && i < l->n; i++)
		if (!elf_file_is(l->files[i].path))
			rc = add_symbols(l, i, 0);
	nlists = symbols->nadded;
	for (size_t i = 0; rc == 0 && i < l->n; i++)
		if (elf_file_is(l->files[i].path) && (rc = check_machine(l, l->files[i].path)) == 0)
			rc = add_symbols(l, i, nlists);
	return rc == 0 && symbols_sort(symbols) != 0 ? fail(l, "symbols", strerror(ENOMEM)) : rc;
}

/* What makes stacks true: the same files' unwind tables and code. */
static int load_cfi(struct loading *l)
{
	struct binaries *b = l->binaries;
	char why[200];

	if (l->request->no_repair || b->archive)
		return 0;
	b->cfi = cfi_new(&b->symbols);
	if (!b->cfi)
		return fail(l, NULL, strerror(ENOMEM));
	for (size_t i = 0; i < l->n; i++)
		if (elf_file_is(l->files[i].path) &&
		    cfi_add_image(b->cfi, l->files[i].path, l->bias[i], why, sizeof(why)) != 0)
			return fail(l, l->files[i].path, why);
	return 0;
}

static int load_lines(struct loading *l)
{
	struct binaries *b = l->binaries;

	if (l->request->no_inline)
		return 0;
	b->lines = calloc(l->n + 1, sizeof(struct lines *));
	for (size_t i = 0; b->lines && i < l->n; i++) {
		if (!is_linked(l->files[i].path))
			continue;
		b->lines[b->nlines] = lines_new(l->files[i].path, l->bias[i], &l->request->debug);
		if (!b->lines[b->nlines++])
			return fail(l, NULL, strerror(ENOMEM));
	}
	return b->lines ? 0 : fail(l, NULL, strerror(ENOMEM));
}

/* --- archives ---------------------------------------------------------------------------------------------------- */

/* The names of an archive stand before all samples. What is damaged among them is told by the reader, or counted. */
static int read_names(struct binaries *b, struct trace *t)
{
	struct upf_block block;
	int rc;

	while ((rc = upf_reader_next(t->reader, &block)) > 0) {
		if (block.fault == UPF_OK && block.type != UPF_BLOCK_NAMES && block.type != UPF_BLOCK_CODE) {
			upf_reader_again(t->reader, &block);
			return 0;
		}
		rc = block.fault == UPF_OK ? archive_add(b->archive, &b->symbols, &block) : 0;
		if (rc != 0 && rc != -EBADMSG)
			return rc;
		t->bad_names += rc == -EBADMSG;
	}
	return rc;
}

static int load_archive(struct loading *l)
{
	struct binaries *b = l->binaries;
	int rc;

	b->archive = archive_new();
	rc = b->archive ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < l->traces->n; i++)
		rc = read_names(b, &l->traces->list[i]);
	if (rc == 0)
		rc = symbols_sort(&b->symbols);
	if (rc != 0)
		return fail(l, NULL, strerror(-rc));
	archive_sort(b->archive);
	return 0;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int load_all(struct loading *l)
{
	bool archived;
	int rc = choose_files(l);

	l->binaries->has_files = l->n > 0;
	archived = l->traces->session.archived && l->n == 0;
	if (rc == 0 && !l->request->force)
		rc = check_identity(l);
	if (rc == 0 && !l->request->force)
		rc = check_traces(l);
	if (rc == 0)
		rc = archived ? load_archive(l) : load_symbols(l);
	if (rc == 0)
		rc = load_cfi(l);
	return rc == 0 ? load_lines(l) : rc;
}

int binaries_load(struct binaries *b, struct traces *traces, const struct binary_request *request, char *why,
                  size_t size)
{
	struct loading l = {.binaries = b, .traces = traces, .request = request, .why = why, .size = size};
	int rc;

	b->no_repair = request->no_repair;
	b->no_inline = request->no_inline;
	rc = load_all(&l);
	b->has_symbols = request->nfiles > 0 || b->symbols.nranges > 0 || b->archive;
	for (size_t i = 0; i < l.n; i++)
		free(l.files[i].path);
	free(l.files);
	free(l.bias);
	return rc;
}

void binaries_free(struct binaries *b)
{
	for (size_t i = 0; i < b->nlines; i++)
		lines_free(b->lines[i]);
	free(b->lines);
	cfi_free(b->cfi);
	archive_free(b->archive);
	symbols_free(&b->symbols);
	*b = (struct binaries){0};
}

/* --- what they know ---------------------------------------------------------------------------------------------- */

struct resolver binaries_resolver(const struct binaries *b)
{
	return (struct resolver){.symbols = &b->symbols,
	                         .lines = b->lines,
	                         .nlines = b->nlines,
	                         .archive = b->archive,
	                         .find_archived = archive_find,
	                         .no_inline = b->no_inline};
}

bool binaries_have_stacks(const struct binaries *b)
{
	return b->archive && !b->no_repair;
}

bool binaries_have_tables(const struct binaries *b)
{
	return b->archive ? archive_flags(b->archive) & ARCHIVE_TABLES : b->cfi && cfi_any(b->cfi);
}

bool binaries_lack_dwarf(const struct binaries *b)
{
	if (b->archive)
		return !b->no_inline && (archive_flags(b->archive) & ARCHIVE_NO_DWARF);
	for (size_t i = 0; i < b->nlines; i++)
		if (lines_any(b->lines[i]))
			return false;
	return b->nlines > 0;
}

const uint8_t *binaries_code(const struct binaries *b, uint64_t address, uint64_t start, size_t *left,
                             const struct isa **isa)
{
	const struct image *image = b->cfi ? cfi_image(b->cfi, address) : NULL;

	if (binaries_have_stacks(b))
		return archive_code(b->archive, start, left, isa);
	if (!image)
		return NULL;
	*isa = image_isa_at(image, start);
	return image_code(image, start, left);
}

const uint8_t *binaries_function(const struct binaries *b, uint64_t address, uint64_t *start, size_t *size,
                                 const struct isa **isa)
{
	const struct symbol_range *range = symbols_range(&b->symbols, address);
	uint64_t length = range ? symbols_end(&b->symbols, range) - range->symbol_start : 0;
	const uint8_t *code = range ? binaries_code(b, address, range->symbol_start, size, isa) : NULL;

	if (!code)
		return NULL;
	*start = range->symbol_start;
	*size = *size < length ? *size : (size_t)length;
	*size = *size < ARCHIVE_CODE_MAX ? *size : ARCHIVE_CODE_MAX;
	return *size ? code : NULL;
}
