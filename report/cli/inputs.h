/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inputs.h - opens the files that the command line names: traces and binaries. Prints what is wrong.
 */
#ifndef REPORT_CLI_INPUTS_H
#define REPORT_CLI_INPUTS_H

#include "report/profile/recording.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_NO_TRACE = 3,
	EXIT_DAMAGED = 4,
	EXIT_NOTHING = 5
};

struct inputs {
	const char *const *traces; /* "-": standard input */
	size_t ntraces;
	struct binary_request binaries;
	bool mangled; /* names stay as the linker knows them */
};

/*
 * Fills in @r, which is all zero, as far as @selection lets it count; recording_close() in any case. An exit status,
 * and what failed has been said.
 */
enum exit_code inputs_open(struct recording *r, const struct inputs *inputs, const struct selection *selection);
/* Is @output one of the files that are read, so that it must not be replaced? Then says so. */
bool inputs_replaced(const struct recording *r, const struct inputs *inputs, const char *output);
/* The newest *.upf of this folder, to be freed; NULL: there is none, or errno is ENOMEM. */
char *inputs_newest(void);
/* A trace's name as messages have it. */
const char *inputs_shown(const char *path);

#endif
