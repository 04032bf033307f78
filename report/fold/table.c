/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/radix_sort.h"
#include "report/fold/table.h"
#include "report/input/scope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *title, *heading;
	bool of_frame; /* frames of one stack differ in it */
} known[KEYS] = {
	[KEY_SYM] = {"sym", "Function", "function", true},
	[KEY_DOM] = {"dom", "Domain", "domain", false},
	[KEY_VCPU] = {"vcpu", "vCPU", "vcpu", false},
	[KEY_IMAGE] = {"image", "Image", "image", false},
	[KEY_LINE] = {"line", "Line", "line", true},
	[KEY_STATE] = {"state", "State", "state", false},
	[KEY_ADDRESS] = {"address", "Address", "address", true},
	[KEY_TIME] = {"time", "Time", "time", false},
	[KEY_SPACE] = {"space", "Space", "space", false},
};

/* --- keys -------------------------------------------------------------------------------------------------------- */

bool keys_has(const struct keys *keys, enum key key)
{
	for (unsigned i = 0; i < keys->n; i++)
		if (keys->key[i] == key)
			return true;
	return false;
}

bool keys_of_frames(const struct keys *keys)
{
	for (unsigned i = 0; i < keys->n; i++)
		if (known[keys->key[i]].of_frame)
			return true;
	return false;
}

const char *key_title(enum key key)
{
	return known[key].title;
}

const char *key_heading(enum key key)
{
	return known[key].heading;
}

static enum key find_key(const char *name, size_t len)
{
	enum key k = 0;

	while (k < KEYS && !(strlen(known[k].name) == len && memcmp(known[k].name, name, len) == 0))
		k++;
	return k;
}

int keys_parse(struct keys *keys, const char *list, char *why, size_t size)
{
	size_t len;

	keys->n = 0;
	do {
		enum key k;

		len = strcspn(list, ",");
		k = find_key(list, len);
		if (k == KEYS || keys_has(keys, k)) {
			snprintf(why, size,
			         "a list of sym, address, dom, vcpu, space, image, line, state and time "
			         "is needed, each once at most");
			return -1;
		}
		keys->key[keys->n++] = (uint8_t)k;
		list += len + 1;
	} while (list[-1] == ',');
	return 0;
}

/* --- texts of columns -------------------------------------------------------------------------------------------- */

/* A text that was made before: of key and number, or of a file and its line. */
struct label {
	uint64_t a, b;
	uint32_t text;
};

struct table_builder {
	struct table *table;
	const struct fold_request *request;
	enum fold_run run;
	struct display_stacks stacks;
	HASH_ARRAY(struct label, labels, nlabels, by_value);
	size_t stack; /* number of the one at hand, over both runs */
};

/* The text of (@a, @b), by @print if it was not met before. */
static int label(struct table_builder *g, uint64_t a, uint64_t b, uint32_t *text,
                 void (*print)(const struct table_builder *g, uint64_t a, uint64_t b, char *out, size_t size))
{
	char out[512];
	uint32_t id;
	int rc;

	if (hash_array_find(&g->by_value, &id, b, &(struct label){a, b})) {
		*text = g->labels[id].text;
		return 0;
	}
	print(g, a, b, out, sizeof(out));
	rc = symbolizer_function(g->stacks.common, out, text);
	return rc == 0 ? hash_array_add(&g->by_value, &id, b, &(struct label){a, b, *text}) : rc;
}

static void print_image(const struct table_builder *g, uint64_t domain, char *out, size_t size)
{
	const struct upf_session *s = g->stacks.session;

	if (domain < s->ndomains && s->domains[domain].image)
		snprintf(out, size, "%s", s->domains[domain].image);
	else
		snprintf(out, size, "[unknown]");
}

static void print_slot(const struct table_builder *g, uint64_t slot, char *out, size_t size)
{
	double quantum = (double)g->stacks.profile->quantum_ns / 1e9;

	snprintf(out, size, "%.10g-%.10g s", (double)slot * quantum, (double)(slot + 1) * quantum);
}

#define OF_USER 0x100u /* beside a key: of a stack in user mode */
#define NAMELESS KEYS  /* in place of a key: all code without a name */

