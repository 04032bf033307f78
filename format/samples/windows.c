/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/windows.h"
#include "common/array.h"
#include "common/hash_chains.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define CHAIN_BITS 12
#define TOPS_MAX 16384 /* in an encoder's block */
#define WORDS_MAX 131072
#define HINTS_MAX 8192 /* callers of leaves */
static_assert(WORDS_MAX <= UPF_WINDOWS_MAX, "a reader accepts what an encoder writes");

#define RECENT 4 /* tops remembered at a caller */

/* TOP's values: below TOP_NEW a recent top; from TOP_LISTED on any, by its distance from the newest. */
enum { TOP_NEW = RECENT, TOP_LISTED };

struct top {
	uint64_t fp_offset; /* frame pointer less stack pointer */
	uint32_t first, nwords;
	uint32_t next; /* in its chain of by_words */
};

/* The tops that stacks with the same caller of the leaf had, the last one first, and where. */
struct hint {
	uint64_t sp[RECENT];
	uint32_t top[RECENT]; /* 0: none yet */
};

struct windows {
	bool fixed; /* never grows: an encoder's */
	bool v1;
	uint64_t last_sp; /* of any window */
	struct top *tops; /* 0 is nothing */
	uint32_t ntops;
	size_t top_room;
	uint64_t *words;
	uint32_t nwords;
	size_t word_room;
	struct hint *hints; /* 0 is nothing */
	uint32_t nhints;
	size_t hint_room;
	uint32_t *hint_of; /* by node: its hint, 0: none yet */
	uint32_t nnodes;
	size_t node_room;
	struct hash_chains by_words; /* encoder: the tops */
};

struct windows *windows_new(uint32_t nodes)
{
	struct windows *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fixed = nodes != 0;
	if (w->fixed) {
		w->tops = calloc(w->top_room = TOPS_MAX, sizeof(*w->tops));
		w->words = calloc(w->word_room = WORDS_MAX, sizeof(*w->words));
		w->hints = calloc(w->hint_room = HINTS_MAX, sizeof(*w->hints));
		w->hint_of = calloc(w->node_room = nodes, sizeof(*w->hint_of));
		if (!w->tops || !w->words || !w->hints || !w->hint_of ||
		    hash_chains_init(&w->by_words, CHAIN_BITS) != 0) {
			windows_free(w);
			return NULL;
		}
	}
	windows_reset(w, false);
	return w;
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	free(w->tops);
	free(w->words);
	free(w->hints);
	free(w->hint_of);
	hash_chains_free(&w->by_words);
	free(w);
}

void windows_reset(struct windows *w, bool v1)
{
	w->v1 = v1;
	w->last_sp = 0;
	w->ntops = w->nwords = w->nhints = w->nnodes = 0;
	if (w->fixed)
		hash_chains_clear(&w->by_words);
}

/* What is remembered at @node, made if there is nothing yet. NULL: no memory. */
static struct hint *hint_at(struct windows *w, uint32_t node)
{
	if (!w->fixed && (array_room(&w->hint_of, &w->node_room, node, sizeof(*w->hint_of)) != 0 ||
	                  array_room(&w->hints, &w->hint_room, w->nhints + 1, sizeof(*w->hints)) != 0))
		return NULL;
	if (node >= w->nnodes) {
		memset(w->hint_of + w->nnodes, 0, (node + 1 - w->nnodes) * sizeof(*w->hint_of));
		w->nnodes = node + 1;
	}
	if (w->hint_of[node] == 0) {
		w->hint_of[node] = ++w->nhints;
		memset(&w->hints[w->nhints], 0, sizeof(*w->hints));
	}
	return &w->hints[w->hint_of[node]];
}

/* The position of @top among the recent ones; RECENT: it is none of them. */
static unsigned recent_position(const struct hint *h, uint32_t top)
{
	unsigned i = 0;

	while (i < RECENT && h->top[i] != top)
		i++;
	return i;
}

