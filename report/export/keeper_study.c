/* SPDX-License-Identifier: BSD-2-Clause */
/* keeper_study.c - which addresses and stacks of a trace an archive keeps. */
#include "report/export/keeper.h"

#include <errno.h>

/* --- addresses --------------------------------------------------------------------------------------------------- */

int keeper_add_address(struct kept_program *k, uint64_t address)
{
	uint32_t id;

	return hash_array_add_key(&k->by_address, &address, sizeof(address), sizeof(address), &id);
}

/* As symbolizer_find() looks it up. */
static int study_frame(struct kept_program *k, uint64_t address, bool caller)
{
	return keeper_add_address(k, address - (caller && address != 0));
}

static int add_chain(struct kept_program *k, const struct chain *c)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		rc = study_frame(k, c->frame[i].address, i > 0 && !(c->frame[i].flags & FRAME_EXACT));
	return rc;
}

static int add_named(struct keeper *k, uint32_t program, uint64_t address)
{
	if (!symbolizer_knows(&k->report->run->names, program, address))
		return 0;
	return keeper_add_address(&k->programs[program], address);
}

/* Whatever --registers names. */
static int add_registers(struct keeper *k, uint32_t program, const struct upf_record *rec)
{
	struct register_set set;
	int rc = 0;

	if (!upf_record_registers(rec, &set))
		return 0;
	for (uint32_t i = 0; rc == 0 && i < set.n; i++)
		rc = add_named(k, program, set.of[i].value);
	for (uint32_t i = 0; rc == 0 && i < rec->nregs; i++)
		rc = add_named(k, program, rec->regs[i]);
	for (uint32_t i = 0; rc == 0 && i < rec->nwords; i++) {
		const uint64_t halves[] = {rec->words[i], rec->words[i] >> 32, (uint32_t)rec->words[i]};

		/* Words are of 8 bytes, or of 4. */
		for (int h = 0; rc == 0 && h < 3; h++)
			rc = add_named(k, program, halves[h]);
	}
	return rc;
}

#define USED_AS_LEAF 1u
#define USED_AS_CALLER 2u

/* Notes that the stack that ends in @leaf was sampled. */
static int use_stack(struct kept_program *k, const struct upf_decoder *decoder, uint32_t leaf)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);

	while (k->nuses < n) {
		if (array_room(&k->uses, &k->uses_cap, k->nuses, sizeof(*k->uses)) != 0)
			return -ENOMEM;
		k->uses[k->nuses++] = 0;
	}
	k->uses[leaf] |= USED_AS_LEAF;
	for (uint32_t node = nodes[leaf].parent; leaf && node && !(k->uses[node] & USED_AS_CALLER);
	     node = nodes[node].parent)
		k->uses[node] |= USED_AS_CALLER;
	return 0;
}

/* The addresses of stacks as they were recorded. */
static int study_recorded(struct kept_program *k, const struct upf_decoder *decoder)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(decoder, &n);
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < k->nuses && i < n; i++) {
		if (k->uses[i] & USED_AS_LEAF)
			rc = study_frame(k, nodes[i].address, false);
		if (rc == 0 && k->uses[i] & USED_AS_CALLER)
			rc = study_frame(k, nodes[i].address, true);
	}
	return rc;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

int keeper_write(struct keeper *k, uint8_t type, struct buf *payload)
{
	int rc = payload->failed ? -ENOMEM : upf_writer_data(k->writer, type, payload->data, payload->len);

	buf_free(payload);
	return rc;
}

int keeper_flush_stacks(struct keeper *k)
{
	struct buf payload = {0};

	archive_stacks_finish(&k->stacks, &payload);
	return keeper_write(k, UPF_BLOCK_STACKS, &payload);
}

static int study_stack(struct keeper *k, uint32_t program, const struct upf_record *rec)
{
	int rc;

	if (k->chain.n == 0 && !k->chain.restored && !k->chain.uncertain)
		return 0;
	rc = archive_stacks_put(&k->stacks, program, rec->stack, rec->top, &k->chain);
	if (rc == -ENOSPC) {
		rc = keeper_flush_stacks(k);
		if (rc == 0)
			rc = archive_stacks_put(&k->stacks, program, rec->stack, rec->top, &k->chain);
	}
	return rc;
}

static int study_sample(struct keeper *k, const struct upf_record *rec)
{
	uint32_t program = binaries_program(&k->report->run->binaries, rec->domain, rec->time_ns);
	struct kept_program *p = &k->programs[program];
	int rc = use_stack(p, k->decoder, rec->stack);

	if (rc == 0 && !k->writer)
		rc = add_registers(k, program, rec);
	if (rc != 0 || !p->of->cfi || !chain_may_differ(k->session, rec))
		return rc;
	rc = hash_array_meet(&k->pairs, top, &(struct pair){program, rec->stack, rec->top});
	if (rc != 0)
		return rc < 0 ? rc : 0;
	chain_of_sample(p->of->cfi, k->session, k->decoder, rec, &k->chain);
	return k->writer ? study_stack(k, program, rec) : add_chain(p, &k->chain);
}

/* Goes through the block's samples, as far as it is sound. */
int keeper_study_block(struct keeper *k, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(k->decoder, b);
	struct upf_record rec;
	int rc = 0, more = 0;

	hash_array_clear(&k->pairs);
	for (size_t i = 0; i < k->nprograms; i++)
		k->programs[i].nuses = 0;
	if (fault != UPF_OK)
		return fault == UPF_FAULT_MEMORY ? -ENOMEM : 0;
	while (rc == 0 && (more = upf_decoder_next(k->decoder, &rec)) > 0) {
		if (rec.kind == UPF_SAMPLE)
			rc = study_sample(k, &rec);
		else if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(k->decoder); /* no stack that was not there before */
	}
	for (size_t i = 0; rc == 0 && !k->writer && i < k->nprograms; i++)
		rc = study_recorded(&k->programs[i], k->decoder);
	return rc == 0 && more < 0 && more != -EBADMSG ? more : rc;
}
