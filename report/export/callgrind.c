/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind.c - callgrind's format (valgrind.org/docs/manual/cl-format.html), for kcachegrind and callgrind_annotate.
 *
 * Samples do not tell how often a function was called: the count of a call is the number of samples that have it in
 * their stack. Inclusive cost is stored with calls, and readers add it up, so a recursive function would count several
 * times for one stack. Therefore the inner frames of a recursive function f are a function f'2, as callgrind itself
 * names them. Each domain is a function, too, which calls the roots of its stacks, since readers take inclusive cost
 * from calls only.
 */
#include "common/say.h"
#include "report/export/frame_table.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "common/string_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
#define DOMAIN_ENTRY UINT32_MAX /* in place of a function of the table */
#define NO_FILE "???"           /* as callgrind has it */

/* What costs are counted in: all that a file has, the one that stacks are weighed by first. */
enum event { EVENT_SAMPLES, EVENT_CPU, EVENT_TIME, EVENTS };
static const struct {
	const char *name, *text;
} events[EVENTS] = {{"Samples", "samples"}, {"CPU", "CPU time, ns"}, {"Time", "time that samples stand for, ns"}};

/* A function as the file has it. */
struct entry {
	uint32_t domain;
	uint32_t function; /* of the table, or DOMAIN_ENTRY */
	uint32_t again;    /* 1: f'2 */
	bool written;      /* its name is in the file already */
};

/* Cost at a line of a function: its own, or that of a call. */
struct cost {
	uint32_t from, to; /* entries; @to NOBODY: its own */
	uint32_t line, called_line;
	uint64_t values[EVENTS];
	uint32_t stack; /* the last one that was added: each counts once */
};

struct callgrind {
	const struct report *report;
	struct frame_table table;
	struct strings files, objects;
	HASH_ARRAY(struct entry, entries, nentries, by_entry);
	HASH_ARRAY(struct cost, costs, ncosts, by_cost);
	uint32_t *seen; /* by function of the table: the last stack that it was met in */
	size_t seen_cap;
	uint32_t stack;
	enum event order[EVENTS];
	size_t nevents;
	uint64_t values[EVENTS];
};

/* --- gathering --------------------------------------------------------------------------------------------------- */

static void add_values(const struct callgrind *g, uint64_t values[EVENTS], const struct stack *s)
{
	values[EVENT_SAMPLES] += s->samples;
	values[EVENT_CPU] += s->cpu_ns;
	values[EVENT_TIME] += stacks_time(g->report->run, s);
}

static int add_cost(struct callgrind *g, const struct cost *key, const struct stack *s)
{
	uint32_t id;
	int rc = hash_array_add(&g->by_cost, &id, called_line, key);

	if (rc != 0 || g->costs[id].stack == g->stack)
		return rc;
	g->costs[id].stack = g->stack;
	add_values(g, g->costs[id].values, s);
	return 0;
}

/* Has this stack had the function already? Notes that it has it now. */
static int meet(struct callgrind *g, uint32_t function, uint32_t *again)
{
	int rc = array_room_zeroed(&g->seen, &g->seen_cap, function, sizeof(*g->seen));

	if (rc != 0)
		return rc;
	*again = g->seen[function] == g->stack;
	g->seen[function] = g->stack;
	return 0;
}

static int add_costs(void *ctx, const struct stack *s, const struct callchain *c)
{
	struct callgrind *g = ctx;
	struct entry entry = {.domain = s->domain, .function = DOMAIN_ENTRY};
	struct cost cost = {.to = NOBODY};
	uint32_t next;
	int rc = frame_table_chain(&g->table, c);

	g->stack++;
	add_values(g, g->values, s);
	if (rc == 0)
		rc = hash_array_add(&g->by_entry, &cost.from, again, &entry);
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		const struct table_frame *f = &g->table.frames[g->table.ids[i]];

		entry.function = f->function;
		rc = meet(g, f->function, &entry.again);
		if (rc == 0)
			rc = hash_array_add(&g->by_entry, &next, again, &entry);
		if (rc == 0 && next != cost.from) /* f'2 calling itself would be added up again */
			rc = add_cost(
				g,
				&(struct cost){
					.from = cost.from, .to = next, .line = cost.line, .called_line = f->line},
				s);
		cost.from = next;
		cost.line = f->line;
	}
	return rc == 0 ? add_cost(g, &cost, s) : rc;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* By function; its own cost first. */
static int compare_costs(const void *va, const void *vb)
{
	const struct cost *a = va, *b = vb;
	int order = array_compare(a->from, b->from);

	if (order == 0)
		order = array_compare(a->to != NOBODY, b->to != NOBODY);
	if (order == 0)
		order = array_compare(a->line, b->line);
	if (order == 0)
		order = array_compare(a->to, b->to);
	return order ? order : array_compare(a->called_line, b->called_line);
}

/* A name is written once, with a number that is used afterwards. */
static int put_numbered_name(struct callgrind *g, struct strings *known, const char *key, const char *name)
{
	size_t before = known->n;
	uint32_t id;
	int rc = strings_add(known, name, &id);

	if (rc == 0)
		fprintf(g->report->out.file, "%s=(%u)%s%s\n", key, id + 1, id < before ? "" : " ",
		        id < before ? "" : known->texts[id]);
	return rc;
}

