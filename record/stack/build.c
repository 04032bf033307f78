/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/build.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest/arch.h"
#include "guest/capture.h"
#include "guest/pages.h"
#include "common/clock.h"

#define PIECE GUEST_MAP_MAX /* pages that are read at a time; pieces overlap by a page, as notes may */
#define STEP ((PIECE - 1) * (uint64_t)GUEST_PAGE_SIZE)
#define FAR 64u         /* pieces below a kernel's entry, and half as many more above: its notes are last */
#define NEAR 32u        /* pieces on each side of what lies in the lower half of the addresses */
#define GAP 9u          /* pieces in which nothing is mapped: Linux leaves less than 2 MiB out */
#define SEARCHES_MAX 8u /* of one guest, each at another place */
#define MAPS_MAX 64u    /* calls that map, for a piece: a guest's page tables may be anywhere */
#define PAGES_MAX 512u  /* that stay mapped during a search */
#define LINES 64u       /* nothing is captured: only what is missing is listed */
#define SAME_PLACE (8u << 20)
#define NAME "GNU" /* with its NUL */

/* What one call needs. */
struct search {
	struct build *b;
	const struct vcpu_regs *regs;
	struct pages *pages;
	struct capture *tables;
	unsigned maps; /* for this piece */
	bool there[PIECE];
	uint8_t bytes[PIECE * GUEST_PAGE_SIZE]; /* the guest's as they were: it may change its own at any time */
	uint8_t head[2 * GUEST_PAGE_SIZE];      /* before a note, and its page */
};

/* --- the guest's memory ------------------------------------------------------------------------------------------ */

static bool frame_at(struct search *s, uint64_t address, uint64_t *frame)
{
	const struct arch *arch = s->regs->arch;
	int rc;

	/* Not around the end of the address space. */
	if ((address ^ s->b->near) >> 63 || !arch->canonical(address))
		return false;
	while ((rc = arch->translate(s->tables, &s->regs->root, address, frame)) == -EAGAIN)
		if (s->maps++ >= MAPS_MAX || capture_extend(s->tables) < 0)
			break;
	return rc == 0;
}

/* The pages of these frames, as far as they can be mapped; the others become NULL. */
static void map_frames(struct search *s, const uint64_t *frames, const bool *wanted, size_t n, const void **pages)
{
	bool missing = true;

	/* Again: what is new may have thrown out what was there. */
	for (int i = 0; i < 3 && missing; i++) {
		missing = false;
		for (size_t k = 0; k < n; k++) {
			pages[k] = NULL;
			missing |= wanted[k] && pages_find(s->pages, frames[k], &pages[k]) == -EAGAIN;
		}
		missing &= s->maps++ < MAPS_MAX && pages_fill(s->pages) >= 0;
	}
}

static bool copy_bytes(struct search *s, const void *const *pages, size_t n, uint8_t *bytes)
{
	struct iovec to[PIECE], from[PIECE];
	size_t many = 0;

	for (size_t k = 0; k < n; k++) {
		if (!pages[k])
			continue;
		to[many] = (struct iovec){bytes + k * GUEST_PAGE_SIZE, GUEST_PAGE_SIZE};
		from[many++] = (struct iovec){(void *)(uintptr_t)pages[k], GUEST_PAGE_SIZE};
	}
	if (pages_remote(s->pages))
		return many == 0 || pages_copy(s->pages, to, many, from, many) == 0;
	for (size_t k = 0; k < many; k++)
		memcpy(to[k].iov_base, from[k].iov_base, GUEST_PAGE_SIZE);
	return true;
}

/* Reads @n pages from @address, zeros where there is none. How many there are. */
static size_t read_pages(struct search *s, uint64_t address, size_t n, uint8_t *bytes, bool *there)
{
	const void *pages[PIECE];
	uint64_t frames[PIECE];
	size_t found = 0;

	memset(bytes, 0, n * GUEST_PAGE_SIZE);
	for (size_t k = 0; k < n; k++)
		there[k] = frame_at(s, address + k * GUEST_PAGE_SIZE, &frames[k]);
	map_frames(s, frames, there, n, pages);
	if (!copy_bytes(s, pages, n, bytes))
		memset(pages, 0, sizeof(pages));
	for (size_t k = 0; k < n; k++) {
		there[k] = pages[k] != NULL;
		found += there[k];
	}
	return found;
}

/* --- whose note it is -------------------------------------------------------------------------------------------- */

struct segment {
	uint32_t type, flags;
	uint64_t offset, address, size;
};

/* The ELF header and segments of what begins at @at; false: it has none within @left bytes. */
struct headers {
	const uint8_t *at;
	size_t left, entry, n;
	uint64_t table;
	bool wide;
};

