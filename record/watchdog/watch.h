/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - who ends a pause, the recorder or its watchdog: exactly one of them.
 *
 * Pauses are counted by the hypervisor, and somebody else may hold the domain paused too: an unpause too many would
 * undo theirs. So both processes agree by compare-and-swap on one word of shared memory for each domain:
 *
 *     over --recorder--> held --recorder--> ending --recorder--> over
 *                         |                   |
 *                         +-----watchdog------+--> taken --watchdog--> undone --recorder--> held
 *
 * The recorder may unpause only after it moved the word from "held" to "ending", the watchdog only after it moved it
 * to "taken". From "held", the watchdog unpauses at once: the recorder will find that it must not. From "ending", the
 * recorder may have been stopped just before its call: the watchdog first makes that call void (cancel_resume() of struct
 * watch_ops), waits for as long as a call may take that the hypervisor has already begun, 50 ms, and unpauses
 * only if the mark still says that the pause is in force.
 *
 * Where only the recorder can end its pauses (struct watch_ops, ends_with_recorder), the watchdog takes nothing: it
 * kicks the recorder, which is to send it a signal, and kills it if that does not help. See watch_kick().
 *
 * The word holds the number of the pause too, so that a late compare-and-swap never meets another pause. A sample
 * costs a few stores and loads; nobody waits, except the recorder for a watchdog that is just undoing its pause.
 */
#ifndef RECORD_WATCHDOG_WATCH_H
#define RECORD_WATCHDOG_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "guest/hypervisor.h"

/* One domain's pauses. In memory that recorder and watchdog share, at the same address; zero to begin with. */
struct watch {
	_Atomic uint64_t state;
	_Atomic uint64_t began_ns;  /* CLOCK_MONOTONIC before the call that pauses */
	_Atomic uint64_t later_ns;  /* the watchdog saw that the pause had not begun at this time */
	_Atomic uint64_t undone_ns; /* the watchdog had undone the pause by this time, or saw that it was over */
	_Atomic bool asleep;        /* the watchdog does not look until it is woken */
	int wake_fd;                /* the eventfd that wakes it */
	struct pause_mark *mark;    /* what the hypervisor says about the pause */
	_Atomic uint64_t kicked;    /* the state in which the recorder was kicked to end its pause */
	_Atomic uint64_t kicked_ns; /* when that was, before the watchdog looked whether it was stopped */
	_Atomic bool stop_again;    /* it was stopped by a signal then, and is to stop when the pause is over */
};

/* How a pause ended. */
enum watch_outcome {
	WATCH_OURS,   /* the recorder's own call ended it, or it never began */
	WATCH_KICKED, /* as OURS, after the watchdog had kicked it */
	WATCH_UNDONE, /* the watchdog undid it, or saw its end while the recorder was stopped */
	WATCH_STUCK,  /* the watchdog began to undo it and did not get to the end within two seconds */
};

/* --- the recorder's part; a NULL @w is watched by nobody --------------------------------------------------------- */

/*
 * Call this before stop(). Wakes the watchdog if it sleeps. Returns the start of the pause, ns of CLOCK_MONOTONIC. If
 * the recorder is stopped before it has read that time, this is no part of the pause; if later, the watchdog notes it.
 */
uint64_t watch_begin(struct watch *w);
/* Before resume(). False: the watchdog undoes the pause, and resume() must not be called. */
bool watch_claim(struct watch *w);
/*
 * After resume(), or instead of it; or after stop() failed. @began_ns and @ended_ns are the recorder's own readings of
 * the clock around the pause. If the recorder was stopped next to one of its calls, they are too far apart; they are
 * corrected by what the watchdog has seen meanwhile.
 */
enum watch_outcome watch_end(struct watch *w, uint64_t *began_ns, uint64_t *ended_ns);

/* --- the watchdog's part ----------------------------------------------------------------------------------------- */

/* A word that is equal at two times if nothing was begun or ended in between. */
uint64_t watch_state(const struct watch *w);
/* True: no pause is in force nor about to be taken. */
bool watch_is_over(uint64_t state);
/*
 * Undoes the pause that @state is about, if it still is in force, through the watchdog's own @guest; only if that is
 * still the domain with @uuid. @dead: the recorder is no more. A pause that has not begun, or is over, is not undone;
 * the recorder is left word of that.
 */
void watch_undo(const struct hypervisor_ops *ops, struct guest *guest, const uint8_t *uuid, struct watch *w,
                uint64_t state, bool dead);
/*
 * The same where only the recorder can end the pause, process @recorder, of which @pidfd is a descriptor; @guest is
 * the watchdog's own. To be called again as long as the pause is in force. At first SIGCONT lets the recorder go on
 * if it was stopped, or SIGURG interrupts what it waits for; it stops itself again when the pause is over. If the
 * guest is still paused a second later, true: the recorder is traced, frozen, without a CPU or dumping core, and must
 * be killed, which detaches it from the guest. One that only waits for a thread that is slow to stop holds nothing.
 */
bool watch_kick(const struct hypervisor_ops *ops, struct guest *guest, struct watch *w, uint64_t state, pid_t recorder,
                int pidfd);

/* What is left when both processes are dead. */
enum watch_left {
	WATCH_LEFT_NONE,   /* no pause */
	WATCH_LEFT_MARKED, /* one, if the mark says so */
	WATCH_LEFT_TAKEN,  /* the same, unless the watchdog had just undone it */
};
enum watch_left watch_left(const struct watch *w);

#endif
