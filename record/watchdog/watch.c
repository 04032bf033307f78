/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/watchdog/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "record/process/signals.h"

/*
 * How long a call that the hypervisor has begun to carry out may take at most. Xen reads the call and carries it out
 * in one go, in microseconds; if it cannot at once, it reads the call again.
 */
#define CALL_NS 50000000u
#define STUCK_NS 2000000000u
#define LOOK_NS 200000
#define KICKED_NS 1000000000u /* how long a recorder that was kicked may take, before it is killed */

enum phase { OVER, HELD, ENDING, TAKEN, UNDONE };
#define PHASE_BITS 3

static enum phase phase_of(uint64_t state)
{
	return (enum phase)(state & ((1u << PHASE_BITS) - 1));
}

/* The state of the same pause in another phase. */
static uint64_t in_phase(uint64_t state, enum phase phase)
{
	return (state >> PHASE_BITS << PHASE_BITS) | phase;
}

static bool move_phase(struct watch *w, uint64_t from, enum phase to)
{
	return atomic_compare_exchange_strong(&w->state, &from, in_phase(from, to));
}

/* --- the recorder's part ----------------------------------------------------------------------------------------- */

uint64_t watch_begin(struct watch *w)
{
	uint64_t state, now_ns;

	if (!w)
		return clock_now();
	state = atomic_load(&w->state) + (1u << PHASE_BITS);
	atomic_store(&w->began_ns, clock_now());
	/* Either we see that the watchdog sleeps, or it sees, before it does, that a pause has begun. */
	atomic_store(&w->state, in_phase(state, HELD));
	if (atomic_load(&w->asleep) && atomic_exchange(&w->asleep, false))
		clock_wake(w->wake_fd);
	now_ns = clock_now();
	atomic_store(&w->began_ns, now_ns);
	return now_ns;
}

bool watch_claim(struct watch *w)
{
	return !w || move_phase(w, in_phase(atomic_load(&w->state), HELD), ENDING);
}

/* What was seen of an earlier pause is earlier than this one's beginning. */
static void correct(const struct watch *w, bool undone, uint64_t *began_ns, uint64_t *ended_ns)
{
	uint64_t later = atomic_load(&w->later_ns), undone_ns = atomic_load(&w->undone_ns);

	if (undone && undone_ns < *ended_ns)
		*ended_ns = undone_ns;
	if (later > *began_ns && later < *ended_ns)
		*began_ns = later;
}

/*
 * Somebody had stopped us by a signal, inside a pause: now we can stop. If they have let us go on since the watchdog
 * has seen us stopped, that was for good: their signal will not come again.
 */
static enum watch_outcome end_kicked(struct watch *w, uint64_t state)
{
	if (in_phase(atomic_load(&w->kicked), OVER) != in_phase(state, OVER))
		return WATCH_OURS;
	if (atomic_exchange(&w->stop_again, false) && signals_continued_ns() < atomic_load(&w->kicked_ns))
		raise(SIGSTOP);
	return WATCH_KICKED;
}

enum watch_outcome watch_end(struct watch *w, uint64_t *began_ns, uint64_t *ended_ns)
{
	uint64_t since = 0;

	while (w) {
		uint64_t state = atomic_load(&w->state);

		if (phase_of(state) == UNDONE) {
			correct(w, true, began_ns, ended_ns);
			return WATCH_UNDONE;
		}
		if (phase_of(state) != TAKEN) {
			if (!move_phase(w, state, OVER))
				continue;
			correct(w, false, began_ns, ended_ns);
			return end_kicked(w, state);
		}
		if (!since)
			since = clock_now();
		if (clock_now() - since > STUCK_NS)
			return WATCH_STUCK;
		clock_sleep(LOOK_NS);
	}
	return WATCH_OURS;
}

/* --- the watchdog's part ----------------------------------------------------------------------------------------- */

uint64_t watch_state(const struct watch *w)
{
	return atomic_load(&w->state);
}

bool watch_is_over(uint64_t state)
{
	return phase_of(state) == OVER || phase_of(state) == UNDONE;
}

enum watch_left watch_left(const struct watch *w)
{
	uint64_t state = watch_state(w);

	if (watch_is_over(state))
		return WATCH_LEFT_NONE;
	return phase_of(state) == TAKEN ? WATCH_LEFT_TAKEN : WATCH_LEFT_MARKED;
}

