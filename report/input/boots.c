/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/boots.h"
#include "common/array.h"
#include "common/radix_sort.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define BLOCKS_MAX 64          /* of samples, in which nothing is told, before nothing will be */
#define CHANGES_MAX (1u << 16) /* of all guests: one may change its entry for ever */

/* What a record says of a domain. */
struct change {
	enum { CHANGE_START, CHANGE_ENTRY, CHANGE_BUILD } what; /* START: another boot */
	uint32_t domain;                                        /* as all traces together number it */
	uint64_t time_ns;                                       /* the same */
	uint64_t address;
	uint32_t size; /* bytes of @id */
	uint8_t id[UPF_BUILD_ID_MAX];
};

/* What the trace that is read has told of a domain so far. */
struct told {
	uint64_t entry;
	bool is_built; /* its build, since the last change */
};

struct finding {
	const struct traces *traces;
	const struct trace *trace;
	struct upf_decoder *decoder;
	struct told *told; /* by domain of all traces together */
	struct change *changes;
	size_t n, cap;
	size_t without; /* blocks */
	bool any;
	int rc;
};

/* --- what the records say ---------------------------------------------------------------------------------------- */

static void add_change(struct finding *f, const struct change *c)
{
	if (f->n < CHANGES_MAX)
		f->rc = array_add(f->changes, f->cap, f->n, *c);
}

static void note_record(struct finding *f, const struct upf_record *rec, uint64_t time_ns)
{
	const struct scope *scope = &f->trace->scope;
	struct change c = {.what = CHANGE_START, .domain = scope_domain(scope, rec->domain), .time_ns = time_ns};
	struct told *told;

	if (rec->domain >= upf_reader_session(f->trace->reader)->ndomains || c.domain >= f->traces->session.ndomains)
		return;
	told = &f->told[c.domain];
	c.time_ns += scope->later_ns;
	if (rec->kind == UPF_BUILD) {
		if (told->is_built)
			return;
		c.what = CHANGE_BUILD;
		c.address = rec->count;
		c.size = rec->registers_size;
		memcpy(c.id, rec->build_id, c.size);
	} else if (rec->kind == UPF_ENTRY) {
		if (rec->count == told->entry)
			return;
		c.what = CHANGE_ENTRY;
		c.address = rec->count;
	}
	told->is_built = rec->kind == UPF_BUILD;
	told->entry = rec->kind == UPF_BUILD ? told->entry : c.address;
	add_change(f, &c);
}

static bool tells(const struct upf_record *rec)
{
	return rec->kind == UPF_ENTRY || rec->kind == UPF_BUILD ||
	       (rec->kind == UPF_EVENT && rec->code == UPF_EVENT_REBOOT);
}

static bool any_left(const struct upf_decoder *d)
{
	return upf_decoder_has(d, UPF_ENTRY) || upf_decoder_has(d, UPF_BUILD) || upf_decoder_has(d, UPF_EVENT);
}

static bool read_block(void *ctx, const struct upf_block *b)
{
	struct finding *f = ctx;
	uint64_t time_ns = b->first_ns;
	struct upf_record rec;
	bool more;

	if (b->fault != UPF_OK || upf_decoder_start(f->decoder, b) != UPF_OK)
		return true;
	more = any_left(f->decoder);
	while (more && f->rc == 0 && upf_decoder_next(f->decoder, &rec) > 0) {
		if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(f->decoder); /* a small block may repeat millions */
		if (rec.kind != UPF_BUILD)
			time_ns = rec.time_ns; /* it has none of its own */
		if (tells(&rec))
			note_record(f, &rec, time_ns);
		f->any |= rec.kind == UPF_ENTRY || rec.kind == UPF_BUILD;
		if (rec.kind == UPF_EVENT || tells(&rec))
			more = any_left(f->decoder);
	}
	f->without += !f->any;
	return f->rc == 0 && f->without < BLOCKS_MAX;
}

static int read_traces(struct finding *f)
{
	const struct traces *t = f->traces;
	int rc = 0;

	f->decoder = upf_decoder_new();
	f->told = calloc(t->session.ndomains + 1, sizeof(*f->told));
	if (!f->decoder || !f->told)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		f->trace = &t->list[i];
		f->without = 0;
		f->any = false;
		memset(f->told, 0, t->session.ndomains * sizeof(*f->told));
		rc = trace_first_blocks(f->trace, read_block, f);
		rc = rc ? rc : f->rc;
	}
	return rc;
}

static uint64_t change_time(const void *ctx, uint32_t i)
{
	return ((const struct change *)ctx)[i].time_ns;
}

static uint64_t change_domain(const void *ctx, uint32_t i)
{
	return ((const struct change *)ctx)[i].domain;
}

/* --- from changes to boots --------------------------------------------------------------------------------------- */

static int add_boot(struct boots *b, const struct boot *boot)
{
	return array_add(b->list, b->cap, b->n, *boot);
}

static int begin_domain(struct boots *b, const struct traces *t, uint32_t domain)
{
	struct boot boot = {.domain = domain};

	if (domain < t->session.ndomains)
		boot.as = t->session.domains[domain];
	b->first[domain] = b->n;
	return add_boot(b, &boot);
}

