/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/binary_files.h"
#include "common/array.h"
#include "report/elf/elf_file.h"
#include "report/elf/image.h"
#include "report/elf/unpack.h"
#include "report/isa/isa.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGES_MAX 256 /* that are found by themselves: a trace may name any that there are */
#define NO_FILE SIZE_MAX

struct choosing {
	struct binary_files *files;
	size_t ngiven;    /* of them; the others are images that traces name */
	size_t *recorded; /* by boot: its image, or NO_FILE */
	const struct traces *traces;
	const struct binary_request *request;
	char *why;
	size_t size;
};

static int no_memory(const struct choosing *c)
{
	snprintf(c->why, c->size, "%s", strerror(ENOMEM));
	return -1;
}

/* --- what -s says ------------------------------------------------------------------------------------------------ */

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

/* The length of the domain's name or number that precedes a "=" in @text, the longest one; 0: none does. */
static size_t domain_in_front(const char *text, const struct upf_session *s)
{
	size_t len = 0;

	for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '='))
		for (size_t i = 0; i < s->ndomains; i++)
			if (domain_is_called(&s->domains[i], text, (size_t)(at - text)))
				len = (size_t)(at - text);
	return len;
}

int binary_file_parse(const char *text, const struct upf_session *session, struct binary_file *file)
{
	const char *at;

	*file = (struct binary_file){.domain_len = domain_in_front(text, session)};
	if (file->domain_len) {
		file->domain = text;
		text += file->domain_len + 1;
	}
	at = strrchr(text, '@');
	file->moved = at && access(text, F_OK) != 0 && parse_address(at + 1, file);
	file->path = file->moved ? strndup(text, (size_t)(at - text)) : strdup(text);
	return file->path ? 0 : -ENOMEM;
}

/* Does the file's name begin with what was meant to be a domain? */
static bool has_no_domain(const struct binary_file *file)
{
	size_t len = strcspn(file->path, "=");

	return !file->domain && file->path[len] && !memchr(file->path, '/', len) && access(file->path, F_OK) != 0;
}

static int add_given(struct choosing *c, const char *text)
{
	const struct upf_session *s = &c->traces->session;
	struct binary_files *f = c->files;
	struct binary_file file;

	if (array_room(&f->list, &f->cap, f->n, sizeof(*f->list)) != 0 || binary_file_parse(text, s, &file) != 0)
		return no_memory(c);
	if (!has_no_domain(&file) && !(file.domain && !*file.path)) {
		f->list[f->n++] = file;
		return 0;
	}
	free(file.path);
	if (file.domain) {
		snprintf(c->why, c->size, "-s %s: a file name is needed", text);
		return -EINVAL;
	}
	if (c->request->other_run)
		return 0;
	scope_no_domain(s, "-s", text, strcspn(text, "="), c->why, c->size);
	return -EINVAL;
}

/* --- what is known of the files ---------------------------------------------------------------------------------- */

/* Or a pipe, which may never end: a trace may name anything. */
static bool is_regular_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/* Everything else reads what was packed from an unpacked copy. 0, or -1 with one line in c->why. */
static int unpack_binary(const struct choosing *c, struct binary_file *file)
{
	char why[200], *copy;
	int fd = elf_file_is(file->path) ? -ENOENT : unpack_file(file->path, why, sizeof(why));

	if (fd == -ENOENT)
		return 0;
	if (fd < 0) {
		snprintf(c->why, c->size, "%s: %s", file->path, why);
		return -1;
	}
	if (asprintf(&copy, "/proc/self/fd/%d", fd) < 0) {
		close(fd);
		return no_memory(c);
	}
	file->packed = file->path;
	file->path = copy;
	file->fd = fd;
	return 0;
}

static void find_address_range(struct binary_file *file)
{
	char why[64];
	struct elf_file *f = elf_file_open(file->path, why, sizeof(why));

	if (f && elf_file_lowest(f, &file->lowest))
		file->highest = elf_file_highest(f);
	elf_file_close(f);
}

