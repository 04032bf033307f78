/* SPDX-License-Identifier: BSD-2-Clause */
/* describe.h - what the head of the trace says of a recording. */
#ifndef RECORD_CLI_DESCRIBE_H
#define RECORD_CLI_DESCRIBE_H

#include "record/cli/options.h"
#include "record/sampling/target.h"

struct description {
	struct upf_session session;
	struct upf_domain *domains;
	char host[256];
};

/* Fills in @d, time 0 of the trace being now; @hypervisor must outlive it. 0 or a negative errno. */
int describe(struct description *d, const struct options *o, struct target *const *targets, size_t n,
             const char *hypervisor, const char *command);
/* Adds what --image says. 0, or -1 and one line in @why: a file that cannot be read, a domain that is not recorded. */
int describe_images(struct description *d, const struct options *o, char *why, size_t size);
void describe_free(struct description *d);

/* @argv as one shell-quoted line, before options_parse() moves its words. NULL: errno. */
char *describe_command(int argc, char *const *argv);

#endif
