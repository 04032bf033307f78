/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/builds.h"
#include "report/input/first_blocks.h"

#include <errno.h>

#define BLOCKS_MAX 16 /* of samples: a build-id is in the first, or comes soon after the guest has booted */

struct learning {
	struct upf_decoder *decoder;
	struct upf_reader *reader;
	size_t blocks;
	int rc;
};

static bool any_unknown(const struct upf_session *s)
{
	for (size_t i = 0; i < s->ndomains; i++)
		if (!s->domains[i].build_id)
			return true;
	return false;
}

static bool learn_from(void *ctx, const struct upf_block *b)
{
	struct learning *l = ctx;
	const struct upf_session *s = upf_reader_session(l->reader);
	struct upf_record rec;

	if (b->fault == UPF_OK && upf_decoder_start(l->decoder, b) == UPF_OK)
		while (l->rc == 0 && upf_decoder_has(l->decoder, UPF_BUILD) &&
		       upf_decoder_next(l->decoder, &rec) > 0) {
			if (rec.kind == UPF_SAME)
				upf_decoder_pass_repeated(l->decoder);
			if (rec.kind == UPF_BUILD && rec.domain < s->ndomains && !s->domains[rec.domain].build_id)
				l->rc = upf_reader_set_build(l->reader, &rec);
		}
	return l->rc == 0 && ++l->blocks < BLOCKS_MAX && any_unknown(s);
}

int builds_learn(struct trace *t)
{
	struct learning l = {.reader = t->reader};
	int rc = 0;

	if (!any_unknown(upf_reader_session(t->reader)))
		return 0;
	l.decoder = upf_decoder_new();
	rc = l.decoder ? first_blocks(t, learn_from, &l) : -ENOMEM;
	upf_decoder_free(l.decoder);
	return rc ? rc : l.rc;
}