static void study_file(struct binary_file *file, bool need_identity)
{
	char why[64];
	struct image *i;

	file->is_elf = elf_file_is(file->path);
	i = file->is_elf ? image_open(file->path, why, sizeof(why)) : NULL;
	if (i) {
		file->is_linked = image_is_linked(i);
		file->isa = image_isa(i);
	}
	image_close(i);
	if (!file->is_linked || !need_identity || identity_of_file(file->path, file->identity) != 0)
		file->identity[0] = '\0';
	else
		find_address_range(file);
}

static bool is_known_domain(const struct upf_domain *d)
{
	return d->build_id && *d->build_id;
}

static bool any_known(const struct boots *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (is_known_domain(&b->list[i].as))
			return true;
	return false;
}

static bool ran_it(const struct upf_domain *d, const struct binary_file *file)
{
	return is_known_domain(d) && file->identity[0] && strcmp(d->build_id, file->identity) == 0;
}

/* Kernels are in the upper half of the addresses. */
static bool is_high(uint64_t address)
{
	return address >> 63 || address >> 31 == 1;
}

/*
 * Can the file be what the domain's build-id is about? What was found in memory is about the code there, and not about
 * a program that ran under that kernel.
 */
static bool is_about(const struct upf_domain *d, const struct binary_file *file)
{
	uint64_t begin = !file->moved ? file->lowest : file->by_offset ? file->lowest + file->where : file->where;

	return file->identity[0] && (!d->build_address || d->build_address - begin < file->highest - file->lowest ||
	                             (is_high(d->build_address) && is_high(begin)));
}

/* --- which domain's it is ---------------------------------------------------------------------------------------- */

static bool *file_place(const struct binary_files *f, size_t boot, size_t file)
{
	return &f->chosen[boot * f->n + file];
}

bool binary_files_for(const struct binary_files *f, size_t boot, size_t file)
{
	return *file_place(f, boot, file);
}

/* The domain as it was in that boot. */
static const struct upf_domain *domain_in(const struct choosing *c, size_t boot)
{
	return &c->files->boots->list[boot].as;
}

static bool counts(const struct choosing *c, size_t boot)
{
	return boots_count(c->files->boots, c->traces, boot);
}

bool binary_files_any(const struct binary_files *f, size_t boot)
{
	for (size_t i = 0; i < f->n; i++)
		if (*file_place(f, boot, i))
			return true;
	return false;
}

static bool can_run(const struct upf_domain *d, const struct binary_file *file)
{
	return !file->is_elf || !isa_of_arch(d->arch) || (file->isa && isa_runs_on(file->isa, d->arch));
}

/* The domain ran it in another boot, and in this one another build. */
static bool is_of_another_boot(const struct choosing *c, size_t boot, const struct binary_file *file)
{
	const struct boots *b = c->files->boots;
	const uint32_t domain = b->list[boot].domain;

	if (!is_known_domain(domain_in(c, boot)) || ran_it(domain_in(c, boot), file))
		return false;
	for (size_t i = b->first[domain]; i < b->first[domain + 1]; i++)
		if (ran_it(domain_in(c, i), file))
			return true;
	return false;
}

/* By its name, or by the build that it ran. False: it is for none. */
static bool choose_by_rule(const struct choosing *c, size_t file)
{
	const struct binary_file *b = &c->files->list[file];
	bool any = false;

	for (size_t i = 0; i < c->files->boots->n; i++) {
		const struct upf_domain *d = domain_in(c, i);
		bool is = b->domain ? domain_is_called(d, b->domain, b->domain_len) && !is_of_another_boot(c, i, b)
		                    : ran_it(d, b);

		*file_place(c->files, i, file) = is;
		any |= is;
	}
	return any;
}

/* For the domains in @set that can run it. False: there are none. */
static bool choose_in(const struct choosing *c, const bool *set, size_t file)
{
	bool any = false;

	for (size_t i = 0; i < c->files->boots->n; i++) {
		bool is = set[i] && can_run(domain_in(c, i), &c->files->list[file]);

		*file_place(c->files, i, file) |= is;
		any |= is;
	}
	return any;
}

/* A file that no domain can run is for all, so that loading it says why it is of no use. */
static void choose_rest(const struct choosing *c, const bool *left, const bool *bare, const bool *all)
{
	for (size_t k = 0; k < c->files->n; k++) {
		if (!left[k] || choose_in(c, bare, k) || choose_in(c, all, k))
			continue;
		for (size_t i = 0; i < c->files->boots->n; i++)
			*file_place(c->files, i, k) = true;
	}
}

