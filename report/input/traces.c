/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/traces.h"
#include "common/hash_table.h"
#include "common/radix_sort.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int traces_add(struct traces *t, const char *path, int fd, struct upf_reader *reader)
{
	struct stat st;

	if (array_room(&t->list, &t->cap, t->n, sizeof(*t->list)) != 0) {
		upf_reader_close(reader);
		close(fd);
		return -ENOMEM;
	}
	t->list[t->n] = (struct trace){.path = path, .fd = fd, .reader = reader};
	if (fstat(fd, &st) == 0) {
		t->list[t->n].device = st.st_dev;
		t->list[t->n].inode = st.st_ino;
		t->list[t->n].is_file = S_ISREG(st.st_mode) && strcmp(path, "-") != 0;
	}
	trace_suspend(&t->list[t->n++]);
	return 0;
}

void trace_suspend(struct trace *t)
{
	if (!t->is_file || t->fd < 0 || upf_reader_suspend(t->reader) != 0)
		return;
	close(t->fd);
	t->fd = -1;
}

int trace_resume(struct trace *t)
{
	struct stat st;
	int rc;

	if (t->fd >= 0)
		return 0;
	t->fd = regular_file_open(t->path);
	if (t->fd < 0)
		return t->fd;
	rc = fstat(t->fd, &st) == 0 && st.st_dev == t->device && st.st_ino == t->inode ? 0 : -ESTALE;
	if (rc == 0)
		rc = upf_reader_resume(t->reader, t->fd);
	if (rc == 0)
		return 0;
	close(t->fd);
	t->fd = -1;
	return rc;
}

void traces_close(struct traces *t)
{
	for (size_t i = 0; i < t->n; i++) {
		upf_reader_close(t->list[i].reader);
		free(t->list[i].domain_map);
		free(t->list[i].rounds);
		free(t->list[i].covered);
		if (t->list[i].fd >= 0)
			close(t->list[i].fd);
	}
	free(t->list);
	free(t->domains);
	*t = (struct traces){0};
}

/* --- what must be known before it is read ------------------------------------------------------------------------ */

static int first_of_file(struct upf_reader *reader, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	struct upf_block b;
	bool more = true;
	int rc = 0;

	while (more && (rc = upf_reader_next(reader, &b)) > 0)
		more = b.type != UPF_BLOCK_SAMPLES || each(ctx, &b);
	return rc < 0 ? rc : 0;
}

static int first_of_pipe(struct upf_reader *reader, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	struct upf_block b;
	int rc = upf_reader_next(reader, &b);

	if (rc <= 0)
		return rc;
	if (b.type == UPF_BLOCK_SAMPLES)
		each(ctx, &b);
	upf_reader_again(reader, &b);
	return 0;
}

int trace_first_blocks(const struct trace *t, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	enum upf_fault fault;
	int fd = t->is_file ? regular_file_open(t->path) : -1, rc;
	struct upf_reader *again = fd >= 0 ? upf_reader_open(fd, &fault, NULL) : NULL;

	if (!t->is_file)
		return first_of_pipe(t->reader, each, ctx);
	rc = again ? first_of_file(again, each, ctx) : 0; /* gone meanwhile: reading it says so */
	upf_reader_close(again);
	if (fd >= 0)
		close(fd);
	return rc;
}

#define BUILD_BLOCKS_MAX 16 /* of samples: a build-id is in the first, or comes soon after the guest has booted */

struct learning {
	struct upf_decoder *decoder;
	struct upf_reader *reader;
	size_t blocks;
	int rc;
};

static bool any_build_unknown(const struct upf_session *s)
{
	for (size_t i = 0; i < s->ndomains; i++)
		if (!s->domains[i].build_id)
			return true;
	return false;
}

static bool learn_from_block(void *ctx, const struct upf_block *b)
{
	struct learning *l = ctx;
	const struct upf_session *s = upf_reader_session(l->reader);
	struct upf_record rec;

	if (b->fault == UPF_OK && upf_decoder_start(l->decoder, b) == UPF_OK)
		while (l->rc == 0 && upf_decoder_has(l->decoder, UPF_BUILD) &&
		       upf_decoder_next(l->decoder, &rec) > 0) {
			if (rec.kind == UPF_SAME)
				upf_decoder_pass_repeated(l->decoder);
			if (rec.kind == UPF_BUILD && rec.domain < s->ndomains && !s->domains[rec.domain].build_id)
				l->rc = upf_reader_set_build(l->reader, &rec);
		}
	return l->rc == 0 && ++l->blocks < BUILD_BLOCKS_MAX && any_build_unknown(s);
}

