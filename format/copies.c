/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/copies.h"

#include <errno.h>
#include <stdlib.h>

/* One vCPU's last copy. */
struct copy {
	uint32_t key;        /* decoder: domain and vCPU */
	uint32_t generation; /* of the block it belongs to */
	uint32_t number;     /* decoder: of this content, in the block */
	uint32_t nwords, room;
	uint64_t base; /* address of the first word */
	uint64_t *words;
	uint64_t regs[UPF_REGS];
};

struct copies {
	struct copy *copy; /* encoder: by slot; decoder: a hash table with linear probing, at most half full */
	uint32_t slots, used;
	uint32_t generation, numbers;
	uint64_t *pool;  /* encoder: all words */
	uint64_t *fresh; /* decoder: the copy about to be made */
	uint32_t fresh_room;
};

#define TABLE_MIN 16
#define REG_FRAME 6 /* in UPF_REGS' order */
#define REG_STACK 7

struct copies *copies_new(uint32_t slots, uint32_t words)
{
	struct copies *c = calloc(1, sizeof(*c));
	bool encoder = slots != 0;

	if (!c)
		return NULL;
	c->slots = encoder ? slots : TABLE_MIN;
	c->copy = calloc(c->slots, sizeof(*c->copy));
	if (encoder)
		c->pool = calloc((size_t)slots * words + 1, sizeof(*c->pool));
	if (!c->copy || (encoder && !c->pool)) {
		copies_free(c);
		return NULL;
	}
	for (uint32_t i = 0; encoder && i < slots; i++) {
		c->copy[i].words = c->pool + (size_t)i * words;
		c->copy[i].room = words;
	}
	copies_reset(c);
	return c;
}

void copies_free(struct copies *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->copy && !c->pool && i < c->slots; i++)
		free(c->copy[i].words);
	free(c->copy);
	free(c->pool);
	free(c->fresh);
	free(c);
}

void copies_reset(struct copies *c)
{
	c->generation++;
	c->numbers = c->used = 0;
}

/* The word that stood at @address in the copy before; false if it holds none. */
static inline bool old_word(const struct copy *copy, uint64_t address, uint64_t *word)
{
	uint64_t i = (address - copy->base) / UPF_WORD;

	if (address < copy->base || i >= copy->nwords)
		return false;
	*word = copy->words[i];
	return true;
}

/* --- encoding ---------------------------------------------------------------------------------------------------- */

bool copies_fit(const struct copies *c, const struct upf_sample *s)
{
	return s->end == UPF_END_NONE || (s->slot < c->slots && s->nwords <= c->copy[s->slot].room);
}

void copies_need(size_t *need, const struct upf_sample *s)
{
	need[COLUMN_COPY] += 3;
	need[COLUMN_REG] += UPF_REGS * VARINT_MAX;
	need[COLUMN_SKIP] += s->nwords + 3;
	need[COLUMN_WORD] += s->nwords * VARINT_MAX;
}

static void put_words(struct column_writer *columns, const struct copy *before, uint64_t base,
                      const struct upf_sample *s)
{
	uint32_t i = 0;

	while (i < s->nwords) {
		uint64_t old = 0;
		uint32_t skip = 0;

		while (i < s->nwords && old_word(before, base + i * UPF_WORD, &old) && old == s->words[i]) {
			skip++;
			i++;
			old = 0;
		}
		add_varint(columns, COLUMN_SKIP, skip);
		if (i < s->nwords)
			add_zigzag(columns, COLUMN_WORD, s->words[i++] - old);
	}
}

