/* SPDX-License-Identifier: BSD-2-Clause */
/* page_data.c - what a page shows, as the JSON that its scripts read. */
#include "report/page/page.h"
#include "common/radix_sort.h"
#include "common/say.h"
#include "report/output/json_writer.h"
#include "report/output/text.h"
#include "report/page/palette.h"
#include "report/view/quality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DATA_VERSION 1 /* of the JSON below; profile.js reads it */

/* The name of a node, once for each kind. */
struct name {
	uint32_t function, kind;
};

struct data {
	const struct report *r;
	const struct fold *fold;
	const struct heat *heat;
	struct json json;
	HASH_ARRAY(struct name, names, nnames, by_function);
	uint32_t *order, *numbers; /* of the names: by text and kind, and the place of each there */
	uint32_t *ranks;           /* of functions, by name */
};

/* --- names ------------------------------------------------------------------------------------------------------- */

static uint64_t by_text(const void *ctx, uint32_t name)
{
	const struct data *p = ctx;

	return (uint64_t)p->ranks[p->names[name].function] << 8 | p->names[name].kind;
}

static int node_name(struct data *p, size_t node, uint32_t *name)
{
	const struct fold_node *n = &p->fold->nodes[node];

	return hash_array_add(&p->by_function, name, kind, &(struct name){n->function, n->kind});
}

static int sort_names(struct data *p)
{
	uint32_t name;
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < p->fold->n; i++)
		rc = node_name(p, i, &name);
	p->ranks = symbolizer_ranks(&p->r->run->names, strcmp);
	p->order = radix_sort_ids(p->nnames);
	p->numbers = radix_sort_ids(p->nnames);
	if (!p->ranks || !p->order || !p->numbers)
		return -ENOMEM;
	if (rc == 0)
		rc = radix_sort(p->order, p->nnames, by_text, p);
	for (uint32_t i = 0; rc == 0 && i < p->nnames; i++)
		p->numbers[p->order[i]] = i;
	return rc;
}

static const char *name_text(const struct data *p, const struct name *name)
{
	return p->r->run->names.functions[name->function].name;
}

/* --- which trace this is ----------------------------------------------------------------------------------------- */

static void fact(struct data *p, const char *label, const char *value)
{
	char *text = value && *value ? safe_text(value) : NULL;

	if (!text)
		return;
	json_array(&p->json, NULL);
	json_text(&p->json, NULL, label);
	json_text(&p->json, NULL, text);
	json_end(&p->json);
	free(text);
}

static void domain_facts(struct data *p, const struct upf_domain *d)
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
static void write_facts(struct data *p)
{
	const struct upf_session *s = &p->r->run->traces.session;

	json_array(&p->json, "facts");
	fact(p, "Trace id", text_trace_id(s->trace_id).s);
	fact(p, "Start", text_utc(s->start_real_ns).s);
	fact(p, "Host", s->host);
	fact(p, "Hypervisor", s->hypervisor);
	fact(p, "Recorder", s->recorder);
	fact(p, "Command", s->command);
	for (size_t i = 0; i < s->ndomains; i++)
		domain_facts(p, &s->domains[i]);
	json_end(&p->json);
}

/* What the profile rests on, in figures. */
static void write_figures(struct data *p)
{
	const struct counters *t = &p->r->run->profile.counters;
	const struct quality_stacks stacks = quality_stacks(t, p->r->selection->states);

	json_object(&p->json, "figures");
	json_uint(&p->json, "samples", profile_count(&p->r->run->profile, p->r->selection->states));
	json_uint(&p->json, "lost", counters_lost(t));
	json_uint(&p->json, "late", t->late);
	json_uint(&p->json, "whole", stacks.whole);
	json_uint(&p->json, "truncated", stacks.truncated);
	json_uint(&p->json, "broken", stacks.broken);
	json_uint(&p->json, "pauses", t->pause.count);
	json_uint(&p->json, "paused_us", t->pause.sum_ns / 1000);
	json_uint(&p->json, "duration_us", recording_duration(p->r->run) / 1000);
	json_uint(&p->json, "guests_us", recording_guest_time(p->r->run) / 1000);
	json_bool(&p->json, "sound", recording_sound(p->r->run));
	json_end(&p->json);
}

static void write_palette(struct data *p, const char *key, const char *(*colour)(unsigned))
{
	json_array(&p->json, key);
	for (unsigned i = 0; i < PALETTE_COLOURS; i++)
		json_text(&p->json, NULL, colour(i));
	json_end(&p->json);
}

static void write_page_names(struct data *p)
{
	json_array(&p->json, "names");
	for (size_t i = 0; i < p->nnames; i++)
		json_text(&p->json, NULL, name_text(p, &p->names[p->order[i]]));
	json_end(&p->json);
	json_array(&p->json, "kinds");
	for (size_t i = 0; i < p->nnames; i++)
		json_uint(&p->json, NULL, p->names[p->order[i]].kind);
	json_end(&p->json);
	json_array(&p->json, "colours");
	for (size_t i = 0; i < p->nnames; i++) {
		const struct name *name = &p->names[p->order[i]];

		json_uint(&p->json, NULL, palette_colour(name_text(p, name), name->kind));
	}
	json_end(&p->json);
	write_palette(p, "light", palette_light);
	write_palette(p, "dark", palette_dark);
}

