/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/first_blocks.h"
#include "common/regular_file.h"

#include <unistd.h>

static int of_file(struct upf_reader *reader, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	struct upf_block b;
	bool more = true;
	int rc = 0;

	while (more && (rc = upf_reader_next(reader, &b)) > 0)
		more = b.type != UPF_BLOCK_SAMPLES || each(ctx, &b);
	return rc < 0 ? rc : 0;
}

static int of_pipe(struct upf_reader *reader, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	struct upf_block b;
	int rc = upf_reader_next(reader, &b);

	if (rc <= 0)
		return rc;
	if (b.type == UPF_BLOCK_SAMPLES)
		each(ctx, &b);
	upf_reader_again(reader, &b);
	return 0;
}

int first_blocks(const struct trace *t, bool (*each)(void *ctx, const struct upf_block *b), void *ctx)
{
	enum upf_fault fault;
	int fd = t->is_file ? regular_file_open(t->path) : -1, rc;
	struct upf_reader *again = fd >= 0 ? upf_reader_open(fd, &fault, NULL) : NULL;

	if (!t->is_file)
		return of_pipe(t->reader, each, ctx);
	rc = again ? of_file(again, each, ctx) : 0; /* gone meanwhile: reading it says so */
	upf_reader_close(again);
	if (fd >= 0)
		close(fd);
	return rc;
}
