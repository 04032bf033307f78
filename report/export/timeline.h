/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline.h - every sample of every vCPU in time order, for formats that store one vCPU after the other, column by
 * column.
 *
 * Memory holds the last few samples of each vCPU. The others go to an unnamed file in TMPDIR, 32 bytes a sample; a
 * short trace makes no file.
 */
#ifndef REPORT_EXPORT_TIMELINE_H
#define REPORT_EXPORT_TIMELINE_H

#include "report/view/view.h"

struct timeline_sample {
	uint64_t time_ns;
	uint64_t cpu_ns;
	uint64_t span_ns; /* the time that it stands for */
	uint32_t node;    /* the leaf, in the profile's call tree */
	bool user;
};

struct timeline_vcpu {
	uint32_t domain, vcpu;
	uint64_t n;                     /* samples in all */
	struct timeline_sample *recent; /* those that are in memory: the last ones */
	uint32_t nrecent, cap;
	uint64_t *chunks; /* where in the file the others are */
	size_t nchunks, chunks_cap;
};

/* timeline_init(), and timeline_free() at the end. */
struct timeline {
	HASH_ARRAY(struct timeline_vcpu, vcpus, n, by_vcpu);
	int fd;           /* negative: no file yet */
	uint64_t nchunks; /* in it */
	bool failed;      /* it could not be made, written or read: what an error was about */
};

void timeline_init(struct timeline *t);
void timeline_free(struct timeline *t);
/* The vCPU's number in @t, made if it is new. 0 or -ENOMEM. */
int timeline_vcpu(struct timeline *t, uint32_t domain, uint32_t vcpu, uint32_t *id);
/* Appends a sample to its vCPU: 0, or a negative errno; t->failed says whether the file is the cause. */
int timeline_add(struct timeline *t, uint32_t domain, uint32_t vcpu, const struct timeline_sample *m);
/* The same of a record, if it is a sample that counts. */
int timeline_add_record(struct timeline *t, const struct report *r, const struct upf_record *rec, uint32_t node);
/* By domain and number. No timeline_add() afterwards. */
void timeline_sort(struct timeline *t);

#define TIMELINE_CHUNK 256u

/* What messages call the file. */
#define TIMELINE_FILE "the temporary file in $TMPDIR, or /tmp"

/* Goes through one vCPU's samples: zero-initialise but for @timeline and @vcpu. */
struct timeline_cursor {
	struct timeline *timeline;
	const struct timeline_vcpu *vcpu;
	uint64_t next; /* sample */
	struct timeline_sample chunk[TIMELINE_CHUNK];
};
/* 1 and *@m, 0 behind the last one, or a negative errno. */
int timeline_next(struct timeline_cursor *c, struct timeline_sample *m);

#endif
