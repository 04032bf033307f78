/* SPDX-License-Identifier: BSD-2-Clause */
/* privileges.h - gives up what a program started as root no longer needs once everything is open. */
#ifndef RECORD_PROCESS_PRIVILEGES_H
#define RECORD_PROCESS_PRIVILEGES_H

#include <stdint.h>

/*
 * Gives up all capabilities of the calling thread, and of threads it starts later, for ever; the hypervisor's device
 * stays usable while it is open. Those in @keep are kept where it has them, a bit each (linux/capability.h). 0, or a
 * negative errno and they are unchanged.
 */
int privileges_drop(uint64_t keep);

#endif