static bool open_headers(struct headers *h, const uint8_t *at, size_t left)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	*h = (struct headers){.at = at, .left = left, .wide = at[EI_CLASS] == ELFCLASS64};
	memcpy(&wide, at, left < sizeof(wide) ? left : sizeof(wide));
	memcpy(&narrow, at, left < sizeof(narrow) ? left : sizeof(narrow));
	h->table = h->wide ? wide.e_phoff : narrow.e_phoff;
	h->entry = h->wide ? wide.e_phentsize : narrow.e_phentsize;
	h->n = h->wide ? wide.e_phnum : narrow.e_phnum;
	return left >= sizeof(wide) && h->entry >= (h->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

static bool read_segment(const struct headers *h, size_t i, struct segment *s)
{
	uint64_t at = h->table + i * h->entry;
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (i >= h->n || h->table > h->left || at + sizeof(wide) > h->left)
		return false;
	memcpy(&wide, h->at + at, sizeof(wide));
	memcpy(&narrow, h->at + at, sizeof(narrow));
	*s = h->wide ? (struct segment){wide.p_type, wide.p_flags, wide.p_offset, wide.p_vaddr, wide.p_memsz}
	             : (struct segment){narrow.p_type, narrow.p_flags, narrow.p_offset, narrow.p_vaddr,
	                                narrow.p_memsz};
	return true;
}

enum owner { OWNER_UNKNOWN, OWNER_CODE, OWNER_OTHER };

/* Whose is the note @distance bytes behind these headers, which lie at @address? */
static enum owner owner_by(const struct search *s, const struct headers *h, uint64_t address, uint64_t distance)
{
	bool claims = false, loaded = false, holds = false;
	struct segment p;
	uint64_t base = 0;

	for (size_t i = 0; !loaded && read_segment(h, i, &p); i++) {
		loaded = p.type == PT_LOAD && p.offset == 0;
		base = address - p.address;
	}
	for (size_t i = 0; read_segment(h, i, &p); i++) {
		claims |= p.type == PT_NOTE && distance >= p.offset && distance - p.offset < p.size;
		holds |= p.type == PT_LOAD && p.flags & PF_X && s->b->near - base - p.address < p.size;
	}
	return !claims ? OWNER_UNKNOWN : loaded && holds ? OWNER_CODE : OWNER_OTHER;
}

/*
 * Notes are near their image's headers, if these are loaded. A guest may have other images there: Linux has those of
 * its vDSO.
 */
static enum owner owner_of(struct search *s, uint64_t note)
{
	uint64_t from = (note & ~(uint64_t)(GUEST_PAGE_SIZE - 1)) - GUEST_PAGE_SIZE;
	size_t end = (size_t)(note - from), first = end - GUEST_PAGE_SIZE;
	enum owner owner = OWNER_UNKNOWN;
	struct headers h;
	bool there[2];

	read_pages(s, from, 2, s->head, there);
	for (size_t at = end; owner == OWNER_UNKNOWN && at > first + 3; at -= 4)
		if (memcmp(s->head + at - 4, ELFMAG, SELFMAG) == 0 &&
		    open_headers(&h, s->head + at - 4, sizeof(s->head) - (at - 4)))
			owner = owner_by(s, &h, from + at - 4, end - (at - 4));
	return owner;
}

/* --- notes ------------------------------------------------------------------------------------------------------- */

static void take_build_id(struct search *s, uint64_t address, const uint8_t *id, uint32_t size)
{
	enum owner owner = owner_of(s, address);
	struct build *b = s->b;
	bool same = b->candidate.size == size && memcmp(b->candidate.id, id, size) == 0;

	if (owner == OWNER_OTHER || (owner == OWNER_UNKNOWN && same))
		return;
	b->certain = owner == OWNER_CODE;
	b->ambiguous = !b->certain && (b->ambiguous || b->candidate.size);
	b->candidate.size = size;
	b->candidate.address = address;
	memcpy(b->candidate.id, id, size);
}

/* Is there a whole note of a build-id whose name is at @name of the piece? */
static bool is_note(const struct search *s, size_t name, Elf64_Nhdr *note)
{
	static const uint8_t zeros[UPF_BUILD_ID_MAX];
	size_t begin = name - sizeof(*note), id = name + sizeof(NAME);

	if (name % 4 || name < sizeof(*note))
		return false;
	memcpy(note, s->bytes + begin, sizeof(*note));
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(NAME) &&
	       note->n_descsz >= UPF_BUILD_ID_MIN && note->n_descsz <= UPF_BUILD_ID_MAX &&
	       note->n_descsz <= sizeof(s->bytes) - id && s->there[begin / GUEST_PAGE_SIZE] &&
	       s->there[(id + note->n_descsz - 1) / GUEST_PAGE_SIZE] &&
	       memcmp(s->bytes + id, zeros, note->n_descsz) != 0;
}

static void scan(struct search *s, uint64_t address)
{
	const uint8_t *at = s->bytes, *end = s->bytes + sizeof(s->bytes);
	Elf64_Nhdr note;

	while (!s->b->certain && (at = memmem(at, (size_t)(end - at), NAME, sizeof(NAME)))) {
		size_t name = (size_t)(at - s->bytes);

		at += sizeof(NAME);
		if (is_note(s, name, &note))
			take_build_id(s, address + name - sizeof(note), at, note.n_descsz);
	}
}

/* --- the search -------------------------------------------------------------------------------------------------- */

static void look_in_side(struct search *s, struct build_side *side)
{
	size_t n;

	if (side->left == 0 || s->b->certain)
		return;
	s->maps = 0;
	n = read_pages(s, side->next, PIECE, s->bytes, s->there);
	if (n > 0)
		scan(s, side->next);
	side->gap = n > 0 ? 0 : side->gap + 1;
	side->left = side->gap < GAP ? side->left - 1 : 0;
	side->next += side->step;
}

static bool is_under_way(const struct build *b)
{
	return (b->up.left || b->down.left) && !b->certain;
}

static bool is_near_address(uint64_t a, uint64_t b)
{
	return a - b + SAME_PLACE <= 2 * SAME_PLACE;
}

/* False: there is nothing to search for. */
static bool begin_search(struct build *b, const struct vcpu_regs *regs, uint64_t near)
{
	bool is_high = near >> (regs->arch->word * 8 - 1) & 1;
	uint64_t page = near & ~(uint64_t)(GUEST_PAGE_SIZE - 1);

	if (!near || b->searches == SEARCHES_MAX || (b->searches && is_near_address(near, b->near)))
		return false;
	*b = (struct build){.near = near,
	                    .searches = b->searches,
	                    .up = {page, STEP, is_high ? FAR + FAR / 2 : NEAR, 0},
	                    .down = {page - STEP, -STEP, is_high ? FAR : NEAR, 0}};
	return true;
}

/* False: nothing is mapped where it began. */
static bool search_on(struct search *s, uint64_t ns)
{
	const uint64_t since = clock_now();
	struct build *b = s->b;
	uint64_t frame;

	if (!frame_at(s, b->near, &frame))
		return false;
	do {
		look_in_side(s, &b->up);
		look_in_side(s, &b->down);
	} while (is_under_way(b) && clock_now() - since < ns);
	return true;
}

static enum build_progress conclude_search(struct build *b)
{
	b->searches++;
	b->up.left = b->down.left = 0;
	if (!b->ambiguous)
		b->note = b->candidate;
	return b->note.size ? BUILD_FOUND : BUILD_NONE;
}

static void end_search(struct search *s)
{
	if (!s)
		return;
	capture_free(s->tables);
	pages_free(s->pages);
	free(s);
}

/* What it maps is its own. NULL: no memory. */
static struct search *new_search(struct build *b, const struct pages *pages, const struct vcpu_regs *regs)
{
	struct search *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->b = b;
	s->regs = regs;
	s->pages = pages_beside(pages, PAGES_MAX);
	s->tables = s->pages ? capture_new(s->pages, LINES) : NULL;
	if (s->tables) {
		capture_set_live(s->tables, true);
		return s;
	}
	end_search(s);
	return NULL;
}

enum build_progress build_search(struct build *b, const struct pages *pages, const struct vcpu_regs *regs,
                                 uint64_t entry, uint64_t ns)
{
	const struct build before = *b;
	struct search *s;
	bool gone_on;

	if (!regs->valid || !regs->arch->translate ||
	    (!is_under_way(b) && !begin_search(b, regs,
	                                       entry        ? entry
	                                       : regs->user ? 0
	                                                    : regs->ip)))
		return BUILD_NONE;
	s = new_search(b, pages, regs);
	gone_on = s && search_on(s, ns);
	end_search(s);
	if (gone_on)
		return is_under_way(b) ? BUILD_MORE : conclude_search(b);
	*b = before;
	/* In user mode the kernel may be mapped elsewhere: another sample will tell. */
	if (is_under_way(b) && !regs->user)
		b->up.left = b->down.left = 0;
	return BUILD_NONE;
}

enum build_progress build_verify(struct build *b, const struct pages *pages, const struct vcpu_regs *regs)
{
	const uint64_t page = b->note.address & ~(uint64_t)(GUEST_PAGE_SIZE - 1);
	const size_t id = b->note.address - page + sizeof(Elf64_Nhdr) + sizeof(NAME);
	struct search *s;
	bool there[2], same;

	if (!b->note.size || (regs->valid && !regs->arch->translate))
		return BUILD_NONE;
	if (!regs->valid)
		return BUILD_MORE;
	s = new_search(b, pages, regs);
	if (!s)
		return BUILD_MORE;
	read_pages(s, page, 2, s->head, there);
	same = memcmp(s->head + id, b->note.id, b->note.size) == 0;
	end_search(s);
	return same ? BUILD_FOUND : regs->user ? BUILD_MORE : BUILD_NONE;
}
