/* SPDX-License-Identifier: BSD-2-Clause */
/* choose.h - the domains that the user named. */
#ifndef RECORD_CLI_CHOOSE_H
#define RECORD_CLI_CHOOSE_H

#include "record/cli/options.h"
#include "record/sampling/target.h"

#define OBSTACLE_SIZE 256

/*
 * Why a domain cannot be recorded now, maybe in @text; NULL if it can: @info is all that is known then. With @look, it
 * may be paused or shut down. If @attached is not NULL, the guest stays attached, to be detached by the caller; unless it
 * could not be: *attached is as before.
 */
const char *choose_obstacle(const struct hypervisor_ops *ops, struct hypervisor *x, struct guest_info *info, bool look,
                            char text[OBSTACLE_SIZE], struct guest **attached);
/* The domain's name in @name, or "-". */
const char *choose_name(const struct hypervisor_ops *ops, struct hypervisor *x, uint32_t domid, char *name,
                        size_t size);
/*
 * Opens @n targets, named by @operands. 0, or an exit status with one line in @why; those opened so far are in
 * @targets.
 */
int choose_targets(const struct hypervisor_ops *ops, struct hypervisor *x, char *const *operands, size_t n,
                   const struct options *o, struct target **targets, char *why, size_t size);
/*
 * --start: opens a domain that is new. Its creator's pause, in which the recording is prepared, is no obstacle. As
 * choose_targets().
 */
int choose_started(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *started,
                   const struct options *o, struct target **target, char *why, size_t size);

#endif
