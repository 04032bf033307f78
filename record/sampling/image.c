/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/image.h"

#include "record/stack/entry.h"

#define BUILD_LOOKS_MAX 64 /* for the guest's build-id, one a second: it may have to boot first */

void image_tell_entry(struct image *m, struct pages *pages, const struct vcpu_stacks *all,
                      struct record_stream *records, uint32_t domain, uint64_t time_ns)
{
	bool is_tried = false;

	for (size_t i = 0; m->entry_due && i < all->nsamples && !m->entry_told; i++) {
		const struct vcpu_regs *regs = &all->stops[all->samples[i].vcpu].regs;
		const uint64_t address = entry_find(pages, regs);
		const struct record entry = {RECORD_ENTRY, .domain = domain, .time_ns = time_ns, .count = address,
		                             .code = all->samples[i].vcpu};

		m->entry_told = address && record_stream_put(records, &entry) == 0;
		is_tried |= regs->valid;
	}
	m->entry_due &= !is_tried;
}

void image_go_on(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns)
{
	enum build_progress progress = BUILD_NONE;

	if (!m->wanted && !m->more)
		return;
	for (size_t i = 0; i < all->nsamples && !m->more && progress == BUILD_NONE; i++) {
		m->regs = all->stops[all->samples[i].vcpu].regs;
		progress = build_search(&m->build, pages, &m->regs, entry_find(pages, &m->regs), ns);
		m->wanted &= !m->regs.valid;
	}
	if (m->more)
		progress = build_search(&m->build, pages, &m->regs, 0, ns);
	m->more = progress == BUILD_MORE;
}

void image_search(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns)
{
	if (m->build.note.size || m->looks == BUILD_LOOKS_MAX)
		return;
	m->looks++;
	m->wanted = true;
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

	if (m->build.note.size && !m->build_told)
		m->build_told = record_stream_put(records, &build) == 0;
}
