/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * messages.h - standard error while recording, so that nobody waits for its reader. A terminal that Ctrl-S has stopped,
 * a dead connection or a pipe that nobody reads holds whoever writes to it. So a thread of its own writes, and the
 * stream `stderr` only hands whole lines to that thread. Lines for which it has no room are dropped, and counted.
 */
#ifndef RECORD_PROCESS_MESSAGES_H
#define RECORD_PROCESS_MESSAGES_H

struct messages;

/*
 * From now on `stderr` never blocks. A text without a newline that was flushed is a status line: the next text takes
 * its place. The thread closes @not_held (-1: none) in a descriptor table of its own. NULL: errno.
 */
struct messages *messages_start(int not_held);
/*
 * Waits until all is written, for a second at most. Then `stderr` is as before; if the reader is still not there, it
 * stays as it is, and what is not written is lost. NULL is fine.
 */
void messages_stop(struct messages *m);

#endif