static int put_file_name(struct callgrind *g, const char *key, const struct entry *p)
{
	const char *file = p->function == DOMAIN_ENTRY ? NULL : g->table.functions[p->function].file;

	return put_numbered_name(g, &g->files, key, file ? file : NO_FILE);
}

/* A domain's image is the object that its functions are in. */
static int put_object(struct callgrind *g, uint32_t domain)
{
	const char *image;
	int rc = stacks_image(g->report->run, domain, &image);

	return rc == 0 ? put_numbered_name(g, &g->objects, "ob", image) : rc;
}

static int entry_name(struct callgrind *g, const struct entry *p, const char **name)
{
	if (p->function == DOMAIN_ENTRY)
		return stacks_domain_name(g->report->run, p->domain, name);
	*name = g->report->run->names.functions[g->table.functions[p->function].function].name;
	return 0;
}

/* Functions of one name can differ in file and object, so each has its own number. */
static int put_entry(struct callgrind *g, const char *key, uint32_t id)
{
	struct entry *p = &g->entries[id];
	const char *name;
	int rc = entry_name(g, p, &name);

	if (rc != 0)
		return rc;
	fprintf(g->report->out.file, "%s=(%u)", key, id + 1);
	if (!p->written)
		fprintf(g->report->out.file, " %s%s", name, p->again ? "'2" : "");
	fputc('\n', g->report->out.file);
	p->written = true;
	return 0;
}

static int put_function_name(struct callgrind *g, uint32_t id)
{
	int rc;

	fputc('\n', g->report->out.file);
	rc = put_object(g, g->entries[id].domain);
	if (rc == 0)
		rc = put_file_name(g, "fl", &g->entries[id]);
	return rc == 0 ? put_entry(g, "fn", id) : rc;
}

/* Ends the line. */
static void put_values(const struct callgrind *g, const uint64_t values[EVENTS])
{
	for (size_t i = 0; i < g->nevents; i++)
		fprintf(g->report->out.file, " %" PRIu64, values[g->order[i]]);
	fputc('\n', g->report->out.file);
}

static int put_call(struct callgrind *g, const struct cost *c)
{
	int rc = put_file_name(g, "cfi", &g->entries[c->to]);

	if (rc == 0)
		rc = put_entry(g, "cfn", c->to);
	if (rc == 0)
		fprintf(g->report->out.file, "calls=%" PRIu64 " %u\n", c->values[EVENT_SAMPLES], c->called_line);
	return rc;
}

static int put_costs(struct callgrind *g)
{
	int rc = 0;

	array_sort(g->costs, g->ncosts, sizeof(*g->costs), compare_costs);
	for (size_t i = 0; rc == 0 && i < g->ncosts; i++) {
		const struct cost *c = &g->costs[i];

		if (i == 0 || c->from != c[-1].from)
			rc = put_function_name(g, c->from);
		if (rc == 0 && c->to != NOBODY)
			rc = put_call(g, c);
		if (rc == 0) {
			fprintf(g->report->out.file, "%u", c->line);
			put_values(g, c->values);
		}
	}
	return rc;
}

static void put_callgrind_head(const struct callgrind *g)
{
	FILE *out = g->report->out.file;

	fputs("# callgrind format\nversion: 1\ncreator: uniprof-report\ncmd: ", out);
	print_safe(out, g->report->run->traces.session.command ? g->report->run->traces.session.command : "?");
	fputs("\npositions: line\n", out);
	for (size_t i = 0; i < g->nevents; i++)
		fprintf(out, "event: %s : %s\n", events[g->order[i]].name, events[g->order[i]].text);
	fputs("events:", out);
	for (size_t i = 0; i < g->nevents; i++)
		fprintf(out, " %s", events[g->order[i]].name);
	fputs("\nsummary:", out);
	put_values(g, g->values);
}

static void choose_events(struct callgrind *g)
{
	enum event first = stacks_weigh_time(g->report->run, g->report->selection) ? EVENT_TIME
	                   : g->report->selection->weight == WEIGHT_CPU            ? EVENT_CPU
	                                                                           : EVENT_SAMPLES;

	g->order[g->nevents++] = first;
	for (enum event e = EVENT_SAMPLES; e <= EVENT_CPU; e++)
		if (e != first)
			g->order[g->nevents++] = e;
}

static int run_callgrind(const struct report *r, struct view_result *found)
{
	struct callgrind g = {.report = r};
	int rc = view_load(r, NULL);

	(void)found;
	if (rc == 0)
		rc = stacks_each(r->run, r->selection->states, add_costs, &g);
	if (rc == 0) {
		choose_events(&g);
		put_callgrind_head(&g);
		rc = put_costs(&g);
	}
	if (rc == 0) {
		fputs("\ntotals:", r->out.file);
		put_values(&g, g.values);
	}
	frame_table_free(&g.table);
	strings_free(&g.files);
	strings_free(&g.objects);
	hash_array_free(&g.by_entry);
	hash_array_free(&g.by_cost);
	free(g.seen);
	return view_exported(r, rc);
}

const struct view view_callgrind = {
	.name = "callgrind",
	.help = "callgrind's format, for kcachegrind and callgrind_annotate",
	.states = STATES_CPU,
	.run = run_callgrind,
};