/* Its user gave it: what is in memory does not matter. */
static bool is_given(const struct upf_domain *d)
{
	return d->build_id && !d->build_address;
}

/* Another boot of the last one's domain, of which nothing is known yet. */
static int restart(struct boots *b, uint64_t time_ns)
{
	struct boot boot = b->list[b->n - 1];

	/* What comes after so many is taken for the last one. */
	if (b->n - b->first[boot.domain] == UPF_BOOTS_MAX)
		return 0;
	boot.from_ns = time_ns;
	boot.entry = 0;
	boot.has_none = false;
	boot.build_id = NULL;
	return add_boot(b, &boot);
}

static int set_build(struct boot *boot, const char *id, uint64_t address)
{
	boot->build_id = strdup(id);
	if (!boot->build_id)
		return -ENOMEM;
	boot->as.build_id = boot->build_id;
	boot->as.build_address = address;
	return 0;
}

/* It takes a while until it is found: it is of all boots since the last one whose build is told. */
static int take_build(struct boots *b, const struct change *c)
{
	const size_t first = b->first[c->domain];
	const struct boot last = b->list[b->n - 1];
	char id[2 * UPF_BUILD_ID_MAX + 1];
	int rc = 0;

	put_hex(id, c->id, c->size);
	if (is_given(&last.as) || (last.build_id && strcmp(last.build_id, id) == 0))
		return 0;
	if (last.build_id) {
		rc = restart(b, c->time_ns);
		b->list[b->n - 1].entry = last.entry;
	}
	for (size_t i = b->n; rc == 0 && i-- > first && !b->list[i].build_id;)
		rc = set_build(&b->list[i], id, c->address);
	return rc;
}

/*
 * The recorder tells the build again after each entry but the first that it finds, which is of the boot that it has
 * found already.
 */
static int take_entry(struct boots *b, const struct change *c)
{
	struct boot *last = &b->list[b->n - 1];
	const bool is_first = !last->entry && (!last->has_none || !last->build_id);
	int rc = 0;

	if (last->entry == c->address || (is_first && !c->address))
		return 0;
	if (!is_first)
		rc = restart(b, c->time_ns);
	last = &b->list[b->n - 1];
	if (rc == 0 && !last->entry) {
		last->entry = c->address;
		last->has_none = !c->address;
	}
	return rc;
}

static int take_change(struct boots *b, const struct change *c)
{
	const struct boot *last = &b->list[b->n - 1];

	switch (c->what) {
	case CHANGE_ENTRY:
		return take_entry(b, c);
	case CHANGE_BUILD:
		return take_build(b, c);
	default:
		return last->entry || last->build_id ? restart(b, c->time_ns) : 0;
	}
}

/*
 * The end of the recording came before a build was told: it is taken for the one before, unless the entry says that it
 * is another one. Kernels are moved by whole pages.
 */
static void doubt_builds(struct boots *b, uint32_t domain)
{
	uint64_t entry = 0;

	for (size_t i = b->first[domain]; i < b->n && !is_given(&b->list[i].as); i++) {
		struct boot *boot = &b->list[i];

		if (boot->build_id)
			entry = boot->entry;
		else if (entry && boot->entry && (boot->entry ^ entry) % PAGE)
			boot->as.build_id = NULL;
	}
}

static int make_boots(struct boots *b, const struct finding *f, const uint32_t *order)
{
	size_t k = 0;
	int rc = 0;

	for (uint32_t d = 0; rc == 0 && d < b->ndomains; d++) {
		rc = begin_domain(b, f->traces, d);
		for (; rc == 0 && k < f->n && f->changes[order[k]].domain == d; k++)
			rc = take_change(b, &f->changes[order[k]]);
		if (rc == 0)
			doubt_builds(b, d);
	}
	return rc;
}

int boots_find(struct boots *b, const struct traces *t, bool look)
{
	struct finding f = {.traces = t};
	uint32_t *order = NULL;
	int rc = look ? read_traces(&f) : 0;

	b->ndomains = t->session.ndomains ? t->session.ndomains : 1;
	b->first = calloc(b->ndomains + 1, sizeof(*b->first));
	order = radix_sort_ids(f.n);
	if (rc == 0)
		rc = b->first && order ? radix_sort(order, f.n, change_time, f.changes) : -ENOMEM;
	if (rc == 0)
		rc = radix_sort(order, f.n, change_domain, f.changes);
	if (rc == 0)
		rc = make_boots(b, &f, order);
	if (rc == 0)
		b->first[b->ndomains] = b->n;
	free(order);
	free(f.changes);
	free(f.told);
	upf_decoder_free(f.decoder);
	return rc;
}

void boots_free(struct boots *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->list[i].build_id);
	free(b->list);
	free(b->first);
	*b = (struct boots){0};
}

bool boots_count(const struct boots *b, const struct traces *t, size_t i)
{
	const struct boot *boot = &b->list[i];
	const struct scope *s = &t->list[0].scope; /* of all together, times are the same */

	return traces_have(t, boot->domain) && boot->from_ns < s->to_ns &&
	       (i + 1 == b->n || b->list[i + 1].domain != boot->domain || b->list[i + 1].from_ns > s->from_ns);
}
