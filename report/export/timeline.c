/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/timeline.h"
#include "report/export/export_stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_ROOM 4u /* samples: a trace may name very many vCPUs */
#define CHUNK_BYTES (TIMELINE_CHUNK * sizeof(struct timeline_sample))

void timeline_init(struct timeline *t)
{
	*t = (struct timeline){.fd = -1};
}

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->vcpus[i].recent);
		free(t->vcpus[i].chunks);
	}
	hash_array_free(&t->by_vcpu);
	if (t->fd >= 0)
		close(t->fd);
	timeline_init(t);
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

int timeline_vcpu(struct timeline *t, uint32_t domain, uint32_t vcpu, uint32_t *id)
{
	return hash_array_add(&t->by_vcpu, id, vcpu, &(struct timeline_vcpu){.domain = domain, .vcpu = vcpu});
}

static int open_spill(struct timeline *t)
{
	const char *folder = getenv("TMPDIR");
	char *path;

	if (asprintf(&path, "%s/uniprof-report.XXXXXX", folder && *folder ? folder : P_tmpdir) < 0)
		return -ENOMEM;
	t->fd = mkostemp(path, O_CLOEXEC);
	if (t->fd >= 0)
		unlink(path);
	free(path);
	return t->fd >= 0 ? 0 : -errno;
}

static int write_chunk(struct timeline *t, const struct timeline_vcpu *v)
{
	int rc = t->fd < 0 ? open_spill(t) : 0;
	ssize_t n;

	if (rc != 0)
		return rc;
	n = pwrite(t->fd, v->recent, CHUNK_BYTES, (off_t)(t->nchunks * CHUNK_BYTES));
	return n == (ssize_t)CHUNK_BYTES ? 0 : n < 0 ? -errno : -ENOSPC;
}

static int spill(struct timeline *t, struct timeline_vcpu *v)
{
	int rc = array_room(&v->chunks, &v->chunks_cap, v->nchunks, sizeof(*v->chunks));

	if (rc != 0)
		return rc;
	rc = write_chunk(t, v);
	t->failed = rc != 0;
	if (rc != 0)
		return rc;
	v->chunks[v->nchunks++] = t->nchunks++;
	v->nrecent = 0;
	return 0;
}

static int spill_if_full(struct timeline *t, struct timeline_vcpu *v)
{
	uint32_t cap = v->cap ? 2 * v->cap : FIRST_ROOM;
	struct timeline_sample *recent;

	if (v->nrecent < v->cap)
		return 0;
	if (v->cap == TIMELINE_CHUNK)
		return spill(t, v);
	recent = realloc(v->recent, cap * sizeof(*recent));
	if (!recent)
		return -ENOMEM;
	v->recent = recent;
	v->cap = cap;
	return 0;
}

int timeline_add(struct timeline *t, uint32_t domain, uint32_t vcpu, const struct timeline_sample *m)
{
	struct timeline_vcpu *v;
	uint32_t id;
	int rc = timeline_vcpu(t, domain, vcpu, &id);

	if (rc != 0)
		return rc;
	v = &t->vcpus[id];
	rc = spill_if_full(t, v);
	if (rc != 0)
		return rc;
	v->recent[v->nrecent++] = *m;
	v->n++;
	return 0;
}

int timeline_add_record(struct timeline *t, const struct report *r, const struct upf_record *rec, uint32_t node)
{
	const struct timeline_sample m = {.time_ns = rec->time_ns,
	                                  .cpu_ns = rec->cpu_ns,
	                                  .span_ns = stacks_span(r->run, r->selection, rec),
	                                  .node = node,
	                                  .user = rec->user};

	if (rec->kind != UPF_SAMPLE || !counters_among(r->selection->states, rec->state))
		return 0;
	return timeline_add(t, rec->domain, rec->vcpu, &m);
}

static int compare_events(const void *va, const void *vb)
{
	const struct timeline_vcpu *a = va, *b = vb;

	return a->domain != b->domain ? array_compare(a->domain, b->domain) : array_compare(a->vcpu, b->vcpu);
}

void timeline_sort(struct timeline *t)
{
	array_sort(t->vcpus, t->n, sizeof(*t->vcpus), compare_events);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static int load_chunk(struct timeline_cursor *c, uint64_t chunk)
{
	off_t at = (off_t)(c->vcpu->chunks[chunk] * CHUNK_BYTES);
	ssize_t n = pread(c->timeline->fd, c->chunk, CHUNK_BYTES, at);

	c->timeline->failed = n != (ssize_t)CHUNK_BYTES;
	return n == (ssize_t)CHUNK_BYTES ? 0 : n < 0 ? -errno : -EIO;
}

int timeline_next(struct timeline_cursor *c, struct timeline_sample *m)
{
	const struct timeline_vcpu *v = c->vcpu;
	uint64_t chunk = c->next / TIMELINE_CHUNK, at = c->next % TIMELINE_CHUNK;
	int rc = 0;

	if (c->next == v->n)
		return 0;
	if (chunk < v->nchunks && at == 0)
		rc = load_chunk(c, chunk);
	if (rc != 0)
		return rc;
	*m = chunk < v->nchunks ? c->chunk[at] : v->recent[at];
	c->next++;
	return 1;
}
