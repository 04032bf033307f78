/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build_check.h - is a program's binary the build that ran? A return address follows a call, and an instruction pointer
 * is at an instruction; in another build, or at another address, nearly none and few of the trace's.
 */
#ifndef REPORT_PROFILE_BUILD_CHECK_H
#define REPORT_PROFILE_BUILD_CHECK_H

#include "report/input/binaries.h"
#include "report/profile/profile.h"

struct build_check {
	uint32_t program; /* whose binary is probably another build's */
	struct build_count {
		uint64_t checked, right; /* different addresses in the binary's code; those that fit it */
	} returns, leaves;
};

/* The return addresses tell it, not the instruction pointers. */
bool build_check_by_returns(const struct build_check *found);

/*
 * True: the binary of some program is probably not what ran, see @found. Only frames that the recorder found by frame
 * pointers are asked about, and only those of the kernel's mode: programs of a guest may lie at the same addresses.
 * False also if there are too few of them to tell, or no memory.
 */
bool build_check(const struct binaries *b, const struct profile *p, struct build_check *found);

#endif
