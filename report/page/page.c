/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/page.h"
#include "common/say.h"
#include "report/output/json_writer.h"
#include "report/page/assets.h"
#include "report/page/palette.h"
#include "report/output/xml.h"
#include "report/output/text.h"
#include "report/view/quality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DATA_VERSION 1 /* of the JSON below; profile.js reads it */

struct page {
	const struct report *report;
	const struct flame *flame;
	const struct heat *heat;
	struct json json;
	uint64_t samples; /* counted */
	char *title;      /* safe */
	char *trust;      /* what quality_print() says; NULL: quiet */
};

/* --- texts ------------------------------------------------------------------------------------------------------- */

static char *safe(const char *text)
{
	char *made = NULL;
	size_t len;
	FILE *memory = open_memstream(&made, &len);

	if (!memory)
		return NULL;
	print_safe(memory, text);
	return fclose(memory) == 0 ? made : NULL;
}

char *page_title(const struct upf_session *session)
{
	char *joined = NULL, *made, label[256];
	size_t len;
	FILE *memory = open_memstream(&joined, &len);

	if (!memory)
		return NULL;
	for (size_t i = 0; i < session->ndomains; i++) {
		domain_text(session, (uint32_t)i, label, sizeof(label));
		fprintf(memory, "%s%s", i ? ", " : "", label);
	}
	made = fclose(memory) == 0 ? safe(joined) : NULL;
	free(joined);
	return made;
}

/* Pages are UTF-8, wherever they are made. */
static int make_trust(const struct report *r, const struct fold *fold, char **trust)
{
	struct report said = *r;
	size_t len;
	FILE *memory = open_memstream(trust, &len);

	if (!memory)
		return -ENOMEM;
	said.utf8 = true;
	quality_print(&said, fold, memory);
	return fclose(memory) == 0 ? 0 : -ENOMEM;
}

/* --- the data ---------------------------------------------------------------------------------------------------- */

static void fact(struct page *p, const char *label, const char *value)
{
	char *text = value && *value ? safe(value) : NULL;

	if (!text)
		return;
	json_array(&p->json, NULL);
	json_text(&p->json, NULL, label);
	json_text(&p->json, NULL, text);
	json_end(&p->json);
	free(text);
}

static void domain_facts(struct page *p, const struct upf_domain *d)
{
	char text[64];

	snprintf(text, sizeof(text), "%u, %s, %s, %u vCPU%s", d->id, upf_kind_text(d->kind), upf_arch_text(d->arch),
	         d->vcpus, d->vcpus == 1 ? "" : "s");
	fact(p, "Domain", d->name);
	fact(p, "Number, kind", text);
	fact(p, "UUID", text_uuid(d->uuid).s);
	fact(p, "Image", d->image);
	fact(p, "Build id", d->build_id);
}

/* Which trace this is. */
static void write_facts(struct page *p)
{
	const struct upf_session *s = p->report->session;
	char id[33] = "";

	for (size_t i = 0; i < sizeof(s->trace_id); i++)
		sprintf(id + 2 * i, "%02x", s->trace_id[i]);
	json_array(&p->json, "facts");
	fact(p, "Trace id", id);
	fact(p, "Start", text_utc(s->start_real_ns).s);
	fact(p, "Host", s->host);
	fact(p, "Hypervisor", s->hypervisor);
	fact(p, "Recorder", s->recorder);
	fact(p, "Command", s->command);
	for (size_t i = 0; i < s->ndomains; i++)
		domain_facts(p, &s->domains[i]);
	json_end(&p->json);
}

bool page_sound(const struct report *r)
{
	const struct upf_health health = traces_health(&r->traces);

	return quality_sound(&health, &r->profile.counters);
}

/* What the profile rests on, in figures. */
static void write_figures(struct page *p)
{
	const struct counters *t = &p->report->profile.counters;
	struct quality_stacks stacks;

	quality_stacks(p->report, &stacks);
	json_object(&p->json, "figures");
	json_uint(&p->json, "samples", p->samples);
	json_uint(&p->json, "lost", counters_lost(t));
	json_uint(&p->json, "late", t->late);
	json_uint(&p->json, "whole", stacks.whole);
	json_uint(&p->json, "truncated", stacks.truncated);
	json_uint(&p->json, "broken", stacks.broken);
	json_uint(&p->json, "pauses", t->pause.count);
	json_uint(&p->json, "paused_us", t->pause.sum_ns / 1000);
	json_uint(&p->json, "duration_us", quality_duration(p->report) / 1000);
	json_uint(&p->json, "domains", p->report->session->ndomains);
	json_bool(&p->json, "sound", page_sound(p->report));
	json_end(&p->json);
}