static void print_number(const struct table_builder *g, uint64_t key, uint64_t n, char *out, size_t size)
{
	switch (key) {
	case KEY_DOM:
		domain_text(g->stacks.session, (uint32_t)n, out, size);
		break;
	case KEY_VCPU:
		snprintf(out, size, "%" PRIu64, n);
		break;
	case KEY_SPACE | OF_USER:
	case KEY_SPACE:
		space_text(n, out, size);
		snprintf(out + strlen(out), size - strlen(out), key & OF_USER ? " user" : " kernel");
		break;
	case KEY_STATE:
		snprintf(out, size, "%s", upf_state_text((unsigned)n));
		break;
	case KEY_TIME:
		print_slot(g, n, out, size);
		break;
	case NAMELESS:
		snprintf(out, size, "[unknown]");
		break;
	default:
		print_image(g, n, out, size);
	}
}

/* Without a file, @line is the function: one row for all code without lines would say nothing. */
static void format_line(const struct table_builder *g, uint64_t file, uint64_t line, char *out, size_t size)
{
	if (file)
		snprintf(out, size, "%s:%" PRIu64, (const char *)(uintptr_t)file, line);
	else
		snprintf(out, size, "[no line] %s", g->stacks.common->functions[line].name);
}

static uint64_t key_number(const struct stack *s, enum key key)
{
	switch (key) {
	case KEY_VCPU:
		return s->vcpu;
	case KEY_SPACE:
		return s->space;
	case KEY_STATE:
		return s->state;
	case KEY_TIME:
		return s->slot;
	default:
		return s->domain;
	}
}

/* An address space is two: the kernel's and the program's in it. */
static uint64_t stack_key(const struct stack *s, enum key key)
{
	return key == KEY_SPACE && stack_is_user(s) ? key | OF_USER : key;
}

/* What all frames of a stack share. */
static int label_stack(struct table_builder *g, const struct stack *s, uint32_t text[KEYS])
{
	const struct keys *keys = &g->table->keys;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < keys->n; i++)
		if (!known[keys->key[i]].of_frame)
			rc = label(g, stack_key(s, keys->key[i]), key_number(s, keys->key[i]), &text[i], print_number);
	return rc;
}

static void print_address(const struct table_builder *g, uint64_t address, uint64_t key, char *out, size_t size)
{
	(void)g, (void)key;
	snprintf(out, size, "%#" PRIx64, address);
}

