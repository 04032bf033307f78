/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/image.h"

#include "record/stack/entry.h"

#define BUILD_LOOKS_MAX 64  /* for the guest's build-id, one a second: it may have to boot first */
#define ENTRY_LOOKS_MAX 16u /* a second, however often a guest moves it */
#define DOUBTED_MAX 3u      /* seconds without a sample in kernel mode, which would tell */
/* A guest that moves its entry for ever has its memory searched so often at first, and then once in so many seconds. */
#define RESTARTS_MAX 8u
#define RESTART_TICKS 16u

void image_tick(struct image *m, bool again)
{
	m->entry_told &= !again;
	m->build_told &= !again;
	m->entry_due = true;
	m->entry_looks = 0;
	m->restarts -= m->restarts > 0;
	m->doubted += m->doubted > 0;
}

static const struct vcpu_regs *regs_of(const struct vcpu_stacks *all, size_t i)
{
	return &all->stops[all->samples[i].vcpu].regs;
}

/* The sample of the first vCPU that has an entry, or else of the first with registers; all->nsamples: there is none. */
static size_t find_entry(const struct vcpu_stacks *all)
{
	size_t any = all->nsamples;

	for (size_t i = 0; i < all->nsamples; i++) {
		if (!regs_of(all, i)->valid)
			continue;
		if (entry_place(regs_of(all, i)))
			return i;
		any = any < all->nsamples ? any : i;
	}
	return any;
}

static bool is_entry_due(struct image *m, uint64_t place)
{
	if (m->entry_due)
		return true;
	return place != m->place && m->entry_looks++ < ENTRY_LOOKS_MAX;
}

void image_tell_entry(struct image *m, struct pages *pages, const struct vcpu_stacks *all,
                      struct record_stream *records, uint32_t domain, uint64_t time_ns)
{
	const size_t i = find_entry(all);
	struct record entry = {RECORD_ENTRY, .domain = domain, .time_ns = time_ns};

	if (i == all->nsamples || !is_entry_due(m, entry_place(regs_of(all, i))))
		return;
	m->entry_due = false;
	m->place = entry_place(regs_of(all, i));
	if (!entry_find(pages, regs_of(all, i), &entry.count) ||
	    (entry.count == m->entry && (m->entry_told || !m->entry)))
		return;
	entry.code = all->samples[i].vcpu;
	m->entry_told = record_stream_put(records, &entry) == 0;
	if (!m->entry_told)
		return;
	if (m->had_entry && entry.count != m->entry)
		m->doubted = 1;
	m->had_entry |= entry.count != 0;
	m->entry = entry.count;
}

/* --- the build-id ------------------------------------------------------------------------------------------------ */

/* The entry has changed: is the build the same? Then it is told again, so that the report need not guess. */
static void verify(struct image *m, struct pages *pages, const struct vcpu_stacks *all)
{
	enum build_progress progress = BUILD_MORE;

	for (size_t i = 0; i < all->nsamples && progress == BUILD_MORE; i++)
		progress = build_verify(&m->build, pages, regs_of(all, i));
	if (progress == BUILD_MORE && m->doubted < DOUBTED_MAX)
		return;
	m->doubted = 0;
	m->build_told = false;
	if (progress == BUILD_FOUND)
		return;
	m->build = (struct build){0};
	m->more = false;
	m->wanted = m->restarts <= (RESTARTS_MAX - 1) * RESTART_TICKS;
	m->looks = m->wanted ? 0 : BUILD_LOOKS_MAX;
	m->restarts += m->wanted ? RESTART_TICKS : 0;
}

void image_go_on(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns)
{
	enum build_progress progress = BUILD_NONE;

	if (m->doubted)
		verify(m, pages, all);
	if (!m->wanted && !m->more)
		return;
	for (size_t i = 0; i < all->nsamples && !m->more && progress == BUILD_NONE; i++) {
		uint64_t entry;

		m->regs = *regs_of(all, i);
		entry_find(pages, &m->regs, &entry);
		progress = build_search(&m->build, pages, &m->regs, entry, ns);
		m->wanted &= !m->regs.valid;
	}
	if (m->more)
		progress = build_search(&m->build, pages, &m->regs, 0, ns);
	m->more = progress == BUILD_MORE;
}

void image_search(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns)
{
	if (!m->build.note.size && m->looks < BUILD_LOOKS_MAX) {
		m->looks++;
		m->wanted = true;
	}
	image_go_on(m, pages, all, ns);
}

void image_tell_build(struct image *m, struct record_stream *records, uint32_t domain, uint64_t time_ns)
{
	const struct record build = {RECORD_BUILD,
	                             .domain = domain,
	                             .time_ns = time_ns,
	                             .count = m->build.note.address,
	                             .build_id = m->build.note.id,
	                             .build_id_size = m->build.note.size};

	if (m->build.note.size && !m->build_told && !m->doubted)
		m->build_told = record_stream_put(records, &build) == 0;
}
