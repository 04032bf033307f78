/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/memory/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest/space.h"
#include "kvmif/memory/maps.h"

#define PAGES_MAX 1024 /* of the guest, at a time */
#define LINES_MAX 512  /* that one candidate's check reads */
#define STEPS 16       /* pages found one after the other on the way to a word */
#define STACK_WORDS 512
#define AGREED_MAX 8 /* slots that candidates can agree on */

struct search {
	pid_t pid;
	struct pages *pages;
	struct capture *capture;
	struct mapping mappings[MAPPINGS_MAX];
	size_t nmappings;
	/* Sequences of mappings, which are many, are tried only where none of those with one or two passes. */
	struct candidate all[CANDIDATES_MAX + SEQUENCES_MAX];
	bool out[CANDIDATES_MAX + SEQUENCES_MAX];
	size_t few, total; /* where the sequences begin, and end */
	size_t first, n;   /* those that are looked at now: either kind */
	bool is_trying;
};

static void start_search(struct search *s, const struct mapping *mappings, size_t n)
{
	memset(s->mappings, 0, sizeof(s->mappings));
	memcpy(s->mappings, mappings, n * sizeof(*mappings));
	memset(s->out, 0, sizeof(s->out));
	s->nmappings = n;
	s->first = 0;
	s->n = s->few = maps_candidates(mappings, n, s->all);
	s->total = s->few + maps_sequences(mappings, n, s->all + s->few);
}

struct search *search_new(const struct memory_ops *ops, struct guest *g, pid_t pid)
{
	struct search *s = calloc(1, sizeof(*s));
	struct mapping mappings[MAPPINGS_MAX];
	int n;

	if (!s)
		return NULL;
	s->pid = pid;
	n = maps_of(pid, mappings);
	if (n > 0) {
		start_search(s, mappings, (size_t)n);
		s->pages = pages_new(ops, g, PAGES_MAX);
		s->capture = s->pages ? capture_new(s->pages, LINES_MAX) : NULL;
		n = s->capture ? n : -ENOMEM;
	}
	if (n > 0)
		return s;
	search_free(s);
	errno = n < 0 ? -n : ENOENT;
	return NULL;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	capture_free(s->capture);
	pages_free(s->pages);
	free(s);
}

bool search_has_changed(struct search *s)
{
	struct mapping mappings[MAPPINGS_MAX];
	int n = maps_of(s->pid, mappings);

	if (n <= 0 || ((size_t)n == s->nmappings && memcmp(mappings, s->mappings, (size_t)n * sizeof(*mappings)) == 0))
		return false;
	start_search(s, mappings, (size_t)n);
	return true;
}

/* --- a candidate's check ----------------------------------------------------------------------------------------- */

/* The aligned word at or below @address. */
static int read_guest_word(struct space *space, uint64_t address, uint64_t *word)
{
	int rc = -EAGAIN;

	address &= ~(uint64_t)(space->arch->word - 1);
	for (int i = 0; rc == -EAGAIN && i < STEPS; i++) {
		rc = space->arch->canonical(address) ? space_read(space, address, word) : -EFAULT;
		if (rc == -EAGAIN && capture_extend(space->capture) <= 0)
			rc = -EFAULT;
	}
	return rc;
}

static bool follows_call(struct space *space, uint64_t address)
{
	const uint32_t word = space->arch->word;
	uint8_t code[2 * ARCH_CALL_BYTES];
	uint64_t first = address - ARCH_CALL_BYTES, value;

	if (address < GUEST_PAGE_SIZE)
		return false;
	for (uint32_t i = 0; i <= ARCH_CALL_BYTES; i += word) {
		if (read_guest_word(space, first + i, &value) != 0)
			return false;
		memcpy(code + i, &value, word);
	}
	return space->arch->ends_call(code + first % word);
}