static int label_frame(struct table_builder *g, const struct callchain_frame *f, uint32_t text[KEYS])
{
	const struct keys *keys = &g->table->keys;
	uint32_t function = f->function;
	int rc = 0;

	if (!g->stacks.common->functions[function].named && keys->merge_nameless)
		rc = label(g, NAMELESS, 0, &function, print_number);
	for (unsigned i = 0; rc == 0 && i < keys->n; i++) {
		if (keys->key[i] == KEY_SYM || (keys->key[i] == KEY_ADDRESS && !display_is_code(f)))
			text[i] = function;
		else if (keys->key[i] == KEY_ADDRESS)
			rc = label(g, f->address, KEY_ADDRESS, &text[i], print_address);
		else if (keys->key[i] == KEY_LINE)
			rc = label(g, (uintptr_t)f->file, f->file ? f->line : function, &text[i], format_line);
	}
	return rc;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static int find_table_row(struct table *t, const uint32_t text[KEYS], uint32_t slot, struct table_row **row)
{
	struct table_row key = {.slot = slot, .stack = SIZE_MAX};
	uint32_t id;
	int rc;

	memcpy(key.text, text, sizeof(key.text));
	rc = hash_array_add(&t->by_text, &id, text, &key);
	*row = t->rows + id;
	return rc;
}

static void count_row(struct table_builder *g, struct table_row *row, uint64_t weight, bool leaf)
{
	row->w.self[g->run] += leaf ? weight : 0;
	row->w.total[g->run] += row->stack != g->stack ? weight : 0;
	row->stack = g->stack;
}

static int add_table_stack(struct table_builder *g, const struct stack *s)
{
	uint64_t weight = fold_weight(g->request, s);
	uint32_t text[KEYS] = {0};
	struct table_row *row;
	int rc;

	if (weight == 0)
		return 0;
	rc = label_stack(g, s, text);
	if (rc == 0)
		rc = display_stack_make(&g->stacks, s);
	for (size_t i = 0; rc == 0 && i < g->stacks.chain.n; i++) {
		rc = label_frame(g, &g->stacks.chain.frames[i], text);
		if (rc == 0)
			rc = find_table_row(g->table, text, s->slot, &row);
		if (rc == 0)
			count_row(g, row, weight, i + 1 == g->stacks.chain.n);
	}
	g->stack++;
	return rc;
}

/* Domains are functions where they are no keys. */
static int add_run(struct table_builder *g)
{
	const struct profile *p = g->request->run[g->run].profile;
	const struct keys *keys = &g->table->keys;
	int rc = 0;

	g->stacks = fold_stacks(g->request, g->run);
	g->stacks.vcpus = g->stacks.spaces = false;
	g->stacks.domains &= keys->n == 1 && keys->key[0] == KEY_SYM;
	for (size_t i = 0; rc == 0 && i < p->nstacks; i++)
		rc = add_table_stack(g, &p->stacks[i]);
	hash_array_free(&g->by_value);
	display_stacks_free(&g->stacks);
	return rc;
}

int table_make(struct table *t, const struct keys *keys, const struct fold_request *request)
{
	struct table_builder g = {.table = t, .request = request};
	int rc = 0;

	*t = (struct table){.keys = *keys};
	for (; rc == 0 && g.run < FOLD_RUNS && request->run[g.run].profile; g.run++)
		rc = add_run(&g);
	if (rc != 0)
		table_free(t);
	return rc;
}

void table_free(struct table *t)
{
	hash_array_free(&t->by_text);
	*t = (struct table){0};
}

/* --- order ------------------------------------------------------------------------------------------------------- */

struct sorting {
	const struct table *table;
	const struct table_order *order;
	const uint32_t *ranks; /* of texts */
	unsigned column;
	bool by_total;
};

static uint64_t by_key(const void *ctx, uint32_t n)
{
	const struct sorting *s = ctx;
	const struct table_row *row = &s->table->rows[n];

	return s->table->keys.key[s->column] == KEY_TIME ? row->slot : s->ranks[row->text[s->column]];
}

static uint64_t by_weight(const void *ctx, uint32_t row)
{
	const struct sorting *s = ctx;

	return ~table_weights(&s->table->rows[row], s->by_total)[FOLD_NEW];
}

static uint64_t row_change(const void *ctx, uint32_t row)
{
	const struct sorting *s = ctx;

	return fold_largest_change_first(s->order->changes, table_weights(&s->table->rows[row], s->by_total));
}

/* The least important first. */
static int sort_rows(struct sorting *s, uint32_t *rows)
{
	const struct table *t = s->table;
	int rc = 0;

	for (s->column = t->keys.n; rc == 0 && s->column-- > 0;)
		rc = radix_sort(rows, t->n, by_key, s);
	s->by_total = !s->order->by_total;
	if (rc == 0)
		rc = radix_sort(rows, t->n, by_weight, s);
	s->by_total = s->order->by_total;
	if (rc == 0)
		rc = radix_sort(rows, t->n, by_weight, s);
	if (rc == 0 && s->order->changes)
		rc = radix_sort(rows, t->n, row_change, s);
	s->column = 0;
	if (rc == 0 && t->keys.key[0] == KEY_TIME)
		rc = radix_sort(rows, t->n, by_key, s);
	return rc;
}

int table_sort(struct table *t, const struct symbolizer *names, const struct table_order *order)
{
	uint32_t *ids = radix_sort_ids(t->n), *ranks = symbolizer_ranks(names, strverscmp);
	struct table_row *rows = malloc((t->n + 1) * sizeof(*rows));
	struct sorting s = {.table = t, .order = order, .ranks = ranks};
	int rc = ids && ranks && rows ? sort_rows(&s, ids) : -ENOMEM;

	if (rc == 0) {
		for (size_t i = 0; i < t->n; i++)
			rows[i] = t->rows[ids[i]];
		free(t->rows);
		t->rows = rows;
		t->by_text.cap = t->n + 1;
		rows = NULL;
	}
	free(ids);
	free(ranks);
	free(rows);
	return rc;
}
