/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define FRAMES_MAX 128u /* of the guest that a list touches, a power of two */
#define BUCKETS (2 * FRAMES_MAX)
#define LINES_PER_FRAME (GUEST_PAGE_SIZE / CAPTURE_LINE)

/* A frame with lines on the list. Bit n of the sets is line n. */
struct captured {
	uint64_t frame;
	const uint8_t *page; /* NULL: refused */
	uint64_t listed, used, used_before;
	uint32_t first; /* index of its first line's copy; the others follow in order */
};

struct noted {
	uint64_t frame;
	uint32_t line;
};

struct capture {
	struct pages *pages;
	uint64_t generation; /* of the mapped pages that the list points into */
	struct captured frames[FRAMES_MAX];
	uint16_t buckets[BUCKETS]; /* number of a frame + 1, 0: empty */
	size_t nframes;
	struct iovec *runs; /* lines next to each other in one frame; so are their copies */
	size_t nruns, lines, lines_max;
	uint8_t *copies;
	struct noted *noted; /* as many as there can be lines on the list */
	size_t nnoted;
	unsigned walks; /* in this epoch */
	bool fresh;     /* the copies are of the list as it is */
	bool live;
	struct captured *last; /* found last */
};

struct capture *capture_new(struct pages *pages, size_t lines)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->pages = pages;
	c->lines_max = lines;
	c->runs = calloc(lines, sizeof(*c->runs));
	c->noted = calloc(lines, sizeof(*c->noted));
	c->copies = aligned_alloc(CAPTURE_LINE, lines * CAPTURE_LINE);
	if (!c->runs || !c->noted || !c->copies) {
		capture_free(c);
		errno = ENOMEM;
		return NULL;
	}
	return c;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	free(c->runs);
	free(c->noted);
	free(c->copies);
	free(c);
}

/* --- the list ---------------------------------------------------------------------------------------------------- */

static uint16_t *frame_bucket(struct capture *c, uint64_t frame)
{
	size_t i = (frame * 0x9e3779b97f4a7c15ull) >> 40 & (BUCKETS - 1);

	while (c->buckets[i] && c->frames[c->buckets[i] - 1].frame != frame)
		i = (i + 1) & (BUCKETS - 1);
	return &c->buckets[i];
}

static struct captured *find_frame(struct capture *c, uint64_t frame)
{
	uint16_t at;

	if (c->last && c->last->frame == frame)
		return c->last;
	at = *frame_bucket(c, frame);
	return at ? c->last = &c->frames[at - 1] : NULL;
}

void capture_clear(struct capture *c)
{
	c->generation = pages_generation(c->pages);
	memset(c->buckets, 0, sizeof(c->buckets));
	c->nframes = c->nruns = c->lines = 0;
	c->fresh = false;
	c->last = NULL;
}

/* Puts the runs and the copies' places in order of the frames' lines. */
static void lay_out_copies(struct capture *c)
{
	c->nruns = c->lines = 0;
	for (size_t i = 0; i < c->nframes; i++) {
		struct captured *f = &c->frames[i];
		uint64_t left = f->page ? f->listed : 0;

		f->first = (uint32_t)c->lines;
		while (left) {
			unsigned line = (unsigned)__builtin_ctzll(left);
			uint64_t gap = ~(left >> line);
			unsigned n = gap ? (unsigned)__builtin_ctzll(gap) : LINES_PER_FRAME;

			c->runs[c->nruns++] =
				(struct iovec){.iov_base = (void *)(uintptr_t)(f->page + line * CAPTURE_LINE),
			                       .iov_len = n * CAPTURE_LINE};
			c->lines += n;
			left = n + line < LINES_PER_FRAME ? left >> (line + n) << (line + n) : 0;
		}
	}
	c->fresh = false;
}

static size_t lines_listed(const struct capture *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nframes; i++)
		n += (size_t)__builtin_popcountll(c->frames[i].listed);
	return n;
}