/* Of each node: how many levels up from the node before its parent is, 0: it is that node; and its name. */
static int write_nodes(struct data *p)
{
	const struct fold_node *nodes = p->fold->nodes;
	uint32_t name;
	int rc = 0;

	json_array(&p->json, "up");
	for (size_t i = 1; i < p->fold->n; i++)
		json_uint(&p->json, NULL, nodes[i - 1].depth + 1 - nodes[i].depth);
	json_end(&p->json);
	json_array(&p->json, "name");
	for (size_t i = 1; rc == 0 && i < p->fold->n; i++) {
		rc = node_name(p, i, &name);
		if (rc == 0)
			json_uint(&p->json, NULL, p->numbers[name]);
	}
	json_end(&p->json);
	return rc;
}

static void write_vcpus(struct data *p)
{
	json_array(&p->json, "vcpus");
	for (size_t i = 0; i < p->fold->nvcpus; i++) {
		const struct fold_vcpu *v = &p->fold->vcpus[i];
		char label[300];

		snprintf(label, sizeof(label), "%s%svCPU %u", v->domain ? v->domain : "", v->domain ? ", " : "",
		         v->number);
		json_text(&p->json, NULL, label);
	}
	json_end(&p->json);
}

static void write_weights(struct data *p, const char *key, enum fold_run run)
{
	json_array(&p->json, key);
	for (size_t i = 0; i < p->fold->nstacks; i++)
		json_uint(&p->json, NULL, p->fold->stacks[i].weight[run]);
	json_end(&p->json);
}

/* Stacks by node, each node as the difference to the one before. */
static void write_stacks(struct data *p)
{
	const struct fold *f = p->fold;

	json_object(&p->json, "stacks");
	json_array(&p->json, "node");
	for (size_t i = 0; i < f->nstacks; i++)
		json_uint(&p->json, NULL, f->stacks[i].node - (i ? f->stacks[i - 1].node : 0));
	json_end(&p->json);
	json_array(&p->json, "vcpu");
	for (size_t i = 0; i < f->nstacks; i++)
		json_uint(&p->json, NULL, f->stacks[i].vcpu);
	json_end(&p->json);
	write_weights(p, "weight", FOLD_NEW);
	if (f->compared)
		write_weights(p, "old", FOLD_OLD);
	json_end(&p->json);
}

static bool is_entry_left_out(const struct data *p, const struct heat_entry *e)
{
	return e->stack == p->fold->nstacks;
}

/* Cells, each as the difference to the one before, and weights; of stacks, or of what filters by name leave out. */
static void write_entries(struct data *p, bool left_out)
{
	const struct heat *h = p->heat;
	uint32_t last = 0;

	json_array(&p->json, "cell");
	for (size_t i = 0; i < h->n; i++) {
		if (is_entry_left_out(p, &h->entries[i]) != left_out)
			continue;
		json_uint(&p->json, NULL, h->entries[i].cell - last);
		last = h->entries[i].cell;
	}
	json_end(&p->json);
	json_array(&p->json, "weight");
	for (size_t i = 0; i < h->n; i++)
		if (is_entry_left_out(p, &h->entries[i]) == left_out)
			json_uint(&p->json, NULL, h->entries[i].weight);
	json_end(&p->json);
}

static void write_heat(struct data *p)
{
	const struct heat *h = p->heat;

	json_object(&p->json, "heat");
	json_uint(&p->json, "origin_us", h->origin_ns / 1000);
	json_uint(&p->json, "cell_us", h->cell_ns / 1000);
	json_uint(&p->json, "rows", h->rows);
	json_uint(&p->json, "cells", h->cells);
	write_entries(p, false);
	json_array(&p->json, "stack");
	for (size_t i = 0; i < h->n; i++)
		if (!is_entry_left_out(p, &h->entries[i]))
			json_uint(&p->json, NULL, h->entries[i].stack);
	json_end(&p->json);
	json_object(&p->json, "left_out");
	write_entries(p, true);
	json_end(&p->json);
	json_end(&p->json);
}

static int write_data(struct data *p, const char *title, const char *notes)
{
	const struct fold *f = p->fold;
	int rc;

	json_object(&p->json, NULL);
	json_uint(&p->json, "version", DATA_VERSION);
	json_text(&p->json, "title", title);
	json_uint(&p->json, "unit_ns", profile_unit_ns(&p->r->run->profile, f->unit));
	json_uint(&p->json, "whole", f->whole[FOLD_NEW]);
	json_uint(&p->json, "old_whole", f->whole[FOLD_OLD]);
	if (f->compared) {
		json_real(&p->json, "independent", f->effective[FOLD_NEW]);
		json_real(&p->json, "old_independent", f->effective[FOLD_OLD]);
	}
	write_facts(p);
	write_figures(p);
	if (notes)
		json_text(&p->json, "trust", notes);
	write_page_names(p);
	rc = write_nodes(p);
	write_vcpus(p);
	write_stacks(p);
	if (p->heat)
		write_heat(p);
	json_end(&p->json);
	return rc;
}

int page_data(const struct report *r, const struct fold *fold, const struct heat *heat, const char *title,
              const char *notes)
{
	struct data p = {.r = r, .fold = fold, .heat = heat, .json.out = r->out.file};
	int rc = sort_names(&p);

	if (rc == 0)
		rc = write_data(&p, title, notes);
	hash_array_free(&p.by_function);
	free(p.order);
	free(p.numbers);
	free(p.ranks);
	return rc;
}
