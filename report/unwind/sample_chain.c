/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/unwind.h"

/* The frames of the block's stack that ends in @leaf, leaf first. *plain: all are addresses as they were recorded. */
static uint32_t frames_of(const struct upf_decoder *decoder, const struct isa *isa, uint32_t leaf, uint64_t *frames,
                          bool *plain)
{
	uint32_t all, n = 0;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &all);

	*plain = true;
	for (; leaf != 0 && leaf < all && n < UPF_DEPTH_MAX; leaf = nodes[leaf].parent) {
		frames[n] = isa_code_address(isa, nodes[leaf].address);
		*plain &= frames[n++] == nodes[leaf].address;
	}
	return n;
}

/* NULL: none whose callers can be restored. A domain that the session does not name is taken for an ordinary one. */
static const struct isa *isa_of(const struct upf_session *session, const struct upf_record *rec)
{
	if (rec->mode)
		return isa_of_arch(rec->mode);
	return rec->domain < session->ndomains ? isa_of_arch(session->domains[rec->domain].arch) : &isa_x86_64;
}

bool chain_may_differ(const struct upf_session *session, const struct upf_record *rec)
{
	const struct isa *isa = isa_of(session, rec);

	return isa && (rec->tops != UPF_TOPS_NONE || rec->link || isa->code_address);
}

uint8_t chain_end_of_frames(const struct upf_session *session, const struct upf_decoder *decoder,
                            const struct upf_record *rec)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);

	if (rec->tops != UPF_TOPS_COPY || rec->stack >= n || nodes[rec->stack].depth < 2)
		return rec->end;
	return nodes[rec->stack].depth < session->max_stack ? UPF_END_ROOT : UPF_END_DEPTH;
}

/* The frames that the recorder found stand where the copy does not lead to the root. */
static void prefer_frames(struct cfi *cfi, const struct upf_record *rec, uint8_t end, const uint64_t *frames,
                          uint32_t depth, struct chain *chain)
{
	struct upf_record walked = *rec;

	walked.end = end;
	repair_chain(cfi, &walked, frames, depth, chain);
	if (chain->n != 0)
		return;
	chain->end = end;
	for (; chain->n < depth; chain->n++) {
		chain->frame[chain->n].address = frames[chain->n];
		chain->frame[chain->n].flags = 0;
	}
}

void chain_of_sample(struct cfi *cfi, const struct upf_session *session, const struct upf_decoder *decoder,
                     const struct upf_record *rec, struct chain *chain)
{
	const struct upf_domain *domain = rec->domain < session->ndomains ? &session->domains[rec->domain] : NULL;
	const struct isa *isa = isa_of(session, rec);
	uint64_t frames[UPF_DEPTH_MAX];
	uint32_t depth;
	bool plain;

	chain->n = 0;
	chain->restored = chain->uncertain = false;
	if (!isa)
		return;
	depth = frames_of(decoder, isa, rec->stack, frames, &plain);
	cfi_enter(cfi, isa, !domain || domain->kind <= UPF_KIND_PV);
	if (rec->tops == UPF_TOPS_COPY && depth) {
		unwind_copy(cfi, rec, frames[0], chain);
		if (depth > 1 && chain->end != UPF_END_ROOT)
			prefer_frames(cfi, rec, chain_end_of_frames(session, decoder, rec), frames, depth, chain);
		return;
	}
	repair_chain(cfi, rec, frames, depth, chain);
	if (!chain->restored && plain)
		chain->n = 0;
}