static int choose_given(struct choosing *c)
{
	struct binary_files *f = c->files;
	bool *bare = calloc(f->boots->n, sizeof(*bare)), *all = calloc(f->boots->n, sizeof(*all));
	bool *left = calloc(f->n + 1, sizeof(*left));
	bool done = bare && all && left;

	for (size_t k = 0; done && k < f->n; k++)
		left[k] = !f->list[k].image && !choose_by_rule(c, k);
	for (size_t i = 0; done && i < f->boots->n; i++) {
		bare[i] = !binary_files_any(f, i);
		all[i] = true;
	}
	if (done)
		choose_rest(c, left, bare, all);
	free(left);
	free(bare);
	free(all);
	return done ? 0 : no_memory(c);
}

/* --- the images that the traces name ----------------------------------------------------------------------------- */

/* The image that the trace names, below --symfs, then as it was called. *path is NULL if it is nowhere. */
static int find_image(struct choosing *c, const char *image, char **path)
{
	*path = NULL;
	if (c->request->debug.symfs && asprintf(path, "%s/%s", c->request->debug.symfs, image) < 0)
		return no_memory(c);
	if (*path && is_regular_file(*path))
		return 0;
	free(*path);
	*path = is_regular_file(image) ? strdup(image) : NULL;
	return 0;
}

/* Which of the traces' images the file at @path is; f->n: none so far. */
static size_t find_recorded(const struct binary_files *f, const char *path)
{
	struct stat a, b;
	size_t k = 0;

	if (stat(path, &a) != 0)
		return f->n;
	while (k < f->n && (!f->list[k].image || stat(binary_file_name(&f->list[k]), &b) != 0 ||
	                    a.st_dev != b.st_dev || a.st_ino != b.st_ino))
		k++;
	return k;
}

static void free_file(struct binary_file *file)
{
	symbols_free(&file->symbols);
	free(file->path);
	if (file->packed)
		close(file->fd);
	free(file->packed);
}

/* Takes over @path. */
static int add_image(struct choosing *c, char *path, size_t *number)
{
	struct binary_files *f = c->files;

	*number = find_recorded(f, path);
	if (*number < f->n) {
		free(path);
		return 0;
	}
	if (array_add(f->list, f->cap, f->n, (struct binary_file){.path = path, .image = true}) == 0)
		return 0;
	free(path);
	return no_memory(c);
}

/* Is a file of -s for it, so that none of the traces' images will be? */
static bool is_given(const struct choosing *c, const struct upf_domain *d)
{
	for (size_t i = 0; i < c->ngiven; i++) {
		const struct binary_file *b = &c->files->list[i];

		if (!b->domain || domain_is_called(d, b->domain, b->domain_len))
			return true;
	}
	return false;
}

/* Not the user has named its image, but the host. */
static bool is_named_by_host(const struct upf_domain *d)
{
	return d->image && (!d->build_id || d->build_address);
}

/* Could the domain have been started from it? It may be another build by now, or be in a form that has no names. */
static bool could_be(const struct upf_domain *d, const struct binary_file *b)
{
	return b->is_elf && can_run(d, b) && (!is_known_domain(d) || ran_it(d, b));
}

/* Takes over @path: of an image that the host has named, so that it is no error if it cannot be used. */
static int add_if_usable(struct choosing *c, size_t boot, char *path)
{
	const struct upf_domain *d = domain_in(c, boot);
	struct binary_file b = {.path = path, .image = true};
	struct binary_files *f = c->files;
	size_t k = find_recorded(f, path);

	if (k < f->n) {
		if (could_be(d, &f->list[k]))
			c->recorded[boot] = k;
		free(path);
		return 0;
	}
	if (unpack_binary(c, &b) == 0)
		study_file(&b, true);
	if (!could_be(d, &b)) {
		free_file(&b);
		return 0;
	}
	if (array_add(f->list, f->cap, f->n, b) == 0) {
		c->recorded[boot] = k;
		return 0;
	}
	free_file(&b);
	return no_memory(c);
}