/* The stack pointer that goes with position @i; a top that is not there is looked for where the last one was. */
static uint64_t predicted_sp(const struct windows *w, const struct hint *h, unsigned i)
{
	return h->top[0] || w->v1 ? h->sp[i < RECENT ? i : 0] : w->last_sp;
}

/* @top, at position @i until now, comes first. */
static void remember_top(struct windows *w, struct hint *h, unsigned i, uint32_t top, uint64_t sp)
{
	w->last_sp = sp;
	for (i = i < RECENT ? i : RECENT - 1; i > 0; i--) {
		h->top[i] = h->top[i - 1];
		h->sp[i] = h->sp[i - 1];
	}
	h->top[0] = top;
	h->sp[0] = sp;
}

/* What a new window is told by: the one that came last at its place, or nothing. */
static const struct top *window_base(const struct windows *w, const struct hint *h)
{
	static const struct top nothing;

	return h->top[0] && !w->v1 ? &w->tops[h->top[0]] : &nothing;
}

static uint64_t word_of(const struct top *base, const uint64_t *words, uint32_t i)
{
	return i < base->nwords ? words[base->first + i] : 0;
}

/* --- encoding ---------------------------------------------------------------------------------------------------- */

bool windows_have_room(const struct windows *w, size_t samples, size_t words)
{
	return samples < TOPS_MAX - w->ntops && samples < HINTS_MAX - w->nhints && words <= WORDS_MAX - w->nwords;
}

static uint32_t *window_chain(struct windows *w, const struct upf_sample *s)
{
	uint64_t h = (s->fp - s->sp + s->nwords) * UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < s->nwords; i++)
		h = (h ^ h >> 29 ^ s->words[i]) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash_chain(&w->by_words, h);
}

static uint32_t find_top(const struct windows *w, uint32_t from, const struct upf_sample *s)
{
	uint32_t i = from;

	while (i && (w->tops[i].fp_offset != s->fp - s->sp || w->tops[i].nwords != s->nwords ||
	             (s->nwords && memcmp(w->words + w->tops[i].first, s->words, s->nwords * sizeof(*s->words)) != 0)))
		i = w->tops[i].next;
	return i;
}

/*
 * Writes the words that are not as in @base, whose memory begins at @old: the lengths of the runs between them, and
 * each less what it was; or, if it was 0, less the last one written or the leaf.
 */
static void put_top(struct column_writer *columns, const struct upf_sample *s, const struct top *base,
                    const uint64_t *old)
{
	uint64_t last = s->depth ? s->frames[0] : 0;
	uint32_t i = 0;

	add_zigzag(columns, COLUMN_FP, s->fp - s->sp - base->fp_offset);
	add_zigzag(columns, COLUMN_SIZE, (uint64_t)s->nwords - base->nwords);
	while (i < s->nwords) {
		uint32_t skip = 0;

		while (i + skip < s->nwords && s->words[i + skip] == word_of(base, old, i + skip))
			skip++;
		add_varint(columns, COLUMN_SKIP, skip);
		i += skip;
		if (i < s->nwords) {
			uint64_t was = word_of(base, old, i);

			add_zigzag(columns, COLUMN_WORD, s->words[i] - (was ? was : last));
			last = s->words[i++];
		}
	}
}

static uint32_t list_top(struct windows *w, uint32_t *head, const struct upf_sample *s)
{
	uint32_t i = ++w->ntops;

	w->tops[i] = (struct top){.fp_offset = s->fp - s->sp, .first = w->nwords, .nwords = s->nwords, .next = *head};
	if (s->nwords)
		memcpy(w->words + w->nwords, s->words, s->nwords * sizeof(*s->words));
	w->nwords += s->nwords;
	return *head = i;
}