void copies_put(struct copies *c, struct column_writer *columns, const struct upf_sample *s)
{
	struct copy *copy = &c->copy[s->slot];
	uint64_t base = s->regs[REG_STACK] & ~(uint64_t)(UPF_WORD - 1);

	if (copy->generation != c->generation) {
		memset(copy->regs, 0, sizeof(copy->regs));
		copy->nwords = 0;
		copy->generation = c->generation;
	}
	for (unsigned r = 0; r < UPF_REGS; r++)
		add_zigzag(columns, COLUMN_REG, s->regs[r] - copy->regs[r]);
	add_varint(columns, COLUMN_COPY, s->nwords);
	put_words(columns, copy, base, s);
	memcpy(copy->regs, s->regs, sizeof(copy->regs));
	if (s->nwords)
		memcpy(copy->words, s->words, s->nwords * sizeof(*copy->words));
	copy->base = base;
	copy->nwords = s->nwords;
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static uint32_t key_of(uint32_t domain, uint32_t vcpu)
{
	return domain * UPF_VCPUS_MAX + vcpu;
}

/* The slot of @key in this block, or the free one where it belongs. Slots of blocks before are free. */
static struct copy *slot_of(const struct copies *c, struct copy *table, uint32_t slots, uint32_t key)
{
	uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (slots - 1);

	while (table[i].generation == c->generation && table[i].key != key)
		i = (i + 1) & (slots - 1);
	return &table[i];
}

static int grow_table(struct copies *c)
{
	uint32_t slots = c->slots * 2;
	struct copy *table = calloc(slots, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->slots; i++) {
		if (c->copy[i].generation == c->generation)
			*slot_of(c, table, slots, c->copy[i].key) = c->copy[i];
		else
			free(c->copy[i].words);
	}
	free(c->copy);
	c->copy = table;
	c->slots = slots;
	return 0;
}

static int find_copy(struct copies *c, uint32_t key, struct copy **copy)
{
	*copy = slot_of(c, c->copy, c->slots, key);
	if ((*copy)->generation == c->generation)
		return 0;
	if (c->used * 2 >= c->slots) {
		int rc = grow_table(c);

		if (rc != 0)
			return rc;
		*copy = slot_of(c, c->copy, c->slots, key);
	}
	c->used++;
	(*copy)->key = key;
	(*copy)->generation = c->generation;
	(*copy)->nwords = (*copy)->number = 0;
	memset((*copy)->regs, 0, sizeof((*copy)->regs));
	return 0;
}

/*
 * The words of the new copy into c->fresh. Each one left alone must stand in the copy before: so a block never makes
 * more memory than its own bytes pay for.
 */
static int get_words(struct copies *c, struct column_reader *columns, const struct copy *before, uint64_t base,
                     uint32_t n)
{
	for (uint32_t i = 0; i < n;) {
		uint64_t skip = column_number(columns, COLUMN_SKIP), old = 0;
		uint64_t at = (base + i * UPF_WORD - before->base) / UPF_WORD;

		if (column_bad(columns, COLUMN_SKIP) || skip > n - i)
			return -EBADMSG;
		if (skip) {
			if (base + i * UPF_WORD < before->base || at > before->nwords || skip > before->nwords - at)
				return -EBADMSG;
			memcpy(c->fresh + i, before->words + at, skip * sizeof(*c->fresh));
			i += (uint32_t)skip;
		}
		if (i < n) {
			old_word(before, base + i * UPF_WORD, &old);
			c->fresh[i++] = old + (uint64_t)column_difference(columns, COLUMN_WORD);
		}
		if (column_bad(columns, COLUMN_WORD))
			return -EBADMSG;
	}
	return 0;
}

static int fresh_room(struct copies *c, uint32_t n)
{
	uint64_t *larger;

	if (n <= c->fresh_room)
		return 0;
	larger = realloc(c->fresh, n * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	c->fresh = larger;
	c->fresh_room = n;
	return 0;
}

static bool get_regs(struct copy *copy, struct column_reader *columns, bool *changed)
{
	for (unsigned r = 0; r < UPF_REGS; r++) {
		uint64_t d = (uint64_t)column_difference(columns, COLUMN_REG);

		copy->regs[r] += d;
		*changed |= d != 0;
	}
	return !column_bad(columns, COLUMN_REG);
}

/* The words read become the copy's, its old ones the room for the next. */
static void swap_words(struct copies *c, struct copy *copy, uint64_t base, uint32_t n)
{
	uint64_t *words = copy->words;
	uint32_t room = copy->room;

	copy->words = c->fresh;
	copy->room = c->fresh_room;
	copy->base = base;
	copy->nwords = n;
	c->fresh = words;
	c->fresh_room = room;
}

int copies_get(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu)
{
	uint64_t n = column_number(columns, COLUMN_COPY), base;
	struct copy *copy;
	bool changed;
	int rc;

	if (column_bad(columns, COLUMN_COPY) || n > UPF_COPY_MAX)
		return -EBADMSG;
	rc = find_copy(c, key_of(domain, vcpu), &copy);
	if (rc == 0)
		rc = fresh_room(c, (uint32_t)n);
	if (rc != 0)
		return rc;
	changed = copy->number == 0 || n != copy->nwords;
	if (!get_regs(copy, columns, &changed))
		return -EBADMSG;
	base = copy->regs[REG_STACK] & ~(uint64_t)(UPF_WORD - 1);
	rc = get_words(c, columns, copy, base, (uint32_t)n);
	if (rc != 0)
		return rc;
	if (changed || (n && memcmp(copy->words, c->fresh, n * sizeof(*c->fresh)) != 0))
		copy->number = ++c->numbers;
	swap_words(c, copy, base, (uint32_t)n);
	return 0;
}

void copies_tell(const struct copies *c, uint32_t domain, uint32_t vcpu, struct upf_record *r)
{
	const struct copy *copy = slot_of(c, c->copy, c->slots, key_of(domain, vcpu));

	if (copy->generation != c->generation)
		return;
	r->tops = UPF_TOPS_COPY;
	r->top = copy->number;
	r->sp = copy->regs[REG_STACK];
	r->fp = copy->regs[REG_FRAME];
	r->words = copy->words;
	r->nwords = copy->nwords;
	r->regs = copy->regs;
}
