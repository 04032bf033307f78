/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/page_data.h"
#include "common/say.h"
#include "report/output/json_writer.h"
#include "report/output/text.h"
#include "report/page/palette.h"
#include "report/view/quality.h"

#include <stdlib.h>
#include <string.h>

#define DATA_VERSION 1 /* of the JSON below; profile.js reads it */

struct data {
	const struct page_content *of;
	struct json json;
};

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
	const struct upf_session *s = &p->of->run->traces.session;

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
	const struct counters *t = &p->of->run->profile.counters;
	const struct quality_stacks stacks = quality_stacks(t, p->of->selection->states);

	json_object(&p->json, "figures");
	json_uint(&p->json, "samples", profile_count(&p->of->run->profile, p->of->selection->states));
	json_uint(&p->json, "lost", counters_lost(t));
	json_uint(&p->json, "late", t->late);
	json_uint(&p->json, "whole", stacks.whole);
	json_uint(&p->json, "truncated", stacks.truncated);
	json_uint(&p->json, "broken", stacks.broken);
	json_uint(&p->json, "pauses", t->pause.count);
	json_uint(&p->json, "paused_us", t->pause.sum_ns / 1000);
	json_uint(&p->json, "duration_us", recording_duration(p->of->run) / 1000);
	json_uint(&p->json, "guests_us", recording_guest_time(p->of->run) / 1000);
	json_bool(&p->json, "sound", recording_sound(p->of->run));
	json_end(&p->json);
}

static void write_palette(struct data *p, const char *key, const char *(*colour)(unsigned))
{
	json_array(&p->json, key);
	for (unsigned i = 0; i < PALETTE_COLOURS; i++)
		json_text(&p->json, NULL, colour(i));
	json_end(&p->json);
}

static void write_names(struct data *p)
{
	const struct flame *f = p->of->flame;

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
static void write_nodes(struct data *p)
{
	const struct flame *f = p->of->flame;

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

static void write_vcpus(struct data *p)
{
	json_array(&p->json, "vcpus");
	for (size_t i = 0; i < p->of->flame->nvcpus; i++) {
		const struct flame_vcpu *v = &p->of->flame->vcpus[i];
		char label[300];

		snprintf(label, sizeof(label), "%s%svCPU %u", v->domain ? v->domain : "", v->domain ? ", " : "",
		         v->number);
		json_text(&p->json, NULL, label);
	}
	json_end(&p->json);
}

static void write_weights(struct data *p, const char *key, unsigned run)
{
	json_array(&p->json, key);
	for (size_t i = 0; i < p->of->flame->nstacks; i++)
		json_uint(&p->json, NULL, p->of->flame->stacks[i].weight[run]);
	json_end(&p->json);
}

/* Stacks by node, each node as the difference to the one before. */
static void write_stacks(struct data *p)
{
	const struct flame *f = p->of->flame;

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

static bool is_left_out(const struct data *p, const struct heat_entry *e)
{
	return e->stack == p->of->flame->nstacks;
}

/* Cells, each as the difference to the one before, and weights; of stacks, or of what filters by name leave out. */
static void write_entries(struct data *p, bool left_out)
{
	const struct heat *h = p->of->heat;
	uint32_t last = 0;

	json_array(&p->json, "cell");
	for (size_t i = 0; i < h->n; i++) {
		if (is_left_out(p, &h->entries[i]) != left_out)
			continue;
		json_uint(&p->json, NULL, h->entries[i].cell - last);
		last = h->entries[i].cell;
	}
	json_end(&p->json);
	json_array(&p->json, "weight");
	for (size_t i = 0; i < h->n; i++)
		if (is_left_out(p, &h->entries[i]) == left_out)
			json_uint(&p->json, NULL, h->entries[i].weight);
	json_end(&p->json);
}

static void write_heat(struct data *p)
{
	const struct heat *h = p->of->heat;

	json_object(&p->json, "heat");
	json_uint(&p->json, "origin_us", h->origin_ns / 1000);
	json_uint(&p->json, "cell_us", h->cell_ns / 1000);
	json_uint(&p->json, "rows", h->rows);
	json_uint(&p->json, "cells", h->cells);
	write_entries(p, false);
	json_array(&p->json, "stack");
	for (size_t i = 0; i < h->n; i++)
		if (!is_left_out(p, &h->entries[i]))
			json_uint(&p->json, NULL, h->entries[i].stack);
	json_end(&p->json);
	json_object(&p->json, "left_out");
	write_entries(p, true);
	json_end(&p->json);
	json_end(&p->json);
}

void page_data(FILE *out, const struct page_content *content, const char *title, const char *notes)
{
	struct data data = {.of = content, .json.out = out}, *p = &data;

	json_object(&p->json, NULL);
	json_uint(&p->json, "version", DATA_VERSION);
	json_text(&p->json, "title", title);
	json_uint(&p->json, "unit_ns", profile_unit_ns(&content->run->profile, content->fold->unit));
	json_uint(&p->json, "whole", content->fold->whole);
	json_uint(&p->json, "old_whole", content->fold->old_whole);
	if (content->fold->compared) {
		json_real(&p->json, "independent", content->fold->effective);
		json_real(&p->json, "old_independent", content->fold->old_effective);
	}
	write_facts(p);
	write_figures(p);
	if (notes)
		json_text(&p->json, "trust", notes);
	write_names(p);
	write_nodes(p);
	write_vcpus(p);
	write_stacks(p);
	if (content->heat)
		write_heat(p);
	json_end(&p->json);
}