/* What the configuration has for the domain: the last entry counts, or the one before it if that cannot be used. */
static int add_known_image(struct choosing *c, size_t boot)
{
	const struct upf_domain *d = domain_in(c, boot);
	int rc = 0;

	for (size_t i = c->request->nknown; rc == 0 && i-- > 0 && c->recorded[boot] == NO_FILE;) {
		const struct known_binary *k = &c->request->known[i];
		char *path;

		if (!d->name || fnmatch(k->domain, d->name, 0) != 0 || !is_regular_file(k->path))
			continue;
		path = strdup(k->path);
		rc = path ? add_if_usable(c, boot, path) : no_memory(c);
	}
	return rc;
}

/* Unikraft leaves the names of "app" in "app.dbg". */
static int add_host_image(struct choosing *c, size_t boot)
{
	const struct upf_domain *d = domain_in(c, boot);
	const char *const endings[] = {".dbg", ""};
	char *name, *path;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < 2 && c->recorded[boot] == NO_FILE; i++) {
		if (asprintf(&name, "%s%s", d->image, endings[i]) < 0)
			return no_memory(c);
		rc = find_image(c, name, &path);
		if (rc == 0 && path)
			rc = add_if_usable(c, boot, path);
		free(name);
	}
	return rc;
}

/* The image that the trace names for the domain; or else any file of that build. */
static int add_recorded_image(struct choosing *c, size_t boot)
{
	const struct upf_domain *d = domain_in(c, boot);
	bool by_host = is_named_by_host(d);
	char *path = NULL;

	if (c->files->n - c->ngiven == IMAGES_MAX)
		return 0;
	if (!is_given(c, d) && add_known_image(c, boot) != 0)
		return -1;
	if (by_host && !is_given(c, d) && add_host_image(c, boot) != 0)
		return -1;
	if (!d->build_id || c->recorded[boot] != NO_FILE)
		return 0;
	if (d->image && !by_host && find_image(c, d->image, &path) != 0)
		return -1;
	if (!path && !is_given(c, d))
		path = debug_file_of_build(d->build_id, &c->request->debug);
	if (path && elf_file_is(path))
		return add_image(c, path, &c->recorded[boot]);
	free(path);
	return 0;
}

static void choose_recorded(struct choosing *c)
{
	struct binary_files *f = c->files;

	for (size_t i = 0; i < f->boots->n; i++) {
		size_t k = c->recorded[i];

		if (k == NO_FILE || binary_files_any(f, i) || !counts(c, i))
			continue;
		if (!f->list[k].is_elf)
			study_file(&f->list[k], true);
		*file_place(f, i, k) = true;
	}
}

/* --- are they the ones that ran? --------------------------------------------------------------------------------- */

static int refuse_file(const struct choosing *c, const struct upf_domain *d, const struct binary_file *b)
{
	bool several = c->traces->session.ndomains > 1;

	snprintf(c->why, c->size,
	         "%s: not what %.64s ran: %s, and this is %s; find that build,%s or use this one by --force",
	         binary_file_name(b), d->name ? d->name : "the domain", d->build_id, b->identity,
	         several ? " name its domain by -s DOMAIN=FILE," : "");
	return -1;
}

/* One of the domain's files must be the image that was recorded: others may be programs that ran in the guest. */
static int check_boot(const struct choosing *c, size_t boot)
{
	const struct upf_domain *d = domain_in(c, boot);
	const struct binary_files *f = c->files;
	const struct binary_file *wrong = NULL;

	for (size_t k = 0; is_known_domain(d) && k < f->n; k++) {
		if (!*file_place(f, boot, k) || !is_about(d, &f->list[k]))
			continue;
		if (ran_it(d, &f->list[k]))
			return 0;
		wrong = wrong ? wrong : &f->list[k];
	}
	return wrong ? refuse_file(c, d, wrong) : 0;
}

