/* SPDX-License-Identifier: BSD-2-Clause */
/* describe.h - the header of the trace: the description of a recording. */
#ifndef RECORD_CLI_DESCRIBE_H
#define RECORD_CLI_DESCRIBE_H

#include "record/cli/options.h"
#include "record/sampling/target.h"

struct description {
	struct upf_session session;
	struct upf_domain *domains;
	char host[256];
};

/* Fills in @d; time 0 of the trace is now. @hypervisor and @command must outlive it. 0 or a negative errno. */
int describe(struct description *d, const struct options *o, struct target *const *targets, size_t n,
             const char *hypervisor, const char *command);
/* Adds the binaries of --image. 0, or -1 and one line in @why: no such file, or no such domain in this recording. */
int describe_images(struct description *d, const struct options *o, char *why, size_t size);
/*
 * Names for the other domains the file that the host knows their kernel by, if it does. Its build is not known: no file is
 * opened. 0 or -ENOMEM.
 */
int describe_kernels(struct description *d, const struct hypervisor_ops *ops, struct hypervisor *x);
void describe_free(struct description *d);

/* @argv as one line, quoted for the shell; to be called before options_parse() moves the words. NULL: errno. */
char *describe_command(int argc, char *const *argv);

#endif
