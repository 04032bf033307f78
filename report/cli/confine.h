/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confine.h - what the program may still do while it reads what others have written: a trace, whose stacks a guest may
 * have forged, and binaries. A fault in its decoders must not be of use to who wrote those.
 */
#ifndef REPORT_CLI_CONFINE_H
#define REPORT_CLI_CONFINE_H

#include <stdbool.h>

/*
 * From here on this process computes, reads files, and reads and writes what is open; it makes, opens for writing or
 * removes no file, executes nothing, has no network, types nothing into its terminal and signals nobody: by Landlock
 * and seccomp, as far as the kernel has them. To be called while there is one thread. @network: servers of debug files
 * are to be asked, which needs most of this; then it gives up capabilities alone.
 */
void confine(bool network);
/* All files are open: no capability is needed any more. */
void confine_opened(void);

#endif
