/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * start.h - --start: the command that creates the guest, and the domain that is there after it. A command that leaves
 * the domain paused (xl create -p) gives a recording from the guest's first instruction.
 */
#ifndef RECORD_CLI_START_H
#define RECORD_CLI_START_H

#include <signal.h>

#include "guest/hypervisor.h"

/*
 * Runs @command by the shell, waits for its end, and then, START_WAIT_S seconds at most, for a domain that was not
 * there before. @name: which one; NULL: the only one. 0, or an exit status with one line in @why; then
 * @info is set, too, if the domain is there. @signals are blocked. One that ends the recorder waits for the command's
 * end, and then is pending; a second one ends the program at once.
 */
int start_domain(const struct hypervisor_ops *ops, struct hypervisor *x, const char *command, const char *name,
                 const sigset_t *signals, struct guest_info *info, char *why, size_t size);

#define START_WAIT_S 10

#endif