/* Is the recorder's own call to resume, which it may have begun, without effect from now on? */
static bool is_prevented(const struct hypervisor_ops *ops, struct watch *w)
{
	uint64_t since = clock_now();

	if (!ops->watch.cancel_resume(w->mark))
		return false;
	while (ops->watch.is_marked(w->mark, false) && clock_now() - since < CALL_NS)
		clock_sleep(LOOK_NS);
	return true;
}

/* Only what still is the domain that was paused, and is paused: anything else is not ours to undo. */
static int unpause_own(const struct hypervisor_ops *ops, struct guest *guest, const uint8_t *uuid)
{
	struct guest_info info;
	int rc = ops->guest.info(&guest, 1, &info);

	if (rc != 0 || memcmp(info.uuid, uuid, sizeof(info.uuid)) != 0 || !info.paused)
		return rc == -ESRCH ? 0 : rc;
	rc = ops->watch.unpause(guest);
	return rc == -EINVAL || rc == -ESRCH ? 0 : rc;
}

/* No pause is marked as in force: it has not begun, or its end is not noted yet. For when the recorder goes on. */
static void note_state(const struct hypervisor_ops *ops, struct watch *w, uint64_t state)
{
	uint64_t now_ns = clock_now();

	if (ops->watch.is_marked(w->mark, true))
		return;
	if (phase_of(state) == HELD && atomic_load(&w->state) == state)
		atomic_store(&w->later_ns, now_ns);
	if (phase_of(state) == ENDING && move_phase(w, state, TAKEN)) {
		atomic_store(&w->undone_ns, now_ns);
		move_phase(w, in_phase(state, TAKEN), UNDONE);
	}
}

void watch_undo(const struct hypervisor_ops *ops, struct guest *guest, const uint8_t *uuid, struct watch *w,
                uint64_t state, bool dead)
{
	bool ending = phase_of(state) == ENDING;

	if (watch_is_over(state))
		return;
	if (!ops->watch.is_marked(w->mark, dead)) {
		note_state(ops, w, state);
		return;
	}
	if (!move_phase(w, state, TAKEN))
		return;
	if (ending && !dead && !is_prevented(ops, w)) {
		move_phase(w, in_phase(state, TAKEN), ENDING);
		return;
	}
	/* If the call fails, the recorder finds the pause stuck, and says so. */
	if (ops->watch.is_marked(w->mark, dead) && unpause_own(ops, guest, uuid) != 0)
		return;
	atomic_store(&w->undone_ns, clock_now());
	move_phase(w, in_phase(state, TAKEN), UNDONE);
}

/* Stopped by a signal, not by a debugger. */
static bool is_stopped(pid_t pid)
{
	char text[512], *at = NULL;
	FILE *f;

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	f = fopen(text, "re");
	if (f && fgets(text, sizeof(text), f))
		at = strrchr(text, ')');
	if (f)
		fclose(f);
	return at && strncmp(at, ") T", 3) == 0;
}

bool watch_kick(const struct hypervisor_ops *ops, struct guest *guest, struct watch *w, uint64_t state, pid_t recorder,
                int pidfd)
{
	bool again = in_phase(atomic_load(&w->kicked), OVER) == in_phase(state, OVER);
	uint64_t now_ns = clock_now();
	bool stopped = is_stopped(recorder);
	struct guest_info info;

	if (watch_is_over(state) || !ops->watch.is_marked(w->mark, false))
		return false;
	/* It was stopped later, in another pause or after this one: it would not stop again. */
	if (stopped && atomic_load(&w->state) != state)
		return false;
	if (!again || stopped) {
		atomic_store(&w->kicked_ns, now_ns);
		atomic_store(&w->stop_again, stopped);
		atomic_store(&w->kicked, state);
	} else if (now_ns - atomic_load(&w->kicked_ns) < KICKED_NS) {
		return false;
	}
	if (again && !stopped && ops->guest.info(&guest, 1, &info) == 0 && info.paused)
		return true;
	/* SIGCONT would discard a SIGSTOP that is on its way. */
	if (stopped)
		signals_wake(recorder);
	else
		syscall(SYS_pidfd_send_signal, pidfd, SIGURG, NULL, 0);
	return false;
}