/* Of @regs in the memory that the layout has now. @paged: page tables were read. */
static bool passes(struct search *s, const struct vcpu_regs *regs, bool *paged)
{
	struct space space = space_of(regs, s->capture);
	uint64_t word;

	/* All that was read is of another candidate's memory. */
	pages_drop(s->pages);
	capture_clear(s->capture);
	capture_set_live(s->capture, true);
	if (read_guest_word(&space, regs->ip, &word) != 0)
		return false;
	/* Without paging the instruction's line is the only one. */
	*paged |= capture_lines(s->capture) > 1;
	for (uint32_t i = 0; i < STACK_WORDS; i++) {
		if (read_guest_word(&space, regs->sp + i * regs->arch->word, &word) != 0)
			return false;
		if (follows_call(&space, word))
			return true;
	}
	return false;
}

/* Rules out those among the candidates from @first to @n that do not pass, if one does. */
static bool narrow_candidates(struct search *s, struct layout *l, const struct vcpu_regs *regs, size_t first, size_t n)
{
	const struct layout was = *l;
	bool pass[CANDIDATES_MAX + SEQUENCES_MAX], any = false, paged = false;

	for (size_t i = first; i < n; i++) {
		l->slots = s->all[i].slots;
		l->nslots = s->all[i].nslots;
		pass[i] = !s->out[i] && passes(s, regs, &paged);
		any |= pass[i];
	}
	*l = was;
	if (!any || !paged)
		return false;
	for (size_t i = first; i < n; i++)
		s->out[i] = !pass[i];
	s->first = first;
	s->n = n;
	return true;
}

bool search_narrow(struct search *s, struct layout *l, const struct vcpu_regs *regs)
{
	bool told;

	if (!regs->valid || !regs->arch->translate || !regs->arch->ends_call)
		return false;
	s->is_trying = true;
	told = narrow_candidates(s, l, regs, s->first, s->n) ||
	       (s->first < s->few && narrow_candidates(s, l, regs, s->few, s->total));
	s->is_trying = false;
	pages_drop(s->pages);
	return told;
}

bool search_is_trying(const struct search *s)
{
	return s->is_trying;
}

/* --- what is left ------------------------------------------------------------------------------------------------ */

/* Those parts of the @na slots @a and the @nb slots @b that are in the same place. How many, in @to. */
static size_t agree(const struct memory_slot *a, size_t na, const struct memory_slot *b, size_t nb,
                    struct memory_slot *to)
{
	size_t n = 0;

	for (size_t i = 0; i < na; i++) {
		for (size_t j = 0; j < nb && n < AGREED_MAX; j++) {
			uint64_t from = a[i].address > b[j].address ? a[i].address : b[j].address;
			uint64_t end_a = a[i].address + a[i].size, end_b = b[j].address + b[j].size;
			uint64_t end = end_a < end_b ? end_a : end_b, host = a[i].host_address - a[i].address + from;

			if (from < end && host == b[j].host_address - b[j].address + from)
				to[n++] = (struct memory_slot){from, end - from, host};
		}
	}
	return n;
}

/* What all candidates that are left agree on: how many slots, in @slots. */
static size_t agreed(const struct search *s, struct memory_slot slots[AGREED_MAX])
{
	struct memory_slot last[AGREED_MAX];
	bool first = true;
	size_t n = 0;

	for (size_t i = s->first; i < s->n; i++) {
		const struct candidate *c = &s->all[i];

		if (s->out[i])
			continue;
		memcpy(last, slots, n * sizeof(*last));
		n = first ? agree(c->slots, c->nslots, c->slots, c->nslots, slots)
		          : agree(last, n, c->slots, c->nslots, slots);
		first = false;
	}
	return n;
}

bool search_is_settled(const struct search *s)
{
	struct memory_slot slots[AGREED_MAX];
	size_t n = agreed(s, slots);
	bool whole = n > 0;

	for (size_t i = s->first; i < s->n; i++)
		if (!s->out[i])
			whole &= n == s->all[i].nslots && memcmp(slots, s->all[i].slots, n * sizeof(*slots)) == 0;
	return whole;
}

int search_layout(const struct search *s, struct layout *l)
{
	struct memory_slot slots[AGREED_MAX];
	size_t n = agreed(s, slots);

	return n ? layout_set_slots(l, slots, n) : -ENOSYS;
}