static void write_palette(struct page *p, const char *key, const char *(*colour)(unsigned))
{
	json_array(&p->json, key);
	for (unsigned i = 0; i < PALETTE_COLOURS; i++)
		json_text(&p->json, NULL, colour(i));
	json_end(&p->json);
}

static void write_names(struct page *p)
{
	const struct flame *f = p->flame;

	json_array(&p->json, "names");
	for (size_t i = 0; i < f->nnames; i++)
		json_text(&p->json, NULL, f->names[i].text);
	json_end(&p->json);
	json_array(&p->json, "kinds");
	for (size_t i = 0; i < f->nnames; i++)
		json_uint(&p->json, NULL, f->names[i].kind);
	json_end(&p->json);
	json_array(&p->json, "colours");
	for (size_t i = 0; i < f->nnames; i++)
		json_uint(&p->json, NULL, palette_colour(&f->names[i]));
	json_end(&p->json);
	write_palette(p, "light", palette_light);
	write_palette(p, "dark", palette_dark);
}

/*
 * Depth first from node 1 on: how many levels up from the node before its parent stands, 0 below that node; and its
 * name.
 */
static void write_nodes(struct page *p)
{
	const struct flame *f = p->flame;

	json_array(&p->json, "up");
	for (size_t i = 1; i < f->nnodes; i++) {
		uint32_t up = 0;

		for (uint32_t n = (uint32_t)i - 1; n != f->nodes[i].parent; n = f->nodes[n].parent)
			up++;
		json_uint(&p->json, NULL, up);
	}
	json_end(&p->json);
	json_array(&p->json, "name");
	for (size_t i = 1; i < f->nnodes; i++)
		json_uint(&p->json, NULL, f->nodes[i].name);
	json_end(&p->json);
}

static void write_vcpus(struct page *p)
{
	json_array(&p->json, "vcpus");
	for (size_t i = 0; i < p->flame->nvcpus; i++) {
		const struct flame_vcpu *v = &p->flame->vcpus[i];
		char label[300];

		snprintf(label, sizeof(label), "%s%svCPU %u", v->domain ? v->domain : "", v->domain ? ", " : "",
		         v->number);
		json_text(&p->json, NULL, label);
	}
	json_end(&p->json);
}

/* Samples, or microseconds of CPU time: nothing finer is in a trace. */
static uint64_t amount(const struct page *p, uint64_t weight)
{
	return p->report->selection->weight == WEIGHT_CPU ? weight / 1000 : weight;
}

static void write_weights(struct page *p, const char *key, unsigned run)
{
	json_array(&p->json, key);
	for (size_t i = 0; i < p->flame->nstacks; i++)
		json_uint(&p->json, NULL, amount(p, p->flame->stacks[i].weight[run]));
	json_end(&p->json);
}

/* Stacks by node, each node as the difference to the one before. */
static void write_stacks(struct page *p)
{
	const struct flame *f = p->flame;

	json_object(&p->json, "stacks");
	json_array(&p->json, "node");
	for (size_t i = 0; i < f->nstacks; i++)
		json_uint(&p->json, NULL, f->stacks[i].node - (i ? f->stacks[i - 1].node : 0));
	json_end(&p->json);
	json_array(&p->json, "vcpu");
	for (size_t i = 0; i < f->nstacks; i++)
		json_uint(&p->json, NULL, f->stacks[i].vcpu);
	json_end(&p->json);
	write_weights(p, "weight", FLAME_NEW);
	if (f->compared)
		write_weights(p, "old", FLAME_OLD);
	json_end(&p->json);
}

/* Entries by cell, each cell as the difference to the one before. */
static void write_heat(struct page *p)
{
	const struct heat *h = p->heat;

	json_object(&p->json, "heat");
	json_uint(&p->json, "cell_us", h->cell_ns / 1000);
	json_uint(&p->json, "rows", h->rows);
	json_uint(&p->json, "cells", h->cells);
	json_array(&p->json, "cell");
	for (size_t i = 0; i < h->n; i++)
		json_uint(&p->json, NULL, h->entries[i].cell - (i ? h->entries[i - 1].cell : 0));
	json_end(&p->json);
	json_array(&p->json, "stack");
	for (size_t i = 0; i < h->n; i++)
		json_uint(&p->json, NULL, h->entries[i].stack);
	json_end(&p->json);
	json_array(&p->json, "weight");
	for (size_t i = 0; i < h->n; i++)
		json_uint(&p->json, NULL, amount(p, h->entries[i].weight));
	json_end(&p->json);
	json_end(&p->json);
}

