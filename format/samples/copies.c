/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/copies.h"
#include "common/array.h"
#include "common/hash_table.h"

#include <errno.h>
#include <stdlib.h>

#define KEPT_MAX (8u << 20) /* words that a decoder keeps the room of from block to block */

/* One vCPU's last registers and copy. */
struct copy {
	uint32_t key;        /* decoder: domain and vCPU */
	uint32_t generation; /* encoder: of the block it belongs to */
	uint32_t number;     /* decoder: of this content, in the block */
	uint32_t nwords;
	size_t room;
	uint64_t base; /* address of the first word */
	uint64_t *words;
	uint32_t nregs;
	bool changed; /* decoder: the registers, since the last copy */
	uint64_t regs[UPF_REGS_MAX];
};

/*
 * An encoder has a copy for each of its slots, all words in one pool. A decoder finds a block's copies by their keys,
 * and keeps the memory of copies that this block does not use.
 */
struct copies {
	struct copy *copy;
	size_t slots;
	uint32_t generation, numbers;
	bool v1;
	uint64_t *pool;           /* encoder: all words */
	struct hash_table by_key; /* decoder: the first @used copies */
	uint32_t used;
	uint64_t *fresh; /* decoder: the copy about to be made */
	size_t fresh_room;
	size_t kept; /* decoder: room of all copies, in words */
};

static bool make_slots(struct copies *c, uint32_t slots, uint32_t words)
{
	c->slots = slots;
	c->copy = calloc(slots, sizeof(*c->copy));
	c->pool = calloc((size_t)slots * words + 1, sizeof(*c->pool));
	if (!c->copy || !c->pool)
		return false;
	for (uint32_t i = 0; i < slots; i++) {
		c->copy[i].words = c->pool + (size_t)i * words;
		c->copy[i].room = words;
	}
	return true;
}

struct copies *copies_new(uint32_t slots, uint32_t words)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (slots != 0 && !make_slots(c, slots, words)) {
		copies_free(c);
		return NULL;
	}
	copies_reset(c, false);
	return c;
}

void copies_free(struct copies *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->copy && !c->pool && i < c->slots; i++)
		free(c->copy[i].words);
	free(c->copy);
	free(c->pool);
	free(c->fresh);
	hash_table_free(&c->by_key);
	free(c);
}

static void drop_words(struct copies *c)
{
	for (size_t i = 0; i < c->slots; i++) {
		free(c->copy[i].words);
		c->copy[i].words = NULL;
		c->copy[i].room = 0;
	}
	c->kept = 0;
}

void copies_reset(struct copies *c, bool v1)
{
	if (c->kept > KEPT_MAX)
		drop_words(c);
	c->v1 = v1;
	c->generation++;
	c->numbers = c->used = 0;
	hash_table_clear(&c->by_key);
}

/* The word at @address in the last copy; false if it is not in there. */
static inline bool old_word(const struct copy *copy, uint64_t address, uint64_t *word)
{
	uint64_t i = (address - copy->base) / UPF_WORD;

	if (address < copy->base || i >= copy->nwords)
		return false;
	*word = copy->words[i];
	return true;
}

/* Where the copy at these registers begins. */
static uint64_t copy_base(const uint64_t *regs, uint32_t nregs)
{
	return regs[upf_regs_sp(nregs)] & ~(uint64_t)(UPF_WORD - 1);
}

/* --- encoding ---------------------------------------------------------------------------------------------------- */

bool copies_fit(const struct copies *c, const struct upf_sample *s, bool copy)
{
	return s->slot < c->slots && (!copy || s->nwords <= c->copy[s->slot].room);
}

void copies_put_regs(struct copies *c, struct column_writer *columns, const struct upf_sample *s, uint32_t nregs,
                     bool tell_number)
{
	struct copy *copy = &c->copy[s->slot];

	if (copy->generation != c->generation) {
		memset(copy->regs, 0, sizeof(copy->regs));
		copy->nwords = 0;
		copy->generation = c->generation;
	}
	if (tell_number)
		add_u8(columns, COLUMN_REGS, (uint8_t)nregs);
	for (unsigned r = 0; r < nregs; r++)
		add_zigzag(columns, COLUMN_REG, s->regs[r] - copy->regs[r]);
	memcpy(copy->regs, s->regs, nregs * sizeof(*copy->regs));
	copy->nregs = nregs;
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
		}
		add_varint(columns, COLUMN_COPY_SKIP, skip);
		if (i == s->nwords)
			break;
		if (!old_word(before, base + i * UPF_WORD, &old))
			old = i ? s->words[i - 1] : 0;
		add_zigzag(columns, COLUMN_COPY_WORD, s->words[i++] - old);
	}
}