int trace_learn_builds(struct trace *t)
{
	struct learning l = {.reader = t->reader};
	int rc = 0;

	if (!any_build_unknown(upf_reader_session(t->reader)))
		return 0;
	l.decoder = upf_decoder_new();
	rc = l.decoder ? trace_first_blocks(t, learn_from_block, &l) : -ENOMEM;
	upf_decoder_free(l.decoder);
	return rc ? rc : l.rc;
}

/* --- one session ------------------------------------------------------------------------------------------------- */

static bool equal_domains(const struct upf_domain *a, const struct upf_domain *b)
{
	if (a->name && b->name)
		return strcmp(a->name, b->name) == 0;
	return !a->name && !b->name && a->id == b->id;
}

static int join_domain(struct traces *t, const struct upf_domain *d, uint32_t *index)
{
	size_t n = t->session.ndomains;

	for (size_t i = 0; i < n; i++) {
		if (equal_domains(&t->domains[i], d)) {
			*index = (uint32_t)i;
			return 0;
		}
	}
	if (array_room(&t->domains, &t->domains_cap, n, sizeof(*t->domains)) != 0)
		return -ENOMEM;
	t->domains[n] = *d;
	*index = (uint32_t)n;
	t->session.domains = t->domains;
	t->session.ndomains++;
	return 0;
}

static int join_session(struct traces *t, struct trace *one)
{
	const struct upf_session *s = upf_reader_session(one->reader);
	int rc = 0;

	one->domain_map = calloc(s->ndomains + 1, sizeof(*one->domain_map));
	if (!one->domain_map)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < s->ndomains; i++)
		rc = join_domain(t, &s->domains[i], &one->domain_map[i]);
	return rc;
}

static uint64_t trace_start(const void *ctx, uint32_t i)
{
	const struct traces *t = ctx;

	return upf_reader_session(t->list[i].reader)->start_real_ns;
}

/* The earliest first. */
static int sort_by_start(struct traces *t)
{
	struct trace *list = calloc(t->n, sizeof(*list));
	uint32_t *order = radix_sort_ids(t->n);
	int rc = list && order ? radix_sort(order, t->n, trace_start, t) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < t->n; i++)
		list[i] = t->list[order[i]];
	if (rc == 0)
		memcpy(t->list, list, t->n * sizeof(*list));
	free(list);
	free(order);
	return rc;
}

static int join_sessions(struct traces *t)
{
	int rc = sort_by_start(t);

	t->session = *upf_reader_session(t->list[0].reader);
	if (t->n == 1)
		return rc;
	t->session.ndomains = 0;
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		rc = join_session(t, &t->list[i]);
		t->session.archived &= upf_reader_session(t->list[i].reader)->archived;
	}
	return rc;
}

/* --- what of them counts ----------------------------------------------------------------------------------------- */

/* When the trace at @path ends, by its own time; 0: it cannot be read twice, or not at all. Decodes nothing. */
static uint64_t length_of(const char *path)
{
	enum upf_fault fault;
	enum upf_reason reason;
	int fd = regular_file_open(path);
	struct upf_reader *r = fd >= 0 ? upf_reader_open(fd, &fault, NULL) : NULL;
	const struct upf_totals *totals;
	struct upf_block b;
	uint64_t last = 0;

	while (r && upf_reader_next(r, &b) > 0)
		if (b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES && b.last_ns > last)
			last = b.last_ns;
	totals = r ? upf_reader_totals(r, &reason) : NULL;
	if (totals && totals->duration_ns > last)
		last = totals->duration_ns;
	upf_reader_close(r);
	if (fd >= 0)
		close(fd);
	return last;
}

uint64_t traces_length(const struct traces *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t own = length_of(t->list[i].path);

		if (own == 0)
			return 0;
		sum += own;
	}
	return sum;
}

static uint64_t later(const struct traces *t, const struct trace *one)
{
	return t->n > 1 ? upf_reader_session(one->reader)->start_real_ns - t->session.start_real_ns : 0;
}

static int find_length(const struct traces *t, uint64_t *length_ns, char *why, size_t size)
{
	*length_ns = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t own = length_of(t->list[i].path);

		if (own == 0) {
			snprintf(why, size,
			         "--time in percent: how long %s is cannot be told before it is read; give seconds",
			         strcmp(t->list[i].path, "-") == 0 ? "standard input" : t->list[i].path);
			return -1;
		}
		if (own + later(t, &t->list[i]) > *length_ns)
			*length_ns = own + later(t, &t->list[i]);
	}
	return 0;
}