/* Keeps only the frames and lines that recent walks used. */
static void drop_unused(struct capture *c)
{
	size_t n = c->nframes;

	memset(c->buckets, 0, sizeof(c->buckets));
	c->nframes = 0;
	c->last = NULL;
	for (size_t i = 0; i < n; i++) {
		struct captured f = c->frames[i];

		f.listed = f.used | f.used_before;
		if (!f.listed)
			continue;
		*frame_bucket(c, f.frame) = (uint16_t)(c->nframes + 1);
		c->frames[c->nframes++] = f;
	}
	lay_out_copies(c);
}

void capture_age(struct capture *c)
{
	if (++c->walks < CAPTURE_EPOCH)
		return;
	c->walks = 0;
	drop_unused(c);
	for (size_t i = 0; i < c->nframes; i++) {
		c->frames[i].used_before = c->frames[i].used;
		c->frames[i].used = 0;
	}
}

static struct captured *add_frame(struct capture *c, uint64_t frame)
{
	struct captured *f = find_frame(c, frame);
	const void *page;
	int rc;

	if (f)
		return f;
	rc = pages_find(c->pages, frame, &page);
	if (rc == -EAGAIN || c->nframes == FRAMES_MAX)
		return NULL;
	f = &c->frames[c->nframes++];
	*f = (struct captured){.frame = frame, .page = rc == 0 ? page : NULL};
	*frame_bucket(c, frame) = (uint16_t)c->nframes;
	return f;
}

/* Lines of a frame are mostly noted one after the other. Frames that are not are counted more than once. */
static size_t frames_noted(const struct capture *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nnoted; i++)
		n += i == 0 || c->noted[i].frame != c->noted[i - 1].frame;
	return n;
}

/* Makes room where the list has become too long: first by what was not used lately, then altogether. */
static void shorten_list(struct capture *c)
{
	size_t frames = frames_noted(c);
	bool full = c->nframes + frames > FRAMES_MAX || lines_listed(c) + c->nnoted > c->lines_max;

	if (!full)
		return;
	for (size_t i = 0; i < c->nframes; i++)
		c->frames[i].used_before = 0;
	drop_unused(c);
	if (c->nframes + frames > FRAMES_MAX || c->lines + c->nnoted > c->lines_max)
		capture_clear(c);
}

void capture_expect(struct capture *c, uint64_t frame)
{
	const void *page;

	pages_find(c->pages, frame, &page);
}

void capture_request(struct capture *c)
{
	for (size_t i = 0; i < c->nnoted; i++)
		capture_expect(c, c->noted[i].frame);
}

int capture_extend(struct capture *c)
{
	size_t n = c->nnoted;
	int added = 0, rc;

	if (n == 0)
		return 0;
	capture_request(c);
	c->nnoted = 0;
	rc = pages_fill(c->pages);
	if (rc < 0)
		return rc;
	if (c->generation != pages_generation(c->pages))
		capture_clear(c);
	c->nnoted = n;
	shorten_list(c);
	c->nnoted = 0;
	for (size_t i = 0; i < n; i++) {
		struct captured *f = c->lines + i < c->lines_max ? add_frame(c, c->noted[i].frame) : NULL;
		uint64_t bit = 1ull << c->noted[i].line;

		if (!f)
			continue;
		added += !(f->listed & bit);
		f->listed |= bit;
		f->used |= bit;
	}
	lay_out_copies(c);
	return added;
}

size_t capture_lines(const struct capture *c)
{
	return c->lines;
}

/* --- copying ----------------------------------------------------------------------------------------------------- */

void capture_copy(struct capture *c)
{
	const struct iovec *run = c->runs, *end = run + c->nruns;
	uint8_t *to = c->copies;

	if (c->generation != pages_generation(c->pages))
		return;
	for (; run < end; run++) {
		const uint8_t *from = run->iov_base, *last = from + run->iov_len;

		for (; from < last; from += CAPTURE_LINE, to += CAPTURE_LINE)
			memcpy(to, from, CAPTURE_LINE);
	}
	c->fresh = true;
}