/* A file that only domains ran whose samples do not count was meant for those that do. */
static int check_use(const struct choosing *c)
{
	const struct binary_files *f = c->files;
	const struct binary_file *unused = NULL;
	size_t boot = f->boots->n;

	for (size_t k = 0; k < f->n; k++)
		if (!f->list[k].image && !f->list[k].domain && f->list[k].identity[0] && !unused)
			unused = &f->list[k];
	for (size_t i = f->boots->n; i-- > 0;) {
		for (size_t k = 0; counts(c, i) && k < f->n; k++)
			if (!f->list[k].image && *file_place(f, i, k))
				return 0;
		if (counts(c, i) && is_known_domain(domain_in(c, i)))
			boot = i;
	}
	return unused && boot < f->boots->n ? refuse_file(c, domain_in(c, boot), unused) : 0;
}

static int check_identities(const struct choosing *c)
{
	int rc = check_use(c);

	for (size_t i = 0; rc == 0 && i < c->files->boots->n; i++)
		if (counts(c, i))
			rc = check_boot(c, i);
	return rc;
}

/* Of traces shown as one, each domain must have run one build, as far as users say so; memory tells when it did. */
static int check_trace(const struct choosing *c, const struct trace *t)
{
	const struct upf_session *s = upf_reader_session(t->reader);

	for (uint32_t i = 0; t->domain_map && i < s->ndomains; i++) {
		const struct upf_domain *one = &s->domains[i], *all = &c->traces->session.domains[t->domain_map[i]];

		if (!one->build_id || !all->build_id || (one->build_address && all->build_address) ||
		    strcmp(one->build_id, all->build_id) == 0 || !scope_has_domain(&t->scope, t->domain_map[i]))
			continue;
		snprintf(c->why, c->size,
		         "%s: %.64s ran %s there, and %s in a trace before: compare them by --diff, or use --force",
		         t->path, one->name ? one->name : "the domain", one->build_id, all->build_id);
		return -1;
	}
	return 0;
}

static int check_traces(const struct choosing *c)
{
	const struct traces *t = c->traces;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n && (c->files->n > 0 || t->session.archived); i++)
		rc = check_trace(c, &t->list[i]);
	return rc;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int list_binary_files(struct choosing *c)
{
	const struct upf_session *s = &c->traces->session;
	struct binary_files *f = c->files;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < c->request->nfiles; k++)
		rc = add_given(c, c->request->files[k]);
	for (size_t k = 0; rc == 0 && k < f->n; k++) {
		rc = unpack_binary(c, &f->list[k]);
		study_file(&f->list[k], any_known(f->boots));
	}
	c->ngiven = f->n;
	c->recorded = malloc(f->boots->n * sizeof(*c->recorded));
	if (rc == 0 && !c->recorded)
		return no_memory(c);
	for (size_t i = 0; rc == 0 && i < f->boots->n; i++) {
		c->recorded[i] = NO_FILE;
		if (s->ndomains && !s->archived)
			rc = add_recorded_image(c, i);
	}
	return rc;
}

static int choose_files(struct choosing *c)
{
	struct binary_files *f = c->files;
	int rc = list_binary_files(c);

	if (rc != 0)
		return rc;
	f->chosen = calloc(f->boots->n * f->n + 1, sizeof(*f->chosen));
	rc = f->chosen ? choose_given(c) : no_memory(c);
	if (rc != 0)
		return rc;
	choose_recorded(c);
	if (!c->request->force)
		rc = check_identities(c);
	return rc == 0 && !c->request->force ? check_traces(c) : rc;
}

int binary_files_choose(struct binary_files *f, const struct traces *t, const struct boots *boots,
                        const struct binary_request *request, char *why, size_t size)
{
	struct choosing c = {.files = f, .traces = t, .request = request, .why = why, .size = size};
	int rc;

	f->boots = boots;
	rc = choose_files(&c);
	free(c.recorded);
	return rc;
}

int binary_file_read(struct binary_file *file, const struct debug_search *where, char *why, size_t size)
{
	int rc;

	if (file->was_read)
		return 0;
	symbols_free(&file->symbols);
	rc = symbols_add_file(&file->symbols, file->path, where, why, size);
	file->was_read = rc == 0;
	return rc;
}

void binary_files_free(struct binary_files *f)
{
	for (size_t k = 0; k < f->n; k++)
		free_file(&f->list[k]);
	free(f->list);
	free(f->chosen);
	*f = (struct binary_files){0};
}