static void set_scope(const struct traces *t, struct trace *one, const struct selection *selection, uint64_t length_ns)
{
	const struct upf_session *s = upf_reader_session(one->reader);
	char why[1]; /* unused: a domain that this trace lacks is in another one */

	scope_make(&one->scope, selection, s, length_ns, why, sizeof(why));
	one->scope.later_ns = later(t, one);
	if (one->domain_map) {
		one->scope.domain_map = one->domain_map;
		one->scope.nmapped = (uint32_t)s->ndomains;
		one->scope.unmapped = (uint32_t)t->session.ndomains;
	}
}

int traces_join(struct traces *t, const struct selection *selection, char *why, size_t size)
{
	uint64_t length_ns = 0;
	struct scope all;

	if (join_sessions(t) != 0) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return -1;
	}
	if ((selection->from.is_share || selection->to.is_share) && find_length(t, &length_ns, why, size) != 0)
		return -1;
	/* A domain need not be in every trace, but in one of them. */
	if (scope_make(&all, selection, &t->session, length_ns, why, size) != 0)
		return -1;
	for (size_t i = 0; i < t->n; i++)
		set_scope(t, &t->list[i], selection, length_ns);
	return 0;
}

/* --- time that several have of one guest ------------------------------------------------------------------------- */

#define SAME_BOOT_NS 10000000000 /* of one boot, the clocks differ by no more than they were set meanwhile */

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* Names are a host's own; UUIDs are everybody's. */
static bool same_guest(const struct upf_session *s, uint32_t a, const struct upf_session *other, uint32_t b)
{
	static const uint8_t none[16];
	const struct upf_domain *x = &s->domains[a], *y = &other->domains[b];

	if (memcmp(x->uuid, none, 16) != 0 && memcmp(y->uuid, none, 16) != 0)
		return memcmp(x->uuid, y->uuid, 16) == 0;
	return same_text(s->host, other->host) && equal_domains(x, y);
}

/* How much later time 0 of @b is than that of @a. Of one boot this is exact, even if the clock was set. */
static int64_t start_difference(const struct upf_session *a, const struct upf_session *b)
{
	int64_t real = (int64_t)(b->start_real_ns - a->start_real_ns);
	int64_t mono = (int64_t)(b->start_mono_ns - a->start_mono_ns),
		set = (int64_t)((uint64_t)real - (uint64_t)mono);

	return same_text(a->host, b->host) && set < SAME_BOOT_NS && set > -SAME_BOOT_NS ? mono : real;
}

/* Adds what @by has of it, both by @one's time. Stretches that meet become one. */
static int add_covered(struct trace *one, const struct trace *by, uint32_t domain, uint64_t from_ns, uint64_t to_ns)
{
	struct scope *s = &one->scope;

	for (size_t i = 0; i < s->ncovered; i++) {
		struct scope_span *c = &one->covered[i];

		if (c->domain != domain || from_ns > c->to_ns || to_ns < c->from_ns)
			continue;
		c->from_ns = from_ns < c->from_ns ? from_ns : c->from_ns;
		c->to_ns = to_ns > c->to_ns ? to_ns : c->to_ns;
		return 0;
	}
	if (array_add(one->covered, one->covered_cap, s->ncovered, (struct scope_span){domain, from_ns, to_ns}) != 0)
		return -ENOMEM;
	s->covered = one->covered;
	s->some = true;
	if (!one->covered_by)
		one->covered_by = by;
	return 0;
}

/* What @by, which has been read, has of @one's guests. */
static int cover(struct trace *one, const struct trace *by)
{
	const struct upf_session *s = upf_reader_session(one->reader), *other = upf_reader_session(by->reader);
	int64_t later_ns = start_difference(other, s);
	int rc = 0;

	for (uint32_t b = 0; b < other->ndomains; b++) {
		const struct scope_span *r = &by->rounds[b];
		int64_t to_ns = (int64_t)(r->to_ns - (uint64_t)later_ns),
			from_ns = (int64_t)(r->from_ns - (uint64_t)later_ns);

		if (r->from_ns > r->to_ns || to_ns < 0)
			continue;
		for (uint32_t a = 0; rc == 0 && a < s->ndomains; a++)
			if (same_guest(s, a, other, b))
				rc = add_covered(one, by, a, from_ns > 0 ? (uint64_t)from_ns : 0, (uint64_t)to_ns);
	}
	return rc;
}

int traces_cover(struct traces *t, size_t i)
{
	struct trace *one = &t->list[i];
	size_t ndomains = upf_reader_session(one->reader)->ndomains;
	int rc = 0;

	one->rounds = calloc(ndomains + 1, sizeof(*one->rounds));
	if (!one->rounds)
		return -ENOMEM;
	for (size_t d = 0; d < ndomains; d++)
		one->rounds[d] = (struct scope_span){(uint32_t)d, UINT64_MAX, 0};
	for (size_t k = 0; rc == 0 && k < i; k++)
		rc = cover(one, &t->list[k]);
	return rc;
}