/* --- many captures by one call ------------------------------------------------------------------------------------ */

struct capture_batch {
	struct pages *pages;
	struct capture **captures;
	struct iovec *to, *from; /* one, and many, for each capture */
	size_t n, nfrom;
};

struct capture_batch *capture_batch_new(struct pages *pages, size_t captures, size_t lines)
{
	struct capture_batch *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->pages = pages;
	b->captures = calloc(captures, sizeof(struct capture *));
	b->to = calloc(captures, sizeof(*b->to));
	b->from = calloc(captures * lines, sizeof(*b->from));
	if (b->captures && b->to && b->from)
		return b;
	capture_batch_free(b);
	errno = ENOMEM;
	return NULL;
}

void capture_batch_free(struct capture_batch *b)
{
	if (!b)
		return;
	free(b->captures);
	free(b->to);
	free(b->from);
	free(b);
}

void capture_batch_clear(struct capture_batch *b)
{
	b->n = b->nfrom = 0;
}

void capture_batch_add(struct capture_batch *b, uint32_t vcpu, struct capture *c)
{
	c->fresh = false;
	if (c->nruns == 0 || c->generation != pages_generation(c->pages))
		return;
	memcpy(&b->from[b->nfrom], c->runs, c->nruns * sizeof(*c->runs));
	b->to[b->n] = (struct iovec){.iov_base = c->copies, .iov_len = c->lines * CAPTURE_LINE};
	pages_plan(b->pages, vcpu, &b->to[b->n], &b->from[b->nfrom], c->nruns);
	b->nfrom += c->nruns;
	b->captures[b->n++] = c;
}

int capture_batch_copy(struct capture_batch *b)
{
	int rc = b->n ? pages_copy(b->pages, b->to, b->n, b->from, b->nfrom) : 0;

	for (size_t i = 0; rc == 0 && i < b->n; i++)
		b->captures[i]->fresh = true;
	return rc;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

void capture_set_live(struct capture *c, bool live)
{
	c->live = live;
}

/* A line noted twice does no harm; but a walk mostly reads a line's words one after the other. */
static void note_line(struct capture *c, uint64_t frame, uint32_t line)
{
	const struct noted *newest = c->nnoted ? &c->noted[c->nnoted - 1] : NULL;

	if (newest && newest->frame == frame && newest->line == line)
		return;
	if (c->nnoted < c->lines_max)
		c->noted[c->nnoted++] = (struct noted){frame, line};
}

/* The line's bytes; NULL: there is no copy. */
static const uint8_t *line_of(struct capture *c, struct captured *f, uint32_t line)
{
	uint64_t bit = 1ull << line;

	if (!f || !(f->listed & bit) || !c->fresh)
		return NULL;
	f->used |= bit;
	return c->copies + (f->first + (uint32_t)__builtin_popcountll(f->listed & (bit - 1))) * CAPTURE_LINE;
}

int capture_read(struct capture *c, uint64_t frame, uint32_t offset, void *to, uint32_t size)
{
	uint32_t line = offset / CAPTURE_LINE;
	const uint8_t *from;
	struct captured *f;
	const void *page;
	int rc;

	if (c->generation != pages_generation(c->pages))
		capture_clear(c);
	f = find_frame(c, frame);
	if (f && !f->page)
		return -EIO;
	from = c->live && !pages_remote(c->pages) ? NULL : line_of(c, f, line);
	if (from) {
		memcpy(to, from + offset % CAPTURE_LINE, size);
		return 0;
	}
	capture_want(c, frame, offset);
	if (!c->live)
		return -EAGAIN;
	rc = pages_find(c->pages, frame, &page);
	return rc == 0 ? pages_read(c->pages, page, offset, to, size) : rc;
}

void capture_want(struct capture *c, uint64_t frame, uint32_t offset)
{
	uint32_t line = offset / CAPTURE_LINE;
	struct captured *f = find_frame(c, frame);

	if (f && (f->listed >> line & 1))
		f->used |= 1ull << line;
	else
		note_line(c, frame, line);
}