void windows_put(struct windows *w, struct column_writer *columns, uint32_t parent, const struct upf_sample *s)
{
	uint32_t *head = window_chain(w, s), top = find_top(w, *head, s);
	unsigned i = RECENT;
	struct hint *h;

	h = hint_at(w, parent);
	if (top) {
		i = recent_position(h, top);
		add_varint(columns, COLUMN_TOP, i < RECENT ? i : TOP_LISTED + w->ntops - top);
	} else {
		add_varint(columns, COLUMN_TOP, TOP_NEW);
		put_top(columns, s, window_base(w, h), w->words);
		top = list_top(w, head, s);
	}
	add_zigzag(columns, COLUMN_SP, s->sp - predicted_sp(w, h, i));
	remember_top(w, h, i, top, s->sp);
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

/* The words of a new top, behind those there are. */
static int get_window_words(struct windows *w, struct column_reader *columns, const struct top *base, uint32_t n,
                            uint64_t last)
{
	uint64_t *words;
	int rc = array_room(&w->words, &w->word_room, (size_t)w->nwords + n, sizeof(*w->words));

	if (rc != 0)
		return rc;
	words = w->words + w->nwords;
	for (uint32_t i = 0; i < n; i++)
		words[i] = word_of(base, w->words, i);
	for (uint32_t i = 0; i < n;) {
		uint64_t skip = column_number(columns, COLUMN_SKIP);

		if (columns->bad || skip > n - i)
			return -EBADMSG;
		i += (uint32_t)skip;
		if (i < n) {
			last = (words[i] ? words[i] : last) + (uint64_t)column_difference(columns, COLUMN_WORD);
			words[i++] = last;
		}
		if (columns->bad)
			return -EBADMSG;
	}
	w->nwords += n;
	return 0;
}

static int get_window_top(struct windows *w, struct column_reader *columns, const struct hint *h,
                          uint64_t leaf_address)
{
	uint64_t fp_offset = (uint64_t)column_difference(columns, COLUMN_FP), n = column_number(columns, COLUMN_SIZE);
	struct top base = *window_base(w, h); /* the array may move */
	uint32_t first = w->nwords;
	int rc;

	if (!w->v1)
		n = base.nwords + (uint64_t)unzigzag(n);
	if (columns->bad || n > UPF_WINDOW_MAX || n > UPF_WINDOWS_MAX - w->nwords)
		return -EBADMSG;
	rc = array_room(&w->tops, &w->top_room, w->ntops + 1, sizeof(*w->tops));
	if (rc == 0)
		rc = get_window_words(w, columns, &base, (uint32_t)n, leaf_address);
	if (rc == 0)
		w->tops[++w->ntops] =
			(struct top){.fp_offset = fp_offset + base.fp_offset, .first = first, .nwords = (uint32_t)n};
	return rc;
}

/* The number of the top that @code means; 0: there is none. */
static uint32_t listed(const struct windows *w, const struct hint *h, uint64_t code)
{
	if (code < RECENT)
		return h->top[code];
	return code - TOP_LISTED < w->ntops ? w->ntops - (uint32_t)(code - TOP_LISTED) : 0;
}

int windows_get(struct windows *w, struct column_reader *columns, const struct upf_node *nodes, uint32_t leaf,
                uint32_t *top, uint64_t *sp)
{
	uint64_t code = column_number(columns, COLUMN_TOP), off = (uint64_t)column_difference(columns, COLUMN_SP);
	struct hint *h;
	unsigned i;
	int rc;

	if (columns->bad)
		return -EBADMSG;
	h = hint_at(w, nodes[leaf].parent);
	if (!h)
		return -ENOMEM;
	i = code < RECENT ? (unsigned)code : RECENT;
	if (code == TOP_NEW) {
		rc = get_window_top(w, columns, h, nodes[leaf].address);
		*top = w->ntops;
	} else {
		*top = listed(w, h, code);
		rc = *top ? 0 : -EBADMSG;
	}
	if (rc != 0)
		return rc;
	*sp = predicted_sp(w, h, i) + off;
	remember_top(w, h, i, *top, *sp);
	return 0;
}

void windows_tell(const struct windows *w, uint32_t top, uint64_t sp, struct upf_record *r)
{
	const struct top *t = &w->tops[top];

	r->tops = UPF_TOPS_WINDOW;
	r->top = top;
	r->sp = sp;
	r->fp = sp + t->fp_offset;
	r->words = w->words + t->first;
	r->nwords = t->nwords;
}