bool traces_have(const struct traces *t, uint32_t domain)
{
	for (size_t i = 0; i < t->n; i++)
		if (scope_has_domain(&t->list[i].scope, domain))
			return true;
	return false;
}

size_t traces_domains(const struct traces *t)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->session.ndomains; i++)
		n += traces_have(t, i);
	return n;
}

/* --- afterwards -------------------------------------------------------------------------------------------------- */

struct upf_health traces_health(const struct traces *t)
{
	struct upf_health sum = {.has_footer = true};

	for (size_t i = 0; i < t->n; i++) {
		const struct upf_health *h = upf_reader_health(t->list[i].reader);

		sum.blocks += h->blocks;
		sum.damaged += h->damaged;
		sum.missing += h->missing;
		sum.skipped_bytes += h->skipped_bytes;
		sum.cut |= h->cut;
		sum.has_footer &= h->has_footer;
	}
	return sum;
}

bool health_sound(const struct upf_health *h, uint64_t bad_blocks)
{
	return !h->damaged && !h->missing && !h->skipped_bytes && !h->cut && h->has_footer && !bad_blocks;
}

bool trace_sound(const struct trace *t)
{
	return health_sound(upf_reader_health(t->reader), t->bad_blocks);
}

/* As the footer tells; 0: it is missing. */
static uint64_t duration_of(const struct trace *t)
{
	enum upf_reason reason;
	const struct upf_totals *totals = upf_reader_totals(t->reader, &reason);

	return totals ? totals->duration_ns : 0;
}

/* How much of the time from @from to @to, by the trace's own time, counts. */
static uint64_t in_scope(const struct trace *t, uint64_t from, uint64_t to)
{
	const struct scope *s = &t->scope;
	uint64_t first = s->from_ns > s->later_ns ? s->from_ns - s->later_ns : 0;
	uint64_t last = s->to_ns > s->later_ns ? s->to_ns - s->later_ns : 0;

	from = from > first ? from : first;
	to = to < last ? to : last;
	return from < to ? to - from : 0;
}

/* By its own time, as far as it was read. */
static uint64_t end_of(const struct trace *t)
{
	uint64_t end = duration_of(t);

	for (size_t d = 0; t->rounds && d < upf_reader_session(t->reader)->ndomains; d++)
		if (t->rounds[d].from_ns <= t->rounds[d].to_ns && t->rounds[d].to_ns > end)
			end = t->rounds[d].to_ns;
	return end;
}

void traces_range(const struct traces *t, uint32_t domain, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = UINT64_MAX;
	*to_ns = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct scope *s = &t->list[i].scope;
		uint64_t from = s->later_ns > s->from_ns ? s->later_ns : s->from_ns;
		uint64_t to = s->later_ns + end_of(&t->list[i]);

		to = to < s->to_ns ? to : s->to_ns;
		if (from > to || (domain != TRACES_DOMAINS && !scope_has_domain(s, domain)))
			continue;
		*from_ns = from < *from_ns ? from : *from_ns;
		*to_ns = to > *to_ns ? to : *to_ns;
	}
	if (*from_ns > *to_ns)
		*from_ns = *to_ns;
}

static bool have_durations(const struct traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (duration_of(&t->list[i]) == 0)
			return false;
	return true;
}

uint64_t traces_duration(const struct traces *t)
{
	uint64_t sum = 0, until = 0;

	if (!have_durations(t))
		return 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct trace *one = &t->list[i];
		uint64_t later_ns = one->scope.later_ns, end = later_ns + duration_of(one);

		sum += in_scope(one, until > later_ns ? until - later_ns : 0, duration_of(one));
		until = end > until ? end : until;
	}
	return sum;
}

static size_t domains_of(const struct trace *t)
{
	size_t all = upf_reader_session(t->reader)->ndomains, n = 0;

	for (uint32_t i = 0; i < all; i++)
		n += scope_has_domain(&t->scope, scope_domain(&t->scope, i));
	return n;
}

uint64_t traces_guest_time(const struct traces *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n && have_durations(t); i++) {
		const struct trace *one = &t->list[i];
		uint64_t duration = duration_of(one);

		sum += in_scope(one, 0, duration) * domains_of(one);
		for (size_t k = 0; k < one->scope.ncovered; k++) {
			const struct scope_span *c = &one->covered[k];

			if (scope_has_domain(&one->scope, scope_domain(&one->scope, c->domain)))
				sum -= in_scope(one, c->from_ns, c->to_ns < duration ? c->to_ns : duration);
		}
	}
	return sum;
}
