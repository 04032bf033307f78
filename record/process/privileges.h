/* SPDX-License-Identifier: BSD-2-Clause */
/* privileges.h - what a program started as root does not need any more once all is open. */
#ifndef RECORD_PROCESS_PRIVILEGES_H
#define RECORD_PROCESS_PRIVILEGES_H

#include <stdbool.h>

/*
 * Gives up every capability of the calling thread, and of those it starts later, for good: Xen answers whoever holds
 * its device open. @files: all but the one to write in everybody's folders. 0 or a negative errno; then they are as
 * they were.
 */
int privileges_drop(bool files);

#endif
