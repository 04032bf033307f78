/* SPDX-License-Identifier: BSD-2-Clause */
/* fde.c - formats: DWARF 4, 6.4.1; .eh_frame: Linux Standard Base Core 5.0, 10.6. */
#include "report/unwind/fde.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>

#define FDES_MAX (1u << 24)
#define CIE_MAX 1024  /* bytes; compilers' have less than 100. It may be read again for each FDE */
#define FDE_MAX 65536 /* bytes; compilers' have some thousands. It is read for each address */

enum {
	ENC_ABS = 0x00,
	ENC_ULEB = 0x01,
	ENC_U2 = 0x02,
	ENC_U4 = 0x03,
	ENC_U8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_S2 = 0x0a,
	ENC_S4 = 0x0b,
	ENC_S8 = 0x0c,
	ENC_PCREL = 0x10
};

/* One entry, CIE or FDE, as its first words tell. */
struct entry {
	struct cursor body; /* behind the identifier */
	size_t at, end;     /* in the section */
	bool is_cie;
	uint64_t cie; /* FDE: offset of its CIE */
};

struct cie {
	uint8_t encoding; /* of addresses in its FDEs */
	bool sized;       /* FDEs have augmentation data, with its length before it */
	bool interrupted; /* of a signal's or an interrupt's frame */
	uint64_t code_align;
	int64_t data_align;
	struct cursor instructions;
};

static struct image_section frame_section(const struct fde_index *x, bool debug)
{
	return debug ? x->debug : x->eh;
}

/*
 * The entry at offset @at. False: it reaches beyond the section's end, or is the terminator. 64-bit DWARF is skipped.
 */
static bool get_entry(const struct image_section *s, bool debug, uint64_t at, struct entry *e)
{
	struct cursor c;
	uint32_t length, id;

	if (at >= s->size)
		return false;
	c = cursor_of(s->data + at, s->size - at);
	length = get_u32(&c);
	if (c.bad || length < 4 || length >= 0xfffffff0 || length > cursor_left(&c))
		return false;
	*e = (struct entry){.at = at, .end = at + 4 + length};
	c.end = c.at + length;
	id = get_u32(&c);
	e->is_cie = id == (debug ? UINT32_MAX : 0);
	e->cie = debug ? id : at + 4 - id;
	e->body = c;
	return true;
}

/* The bytes of an address, of a machine whose words have @word bytes; 0: its length varies, or is not known. */
static unsigned pointer_size(uint8_t encoding, uint8_t word)
{
	static const uint8_t sizes[16] = {
		[ENC_U2] = 2, [ENC_U4] = 4, [ENC_U8] = 8, [ENC_S2] = 2, [ENC_S4] = 4, [ENC_S8] = 8};

	return (encoding & 0x0f) == ENC_ABS ? word : sizes[encoding & 0x0f];
}

/* Skips the address of a personality routine. */
static void pass_personality(struct cursor *data, uint8_t word)
{
	unsigned size = pointer_size(get_u8(data), word);

	if (size == 0 || !get_bytes(data, size))
		data->bad = true;
}

