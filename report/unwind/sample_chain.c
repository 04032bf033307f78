/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/sample_chain.h"

/* The frames of the block's stack that ends in @leaf, leaf first. */
static uint32_t frames_of(const struct upf_decoder *decoder, uint32_t leaf, uint64_t *frames)
{
	uint32_t all, n = 0;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &all);

	for (; leaf != 0 && leaf < all && n < UPF_DEPTH_MAX; leaf = nodes[leaf].parent)
		frames[n++] = nodes[leaf].address;
	return n;
}

bool chain_may_differ(const struct upf_session *session, const struct upf_record *rec)
{
	return rec->tops != UPF_TOPS_NONE &&
	       (rec->domain >= session->ndomains || session->domains[rec->domain].arch == UPF_ARCH_X86_64);
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
                          uint32_t depth, bool pv, struct chain *chain)
{
	struct upf_record walked = *rec;

	walked.end = end;
	repair_chain(cfi, &walked, frames, depth, pv, chain);
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
	bool pv = !domain || domain->kind <= UPF_KIND_PV;
	uint64_t frames[UPF_DEPTH_MAX];
	uint32_t depth = frames_of(decoder, rec->stack, frames);

	chain->n = 0;
	chain->restored = chain->doubtful = false;
	if (rec->tops == UPF_TOPS_COPY && depth) {
		unwind_copy(cfi, rec, frames[0], pv, chain);
		if (depth > 1 && chain->end != UPF_END_ROOT)
			prefer_frames(cfi, rec, chain_end_of_frames(session, decoder, rec), frames, depth, pv, chain);
	} else if (rec->tops == UPF_TOPS_WINDOW) {
		repair_chain(cfi, rec, frames, depth, pv, chain);
	}
}
