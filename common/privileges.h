/* SPDX-License-Identifier: BSD-2-Clause */
/* privileges.h - the capabilities of the calling thread, and of threads that it starts later. */
#ifndef COMMON_PRIVILEGES_H
#define COMMON_PRIVILEGES_H

#include <stdint.h>

/*
 * Gives up all capabilities for ever, but those in @keep that the thread has: a bit each (linux/capability.h). Programs
 * that it executes get none, whatever their owner and files say. 0, or a negative errno and they are unchanged.
 */
int privileges_drop(uint64_t keep);
/* Programs executed after this have the capabilities in @caps that the thread has. Best effort. */
void privileges_pass_on(uint64_t caps);

#endif