void copies_put(struct copies *c, struct column_writer *columns, const struct upf_sample *s)
{
	struct copy *copy = &c->copy[s->slot];
	uint64_t base = copy_base(copy->regs, copy->nregs);

	add_varint(columns, COLUMN_COPY, s->nwords);
	put_words(columns, copy, base, s);
	if (s->nwords)
		memcpy(copy->words, s->words, s->nwords * sizeof(*copy->words));
	copy->base = base;
	copy->nwords = s->nwords;
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static uint32_t vcpu_key(uint32_t domain, uint32_t vcpu)
{
	return domain * UPF_VCPUS_MAX + vcpu;
}

/* The copy of @key in this block; NULL: there is none. The table has slots. */
static struct copy *known_copy(const struct copies *c, uint32_t key, uint32_t hash)
{
	uint32_t id;

	for (size_t at = hash_table_first(&c->by_key, hash); hash_table_id(&c->by_key, &at, hash, &id);
	     at = hash_table_next(&c->by_key, at))
		if (c->copy[id].key == key)
			return &c->copy[id];
	return NULL;
}

/* One that this block does not use yet: of a block before, whose memory it keeps, or a new one. NULL: no memory. */
static struct copy *unused_copy(struct copies *c)
{
	return array_room_zeroed(&c->copy, &c->slots, c->used, sizeof(*c->copy)) == 0 ? &c->copy[c->used] : NULL;
}

static int find_copy(struct copies *c, uint32_t key, struct copy **copy)
{
	uint32_t hash;

	if (hash_table_reserve(&c->by_key) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&c->by_key, key, 0);
	*copy = known_copy(c, key, hash);
	if (*copy)
		return 0;
	*copy = unused_copy(c);
	if (!*copy)
		return -ENOMEM;
	hash_table_add(&c->by_key, hash, c->used++);
	(*copy)->key = key;
	(*copy)->nwords = (*copy)->nregs = (*copy)->number = 0;
	(*copy)->changed = false;
	memset((*copy)->regs, 0, sizeof((*copy)->regs));
	return 0;
}

/*
 * Reads the words of the new copy into c->fresh. A word that is not coded must be in the last copy, so the memory for
 * a block is in proportion to its size.
 */
static int get_copy_words(struct copies *c, struct column_reader *columns, const struct copy *before, uint64_t base,
                          uint32_t n)
{
	for (uint32_t i = 0; i < n;) {
		uint64_t skip = column_number(columns, COLUMN_COPY_SKIP), old = 0;
		uint64_t at = (base + i * UPF_WORD - before->base) / UPF_WORD;

		if (columns->bad || skip > n - i)
			return -EBADMSG;
		if (skip) {
			if (base + i * UPF_WORD < before->base || at > before->nwords || skip > before->nwords - at)
				return -EBADMSG;
			memcpy(c->fresh + i, before->words + at, skip * sizeof(*c->fresh));
			i += (uint32_t)skip;
		}
		if (i < n) {
			if (!old_word(before, base + i * UPF_WORD, &old) && i && !c->v1)
				old = c->fresh[i - 1];
			c->fresh[i++] = old + (uint64_t)column_difference(columns, COLUMN_COPY_WORD);
		}
		if (columns->bad)
			return -EBADMSG;
	}
	return 0;
}

int copies_get_regs(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu, uint32_t nregs)
{
	struct copy *copy;
	int rc;

	if (nregs == 0)
		nregs = column_byte(columns, COLUMN_REGS);
	if (nregs > UPF_REGS_MAX || upf_regs_sp(nregs) < 0)
		return -EBADMSG;
	rc = find_copy(c, vcpu_key(domain, vcpu), &copy);
	if (rc != 0)
		return rc;
	copy->changed |= copy->nregs != nregs;
	copy->nregs = nregs;
	for (unsigned r = 0; r < nregs; r++) {
		uint64_t d = (uint64_t)column_register(columns, r);

		copy->regs[r] += d;
		copy->changed |= d != 0;
	}
	return columns->bad ? -EBADMSG : 0;
}

static void swap_words(struct copies *c, struct copy *copy)
{
	uint64_t *words = copy->words;
	size_t room = copy->room;

	copy->words = c->fresh;
	copy->room = c->fresh_room;
	c->fresh = words;
	c->fresh_room = room;
}

/* The words read become the copy's. What had to have room for a larger one is not given to a small one. */
static int take_words(struct copies *c, struct copy *copy, uint64_t base, uint32_t n)
{
	const size_t before = copy->room;
	int rc = 0;

	if (c->fresh_room / 2 <= n)
		swap_words(c, copy);
	else if (n) {
		rc = array_room(&copy->words, &copy->room, n - 1, sizeof(*copy->words));
		if (rc == 0)
			memcpy(copy->words, c->fresh, n * sizeof(*c->fresh));
	}
	c->kept += copy->room - before;
	copy->base = base;
	copy->nwords = rc == 0 ? n : 0;
	return rc;
}

int copies_get(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu)
{
	uint64_t n = column_number(columns, COLUMN_COPY), base;
	struct copy *copy;
	int rc;

	if (columns->bad || n > UPF_COPY_MAX)
		return -EBADMSG;
	rc = find_copy(c, vcpu_key(domain, vcpu), &copy);
	if (rc == 0 && n)
		rc = array_room(&c->fresh, &c->fresh_room, n - 1, sizeof(*c->fresh));
	if (rc != 0)
		return rc;
	base = copy_base(copy->regs, copy->nregs);
	rc = get_copy_words(c, columns, copy, base, (uint32_t)n);
	if (rc != 0)
		return rc;
	if (copy->changed || copy->number == 0 || n != copy->nwords ||
	    (n && memcmp(copy->words, c->fresh, n * sizeof(*c->fresh)) != 0))
		copy->number = ++c->numbers;
	copy->changed = false;
	return take_words(c, copy, base, (uint32_t)n);
}

void copies_tell(const struct copies *c, uint32_t domain, uint32_t vcpu, struct upf_record *r)
{
	uint32_t key = vcpu_key(domain, vcpu);
	const struct copy *copy = c->used ? known_copy(c, key, hash_table_hash(&c->by_key, key, 0)) : NULL;

	if (!copy)
		return;
	r->regs = copy->regs;
	r->nregs = copy->nregs;
	if (r->tops != UPF_TOPS_COPY)
		return;
	r->top = copy->number;
	r->sp = copy->regs[upf_regs_sp(copy->nregs)];
	r->fp = copy->regs[upf_regs_fp(copy->nregs)];
	r->words = copy->words;
	r->nwords = copy->nwords;
}