static void put_data(struct page *p)
{
	p->json = (struct json){.out = p->report->out};
	json_object(&p->json, NULL);
	json_uint(&p->json, "version", DATA_VERSION);
	json_text(&p->json, "title", p->title);
	json_text(&p->json, "unit", p->report->selection->weight == WEIGHT_CPU ? "us" : "samples");
	write_facts(p);
	write_figures(p);
	if (p->trust)
		json_text(&p->json, "trust", p->trust);
	write_names(p);
	write_nodes(p);
	write_vcpus(p);
	write_stacks(p);
	if (p->heat)
		write_heat(p);
	json_end(&p->json);
}

/* --- the page around it ------------------------------------------------------------------------------------------ */

static void put(const struct page *p, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), p->report->out);
}

static void put_title(struct page *p)
{
	xml_text(p->report->out, p->title, strlen(p->title));
}

static void put_policy(struct page *p)
{
	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src", p->report->out);
	for (const struct asset *a = asset_scripts; a->text; a++)
		fprintf(p->report->out, " 'sha256-%s'", a->hash);
	fprintf(p->report->out, "; style-src 'sha256-%s'", asset_style.hash);
}

/* Nothing may stand between the tags but what was hashed. */
static void put_style(struct page *p)
{
	fputs("<style>", p->report->out);
	put(p, asset_style.text, asset_style.end);
	fputs("</style>", p->report->out);
}

static void put_scripts(struct page *p)
{
	for (const struct asset *a = asset_scripts; a->text; a++) {
		fputs("<script>", p->report->out);
		put(p, a->text, a->end);
		fputs("</script>\n", p->report->out);
	}
}

static void fill_in(struct page *p, const char *name, size_t len)
{
	static const struct {
		const char *name;
		void (*put)(struct page *p);
	} parts[] = {{"TITLE", put_title},
	             {"POLICY", put_policy},
	             {"STYLE", put_style},
	             {"DATA", put_data},
	             {"SCRIPTS", put_scripts}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].name) == len && memcmp(parts[i].name, name, len) == 0)
			parts[i].put(p);
}

static void put_page(struct page *p)
{
	const char *at = asset_page.text, *open, *close;

	while ((open = memmem(at, (size_t)(asset_page.end - at), "{{", 2)) &&
	       (close = memmem(open, (size_t)(asset_page.end - open), "}}", 2))) {
		put(p, at, open);
		fill_in(p, open + 2, (size_t)(close - open - 2));
		at = close + 2;
	}
	put(p, at, asset_page.end);
}

int page_write(const struct report *r, const struct fold *fold, const struct flame *flame, const struct heat *heat)
{
	struct page p = {
		.report = r, .flame = flame, .heat = heat, .samples = fold->samples, .title = page_title(r->session)};
	int rc = p.title ? 0 : -ENOMEM;

	if (rc == 0 && !r->quiet)
		rc = make_trust(r, fold, &p.trust);
	if (rc == 0)
		put_page(&p);
	free(p.title);
	free(p.trust);
	return rc;
}

void page_said(const struct report *r, const struct fold *fold)
{
	fflush(r->out);
	if (!fold->samples && !r->quiet)
		view_no_samples(r, stderr);
	quality_print(r, fold, stderr);
}

/* --- views ------------------------------------------------------------------------------------------------------- */

/* As --folded tells domains and vCPUs apart. */
static struct rooted stacks_of(struct report *r, struct report *run)
{
	const enum group group = r->selection->group;

	return (struct rooted){
		.profile = &run->profile,
		.names = &run->names,
		.common = &r->names,
		.session = run->session,
		.domains = group == GROUP_BY_DOMAIN || r->session->ndomains > 1 ||
	                   (r->old && r->old->session->ndomains > 1),
		.vcpus = group == GROUP_BY_VCPU,
	};
}

int page_flame_make(struct report *r, struct flame *flame, uint32_t *stack_of, uint32_t *moved)
{
	const enum weight weight = r->selection->weight;
	struct rooted stacks = stacks_of(r, r);
	int rc = flame_add(flame, &stacks, r->states, weight, FLAME_NEW, stack_of);

	if (rc == 0 && r->old) {
		stacks = stacks_of(r, r->old);
		rc = flame_add(flame, &stacks, r->states, weight, FLAME_OLD, NULL);
	}
	return rc == 0 ? flame_finish(flame, moved) : rc;
}

int page_flame(struct report *r, int (*write)(struct report *r, const struct fold *fold, const struct flame *flame))
{
	struct flame flame = {0};
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	rc = page_flame_make(r, &flame, NULL, NULL);
	if (rc == 0)
		rc = write(r, &fold, &flame);
	if (rc == 0)
		page_said(r, &fold);
	flame_free(&flame);
	fold_free(&fold);
	return rc;
}