/* "zPLR" and the like: R and S are what matters. B: AArch64's return addresses are signed with its second key. */
static bool get_augmentation(struct cie *cie, struct cursor *c, const char *letters, uint8_t word)
{
	uint64_t size = get_varint(c);
	const uint8_t *bytes = get_bytes(c, size);
	struct cursor data;

	if (!bytes || *letters++ != 'z')
		return false;
	data = cursor_of(bytes, size);
	cie->sized = true;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'P':
			pass_personality(&data, word);
			break;
		case 'L':
			get_u8(&data);
			break;
		case 'R':
			cie->encoding = get_u8(&data);
			break;
		case 'S':
			cie->interrupted = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

static unsigned return_column(const struct isa *isa)
{
	return isa->link == ISA_NONE ? isa->ip : isa->link;
}

static bool get_cie(const struct fde_index *x, bool debug, uint64_t at, struct cie *cie)
{
	const struct image_section s = frame_section(x, debug);
	const uint8_t *letters;
	struct entry e;
	uint8_t version;
	uint64_t column;
	size_t len;

	if (!get_entry(&s, debug, at, &e) || !e.is_cie || cursor_left(&e.body) > CIE_MAX)
		return false;
	version = get_u8(&e.body);
	if (version != 1 && version != 3 && !(debug && version == 4))
		return false;
	letters = e.body.at;
	len = strnlen((const char *)letters, cursor_left(&e.body));
	if (!get_bytes(&e.body, len + 1))
		return false;
	if (version == 4 && (get_u8(&e.body) != x->isa->word || get_u8(&e.body) != 0))
		return false;
	*cie = (struct cie){.encoding = ENC_ABS};
	cie->code_align = get_varint(&e.body);
	cie->data_align = get_sleb(&e.body);
	column = version == 1 ? get_u8(&e.body) : get_varint(&e.body);
	if (len && !get_augmentation(cie, &e.body, (const char *)letters, x->isa->word))
		return false;
	cie->instructions = e.body;
	return !e.body.bad && column == return_column(x->isa);
}

/* Decodes a pointer that is at address @here, of a machine whose words have @word bytes. */
static uint64_t get_pointer(struct cursor *c, uint8_t encoding, uint64_t here, uint8_t word)
{
	bool relative = (encoding & 0x70) == ENC_PCREL;
	unsigned size = pointer_size(encoding, word);
	uint64_t v = 0;

	if ((encoding & 0x70) != ENC_PCREL && (encoding & 0x70) != 0)
		c->bad = true;
	if ((encoding & 0x0f) == ENC_ULEB)
		v = get_varint(c);
	else if ((encoding & 0x0f) == ENC_SLEB)
		v = (uint64_t)get_sleb(c);
	else if (size)
		v = get_integer(c, size, encoding & 8);
	else
		c->bad = true;
	v += relative ? here : 0;
	return word == 8 ? v : (uint32_t)v;
}

/* The addresses that FDE @e covers; @e->body is then after them. */
static bool get_range(const struct fde_index *x, struct entry *e, const struct cie *cie, struct fde *fde)
{
	const struct image_section s = frame_section(x, fde->debug);
	uint64_t here = s.address + (uint64_t)(e->body.at - s.data), size;

	if (cie->encoding & 0x80) /* indirect, or left out */
		return false;
	fde->start = get_pointer(&e->body, cie->encoding, here, x->isa->word);
	size = get_pointer(&e->body, cie->encoding & 0x0f, 0, x->isa->word);
	fde->end = fde->start + size;
	return !e->body.bad && size != 0 && fde->end > fde->start;
}

/* In an image that was moved, absolute addresses are still as linked. */
static bool move_absolute(const struct fde_index *x, const struct cie *cie, struct fde *fde)
{
	if (x->bias == 0 || (cie->encoding & 0x70) == ENC_PCREL)
		return true;
	fde->start += x->bias;
	fde->end += x->bias;
	return fde->start < fde->end;
}

static int index_section(struct fde_index *x, bool debug)
{
	const struct image_section s = frame_section(x, debug);
	uint64_t last_cie = UINT64_MAX;
	struct cie cie = {0};
	bool usable = false;
	struct entry e;
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && get_entry(&s, debug, at, &e); at = e.end) {
		struct fde fde = {.at = at, .debug = debug};

		if (e.is_cie)
			continue;
		if (e.cie != last_cie)
			usable = get_cie(x, debug, e.cie, &cie);
		last_cie = e.cie;
		if (usable && cursor_left(&e.body) <= FDE_MAX && get_range(x, &e, &cie, &fde) &&
		    move_absolute(x, &cie, &fde))
			rc = x->n < FDES_MAX ? array_add(x->fdes, x->cap, x->n, fde) : -ENOMEM;
		else
			x->passed_over++;
	}
	return rc;
}

static int compare_fdes(const void *va, const void *vb)
{
	const struct fde *a = va, *b = vb;

	if (a->start != b->start)
		return array_compare(a->start, b->start);
	if (a->debug != b->debug)
		return array_compare(a->debug, b->debug);
	return array_compare(a->at, b->at);
}

/* Of those with one start, what is no longer than one before it is never found. The others' ends ascend. */
static void drop_covered(struct fde_index *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct fde *last = kept ? &x->fdes[kept - 1] : NULL;

		if (!last || last->start != x->fdes[i].start || last->end < x->fdes[i].end)
			x->fdes[kept++] = x->fdes[i];
	}
	x->n = kept;
}

int fde_index(struct fde_index *x, struct image *image)
{
	int rc = 0;

	*x = (struct fde_index){.isa = image_isa(image), .bias = image_bias(image)};
	if (image_section(image, ".eh_frame", &x->eh))
		rc = index_section(x, false);
	if (rc == 0 && image_section(image, ".debug_frame", &x->debug))
		rc = index_section(x, true);
	if (rc != 0) {
		fde_free(x);
		return rc;
	}
	array_sort(x->fdes, x->n, sizeof(*x->fdes), compare_fdes);
	drop_covered(x);
	return 0;
}

void fde_free(struct fde_index *x)
{
	free(x->fdes);
	*x = (struct fde_index){0};
}

/* The number of those that start before @address. */
static size_t count_before(const struct fde_index *x, uint64_t address)
{
	size_t low;

	ARRAY_SEARCH(low, x->n, x->fdes[low].start < address);
	return low;
}

/* If .eh_frame and .debug_frame both cover an address, .eh_frame counts. */
const struct fde *fde_find(const struct fde_index *x, uint64_t address)
{
	size_t end = address < UINT64_MAX ? count_before(x, address + 1) : x->n, first, i;

	if (end == 0)
		return NULL;
	first = count_before(x, x->fdes[end - 1].start);
	ARRAY_SEARCH(i, end - first, x->fdes[first + i].end <= address);
	return first + i < end ? &x->fdes[first + i] : NULL;
}

int fde_program(const struct fde_index *x, const struct fde *fde, struct fde_program *p)
{
	const struct image_section s = frame_section(x, fde->debug);
	struct fde again = *fde;
	struct entry e;
	struct cie cie;

	if (!get_entry(&s, fde->debug, fde->at, &e) || !get_cie(x, fde->debug, e.cie, &cie) ||
	    !get_range(x, &e, &cie, &again) || (cie.sized && !get_bytes(&e.body, get_varint(&e.body))) || e.body.bad)
		return -EBADMSG;
	*p = (struct fde_program){.column = return_column(x->isa),
	                          .common = cie.instructions,
	                          .own = e.body,
	                          .code_align = cie.code_align,
	                          .data_align = cie.data_align,
	                          .interrupted = cie.interrupted};
	return 0;
}
