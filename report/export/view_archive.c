/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_archive.c - writes the trace again, together with what the binaries say of its addresses and stacks, so that
 * reports no longer need them. The trace is read three times: to see that the binaries are those that ran; to learn
 * which names are needed; and to write these before the samples.
 */
#include "common/regular_file.h"
#include "report/export/keeper.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_out(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

static int copy_block(struct keeper *k, const struct upf_block *b)
{
	int rc = keeper_study_block(k, b);

	if (rc == 0 && k->stacks.nstacks)
		rc = keeper_flush_stacks(k);
	return rc == 0 ? upf_writer_copy(k->writer, b) : rc;
}

/* Reads the trace to its end. The archive lacks the same blocks as the trace. */
static int read_trace(struct keeper *k, struct upf_reader *reader,
                      int (*each)(struct keeper *k, const struct upf_block *b))
{
	const struct upf_health *health = upf_reader_health(reader);
	struct progress *progress = k->report->progress;
	uint64_t missing = 0;
	struct upf_block b;
	int rc = 0;

	progress_start(progress, k->writer ? "writing the archive" : "reading the trace");
	while (rc == 0 && (rc = upf_reader_next(reader, &b)) > 0) {
		progress_at(progress, upf_reader_bytes(reader), k->size);
		if (k->writer)
			upf_writer_skip(k->writer, health->missing - missing);
		missing = health->missing;
		rc = b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES ? each(k, &b) : 0;
	}
	progress_end(progress);
	return rc;
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

/* Which programs the domain ran. @room: for all its boots. */
static void put_programs(const struct binaries *b, uint32_t domain, struct upf_domain *to, struct upf_boot *room)
{
	const size_t first = b->boots.first[domain], end = b->boots.first[domain + 1];
	bool several = false;

	to->program = b->program_of[first];
	for (size_t i = first + 1; i < end; i++) {
		room[i - first - 1] = (struct upf_boot){b->boots.list[i].from_ns, b->program_of[i]};
		several |= b->program_of[i] != to->program;
	}
	to->boots = room;
	to->nboots = several ? (uint32_t)(end - first - 1) : 0;
}

/* The trace's header, as the archive has it. NULL: errno. */
static struct upf_writer *new_writer(const struct keeper *k)
{
	const struct binaries *b = &k->report->run->binaries;
	struct upf_session session = *k->session;
	struct upf_domain *domains = calloc(session.ndomains + 1, sizeof(*domains));
	struct upf_boot *boots = calloc(b->boots.n, sizeof(*boots));
	struct upf_writer *writer;

	if (!domains || !boots) {
		free(domains);
		free(boots);
		return NULL;
	}
	for (uint32_t i = 0; i < session.ndomains; i++) {
		domains[i] = session.domains[i];
		put_programs(b, i, &domains[i], boots + b->boots.first[i]);
	}
	session.domains = domains;
	session.archived = true;
	session.by_program = k->nprograms > 1;
	writer = upf_writer_new(&session, write_out, k->report->out.file);
	free(domains);
	free(boots);
	return writer;
}

static int write_archive(struct keeper *k, struct upf_reader *reader)
{
	enum upf_reason reason;
	int rc;

	k->writer = new_writer(k);
	rc = k->writer ? 0 : -errno;
	for (size_t i = 0; rc == 0 && i < k->nprograms; i++)
		rc = keeper_put_names(k, &k->programs[i]);
	for (size_t i = 0; rc == 0 && i < k->nprograms; i++)
		rc = keeper_put_code(k, &k->programs[i]);
	if (rc == 0)
		rc = read_trace(k, reader, copy_block);
	if (rc == 0 && upf_reader_totals(reader, &reason))
		rc = upf_writer_finish(k->writer, upf_reader_totals(reader, &reason), reason);
	upf_writer_free(k->writer);
	return rc;
}

static int study_trace(struct keeper *k, struct upf_reader *reader)
{
	int rc = read_trace(k, reader, keeper_study_block);

	for (size_t i = 0; rc == 0 && i < k->nprograms; i++)
		rc = keeper_find_functions(k, &k->programs[i]);
	return rc;
}

/* Another reading of the trace, from its beginning. */
static int read_again(struct keeper *k, const char *path, int (*pass)(struct keeper *k, struct upf_reader *reader))
{
	int fd = regular_file_open(path), rc;
	enum upf_fault fault = UPF_OK;
	struct upf_reader *reader = fd < 0 ? NULL : upf_reader_open(fd, &fault, NULL);

	if (reader)
		rc = pass(k, reader);
	else
		rc = fd < 0 ? fd : fault == UPF_FAULT_MEMORY ? -ENOMEM : -EIO;
	upf_reader_close(reader);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int open_keeper(struct keeper *k, const struct report *r)
{
	const struct binaries *b = &r->run->binaries;

	k->decoder = upf_decoder_new();
	k->programs = calloc(b->nprograms, sizeof(*k->programs));
	if (!k->decoder || !k->programs)
		return -ENOMEM;
	k->nprograms = b->nprograms;
	for (uint32_t i = 0; i < k->nprograms; i++) {
		k->programs[i].number = i;
		k->programs[i].of = &b->programs[i];
	}
	k->stacks.by_program = k->nprograms > 1;
	return 0;
}

static void close_keeper(struct keeper *k)
{
	for (size_t i = 0; i < k->nprograms; i++) {
		hash_array_free(&k->programs[i].by_address);
		free(k->programs[i].functions);
		free(k->programs[i].uses);
	}
	free(k->programs);
	upf_decoder_free(k->decoder);
	archive_stacks_end(&k->stacks);
	hash_array_free(&k->pairs);
}

static int run_archive(const struct report *r, struct view_result *found)
{
	struct trace *t = &r->run->traces.list[0];
	struct keeper k = {.report = r, .session = upf_reader_session(t->reader)};
	struct stat st;
	int rc = view_load(r, NULL); /* names of another build would stay in the archive for ever */

	(void)found;
	if (rc == 0)
		rc = open_keeper(&k, r);
	k.size = stat(t->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	if (rc == 0)
		rc = read_again(&k, t->path, study_trace);
	if (rc == 0)
		rc = read_again(&k, t->path, write_archive);
	close_keeper(&k);
	return rc;
}

const struct view view_archive = {
	.name = "archive",
	.help = "the trace together with names, source lines and unwound stacks: -o FILE.upf; reports of "
		"it need no binary",
	.endings = {".upf"},
	.states = STATES_ALL,
	.takes = VIEW_WHOLE | VIEW_FILE,
	.run = run_archive,
};
