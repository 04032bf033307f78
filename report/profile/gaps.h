/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gaps.h - how much time a sample stands for, and which CPU time it tells of.
 *
 * A round stands for the periods since the round before of the same domain, so deadlines that were missed, or skipped
 * to stay under a limit, count for the next round. Where samples are known to be lost in between, it stands for as many
 * as the round before the loss did, if that is known; where the recorder did not look for long, for one.
 *
 * CPU time is measured since the vCPU's previous sample. A vCPU that is idle or offline now used it before: it goes to
 * the vCPU's next sample that wants or has a CPU.
 *
 * Blocks are counted by themselves, maybe at the same time: what a block's first rounds and samples get of what was
 * before is added when it is its turn, by gaps_settle().
 */
#ifndef REPORT_PROFILE_GAPS_H
#define REPORT_PROFILE_GAPS_H

#include "common/hash_array.h"
#include "report/profile/profile.h"

struct gap_domain {
	uint32_t domain;            /* as the trace numbers it */
	bool begun;                 /* has had a round: the periods and times mean something */
	bool cut_before, cut_after; /* something is lost before its first round, or after its last one */
	bool counted;               /* its first round is in scope */
	uint64_t first, last;       /* periods of these rounds */
	uint64_t block;             /* that it had its last round in: as gaps->block */
	uint64_t stride;            /* between its last two rounds; 0: they are of two blocks, or it had one */
	uint64_t first_ns, last_ns; /* their times */
	size_t vcpus;               /* the number of the one that its first round begins with */
	size_t firsts, nfirsts;     /* the stacks of the first round's samples: in gaps->firsts[] */
};

/* A vCPU's CPU time that waits for a sample. */
struct gap_vcpu {
	uint32_t domain, vcpu;
	uint32_t stack; /* of its first sample that takes CPU time over; GAP_NONE: there was none */
	uint64_t cpu_ns;
	uint64_t first_ns; /* what that sample has itself */
};
#define GAP_NONE UINT32_MAX

/* Zero-initialise, gaps_free() at the end. */
struct gaps {
	bool is_part;   /* what is before is added by gaps_settle() */
	uint64_t block; /* the number of the one that rounds come of: the caller counts */
	struct gap_domain *domains;
	size_t ndomains, domains_cap;
	uint32_t *by_domain; /* the number in domains[], if that one is of this domain */
	size_t nby_domain;
	HASH_ARRAY(struct gap_vcpu, vcpus, nvcpus, by_vcpu);
	uint32_t *firsts;
	size_t nfirsts, firsts_cap;

	/* The round that samples come of now. */
	struct gap_domain *now;
	uint64_t periods; /* that it stands for */
	bool is_first;    /* of its domain in this part */
	size_t guess;     /* in vcpus[]: of the next sample, if they come as in the round before */
};

void gaps_free(struct gaps *g);
void gaps_reset(struct gaps *g); /* nothing is before */
/*
 * A ROUND or SAME of a trace of @rate_mhz: g->periods is what it stands for, as far as is known yet. @counted: it is in
 * scope; time that it does not stand for goes to p->counters. 0 or -ENOMEM.
 */
int gaps_round(struct gaps *g, const struct upf_record *rec, uint64_t rate_mhz, bool counted, struct profile *p);
/* Any other record but a sample: the time since its domain's last round may be lost. 0 or -ENOMEM. */
int gaps_note(struct gaps *g, const struct upf_record *rec);
void gaps_cut(struct gaps *g); /* something of all domains is lost */
/* A sample of the round, not a repeated one: rec->cpu_ns becomes what it tells of. *@vcpu: its vCPU's number here. */
int gaps_sample(struct gaps *g, struct upf_record *rec, uint32_t *vcpu);
int gaps_note_sample(struct gaps *g, const struct upf_record *rec, uint32_t vcpu, uint32_t stack);
/* That sample was counted: as one of @stack. 0 or -ENOMEM. */
static inline int gaps_counted(struct gaps *g, const struct upf_record *rec, uint32_t vcpu, uint32_t stack)
{
	return g->is_part && (g->is_first || g->vcpus[vcpu].stack == GAP_NONE) ? gaps_note_sample(g, rec, vcpu, stack)
	                                                                       : 0;
}
/*
 * The part of @part comes next: adds to @profile, which is of that part alone, what its first rounds and samples get,
 * and to @before what comes after it. 0 or -ENOMEM.
 */
int gaps_settle(struct gaps *before, const struct gaps *part, struct profile *profile);
/* CPU time that waits for a sample that will not come. */
uint64_t gaps_cpu_left(const struct gaps *g);

#endif
