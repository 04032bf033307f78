/* SPDX-License-Identifier: BSD-2-Clause */
/* signals.h - the recorder waits for signals instead of handling them, so that none comes while a guest is paused. */
#ifndef RECORD_PROCESS_SIGNALS_H
#define RECORD_PROCESS_SIGNALS_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * To be called first: signals that the parent has blocked are unblocked, and SIGCHLD is no longer ignored, with which
 * nobody could wait for a child.
 */
void signals_reset(void);
/*
 * Blocks, for the calling thread and those it starts later, the signals that end or stop the recorder, and SIGUSR2 if
 * @usr2; they are then in @signals, for clock_wait(). Ignores SIGUSR2 otherwise, and those that only report a failed
 * write.
 */
void signals_block(sigset_t *signals, bool usr2);
/* One of those that end the recorder that is pending; 0: none. */
int signals_ending(void);
/* Unblocks @signals: one that is pending ends the program. */
void signals_deliver(const sigset_t *signals);
/* Discards those of @signals that are pending and unblocks them: the next one, but SIGUSR2, ends the program. */
void signals_unblock(const sigset_t *signals);

/* For a child: what signals_block() changed is as in a new program. @attributes: posix_spawn()'s. 0 or an errno. */
int signals_reset_in_child(posix_spawnattr_t *attributes);

/* SIGCONT and SIGURG interrupt the call that the process waits in, instead of nothing. */
void signals_interrupt(void);
/*
 * To be called by each other thread: these signals come to the sampling thread, which has then taken note of one that
 * let it go on before it goes on.
 */
void signals_leave_to_sampler(void);
/*
 * Sends SIGCONT to the first thread of @pid, not to the process: the kernel drops a signal of which one is pending
 * already, but those of a thread and of its process are two. So nobody else's SIGCONT is lost beside this one.
 */
void signals_wake(pid_t pid);
/* When somebody has sent the last SIGCONT to the process, since signals_interrupt() (CLOCK_MONOTONIC); 0: never. */
uint64_t signals_continued_ns(void);

#endif
