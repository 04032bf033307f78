/* SPDX-License-Identifier: BSD-2-Clause */
/* signals.h - the recorder waits for signals instead of handling them, so that none comes while a guest is paused. */
#ifndef RECORD_PROCESS_SIGNALS_H
#define RECORD_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * To be called first: signals that the parent has blocked are unblocked, and SIGCHLD is no longer ignored, with which
 * nobody could wait for a child.
 */
void signals_reset(void);
/*
 * Blocks, for the calling thread and those it starts later, the signals that end or stop the recorder, and SIGUSR2 if
 * @usr2; they are then in @signals, for sigtimedwait(). Ignores SIGUSR2 otherwise, and those that only report a failed
 * write.
 */
void signals_block(sigset_t *signals, bool usr2);
/* Discards those of @signals that are pending and unblocks them: the next one ends the program. */
void signals_unblock(const sigset_t *signals);

/* SIGCONT and SIGURG interrupt the call that the process waits in, instead of nothing. */
void signals_interrupt(void);
/*
 * To be called by each other thread: these signals come to the sampling thread, which has then taken note of one that
 * let it go on before it goes on.
 */
void signals_leave_to_sampler(void);
/* The process that has sent the last SIGCONT since then; 0: none. */
pid_t signals_continued_by(void);

#endif
