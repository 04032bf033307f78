/* SPDX-License-Identifier: BSD-2-Clause */
/* A pause is ended once, by the recorder or by its watchdog, and never anybody else's. */
#include "tests/unit/record/watched.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct undoing {
	struct fixture *f;
	const uint8_t *uuid;
	bool dead;
};

static void *undo_thread(void *arg)
{
	struct undoing *u = arg;
	struct watch *w = &u->f->w->watch;

	watch_undo(ops, u->f->watchdog, u->uuid, w, watch_state(w), u->dead);
	return NULL;
}

/* By a thread of its own: the simulation tells by it who may call what during a pause. */
static void undo_domain(struct fixture *f, const uint8_t *uuid, bool dead)
{
	struct undoing u = {f, uuid, dead};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, undo_thread, &u), 0);
	pthread_join(thread, NULL);
}

static void undo(struct fixture *f, bool dead)
{
	undo_domain(f, f->w->domain.info.uuid, dead);
}

FIXTURE_TEST(without_the_watchdog)
{
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(end(f, &f->w->watch, true), WATCH_OURS);
	undo(f, false);
	undo(f, true);
	assert_int_equal(f->w->domain.resumes, 1);
}

FIXTURE_TEST(the_watchdog_comes_first)
{
	f->w->domain.foreign_pauses = 1;
	for (int dead = 0; dead < 2; dead++) {
		begin(f, &f->w->watch);
		assert_int_equal(f->w->domain.our_pauses, 1);
		undo(f, dead);
		assert_int_equal(f->w->domain.our_pauses, 0);
		undo(f, false);
		undo(f, true);
		assert_false(watch_claim(&f->w->watch));
		assert_int_equal(end(f, &f->w->watch, false), WATCH_UNDONE);
	}
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* Stopped between the claim and the call: the call must be without effect when it comes. */
FIXTURE_TEST(the_recorder_is_about_to_resume)
{
	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	undo(f, false);
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_int_equal(end(f, &f->w->watch, true), WATCH_UNDONE);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	/* The next one is as any. */
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(end(f, &f->w->watch, true), WATCH_OURS);
}

FIXTURE_TEST(the_recorder_died_after_its_call)
{
	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(ops->pause.resume(f->recorder), 0);
	undo(f, true);
	undo(f, false);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* What it is stopped for then does not count as paused, and the sample is good. */
FIXTURE_TEST(the_recorder_is_stopped_after_its_call)
{
	uint64_t began_ns, ended_ns;

	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(ops->pause.resume(f->recorder), 0);
	undo(f, false);
	began_ns = f->w->watch.began_ns;
	ended_ns = now() + S;
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_UNDONE);
	assert_true(ended_ns <= now());
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* Stopped or dead between saying so and the call that pauses: there is nothing to undo. */
FIXTURE_TEST(the_pause_has_not_begun)
{
	uint64_t began_ns, ended_ns, first_ns;

	f->w->domain.foreign_pauses = 1;
	began_ns = first_ns = watch_begin(&f->w->watch);
	undo(f, false);
	undo(f, true);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	/* What it was stopped for does not count as paused. */
	ended_ns = now() + S;
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_OURS);
	assert_true(began_ns > first_ns);
	/* Of an earlier pause it means nothing. */
	first_ns = began_ns = watch_begin(&f->w->watch);
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_OURS);
	assert_int_equal(began_ns, first_ns);
}

struct drain {
	struct watch *w;
	uint64_t before, at_ns;
};

/* Once the recorder has begun its pause. */
static void *drain_later(void *arg)
{
	struct drain *d = arg;
	uint64_t count;

	while (watch_state(d->w) == d->before)
		sched_yield();
	d->at_ns = now();
	assert_int_equal(read(d->w->wake_fd, &count, sizeof(count)), sizeof(count));
	return NULL;
}

/* Stopped while it wakes the watchdog: that, too, is before the pause. Here a full eventfd stops it. */
FIXTURE_TEST(waking_the_watchdog_is_not_paused_time)
{
	const uint64_t full = UINT64_MAX - 1;
	struct watch *w = &f->w->watch;
	struct drain d = {w, watch_state(w), 0};
	uint64_t began_ns;
	pthread_t thread;

	w->wake_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(w->wake_fd, &full, sizeof(full)), sizeof(full));
	atomic_store(&w->asleep, true);
	assert_int_equal(pthread_create(&thread, NULL, drain_later, &d), 0);
	began_ns = watch_begin(w);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(began_ns >= d.at_ns);
	assert_int_equal(w->began_ns, began_ns);
	close(w->wake_fd);
}

FIXTURE_TEST(another_domain_is_left_alone)
{
	begin(f, &f->w->watch);
	f->w->domain.info.uuid[0]++;
	undo_domain(f, (const uint8_t[16]){1, 2, 3}, true);
	assert_int_equal(f->w->domain.our_pauses, 1);
	assert_int_equal(ops->pause.resume(f->recorder), 0);
}

/* --- both at once: the recorder acts between any two calls of the watchdog's -------------------------------------- */

#define TURNS 8 /* of the recorder: before each call of the watchdog's, and after the last one */

static struct {
	sem_t recorder, watchdog;
	bool cancelled, over;
} turn;

static void let_recorder_act(void)
{
	sem_post(&turn.recorder);
	while (sem_wait(&turn.watchdog) != 0)
		;
}

/* After cancel_resume() it is asked again and again, for a while. */
static bool slow_is_marked(const struct pause_mark *m, bool dead)
{
	if (!turn.cancelled)
		let_recorder_act();
	return ops->watch.is_marked(m, dead);
}

static bool slow_cancel_resume(struct pause_mark *m)
{
	let_recorder_act();
	bool can = ops->watch.cancel_resume(m);
	let_recorder_act();
	turn.cancelled = true;
	return can;
}

static int slow_info(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	let_recorder_act();
	return ops->guest.info(guests, n, infos);
}

static int slow_unpause(struct guest *g)
{
	let_recorder_act();
	return ops->watch.unpause(g);
}

static void *slow_watchdog(void *arg)
{
	struct fixture *f = arg;
	struct watch *w = &f->w->watch;
	struct hypervisor_ops slow = *ops;
	uint64_t state;

	slow.watch.is_marked = slow_is_marked;
	slow.watch.cancel_resume = slow_cancel_resume;
	slow.watch.unpause = slow_unpause;
	slow.guest.info = slow_info;
	let_recorder_act();
	state = watch_state(w);
	watch_undo(&slow, f->watchdog, f->w->domain.info.uuid, w, state, false);
	turn.over = true;
	sem_post(&turn.recorder);
	return NULL;
}

struct pause_end {
	bool claimed;
	int rc;
	enum watch_outcome outcome;
};

/* The recorder's steps: its claim, its call, and its note that the pause is over, which waits for the watchdog. */
static bool act(struct fixture *f, int step, struct pause_end *e)
{
	struct watch *w = &f->w->watch;

	if (step == 0)
		e->claimed = watch_claim(w);
	else if (step == 1)
		e->rc = resume(f, e->claimed);
	else if (watch_left(w) == WATCH_LEFT_TAKEN)
		return false;
	else
		e->outcome = note_end(f, w, e->rc);
	return true;
}

/* @at: at which turn the recorder takes each of its steps, at the earliest. */
static struct pause_end end_by_turns(struct fixture *f, const int at[3])
{
	struct pause_end e = {0};
	pthread_t thread;
	bool over = false;
	int step = 0;

	turn.cancelled = turn.over = false;
	begin(f, &f->w->watch);
	assert_int_equal(pthread_create(&thread, NULL, slow_watchdog, f), 0);
	for (int now_at = 0; !over; now_at++) {
		while (sem_wait(&turn.recorder) != 0)
			;
		over = turn.over;
		while (step < 3 && (over || at[step] <= now_at) && act(f, step, &e))
			step++;
		if (!over)
			sem_post(&turn.watchdog);
	}
	pthread_join(thread, NULL);
	assert_int_equal(step, 3);
	return e;
}

FIXTURE_TEST(exactly_one_of_them_unpauses)
{
	unsigned ours = 0, undone = 0, cancelled = 0;
	int at[3];

	f->w->domain.foreign_pauses = 1;
	sem_init(&turn.recorder, 0, 0);
	sem_init(&turn.watchdog, 0, 0);
	for (at[0] = 0; at[0] < TURNS; at[0]++)
		for (at[1] = at[0]; at[1] < TURNS; at[1]++)
			for (at[2] = at[1]; at[2] < TURNS; at[2]++) {
				struct pause_end e = end_by_turns(f, at);

				ours += e.outcome == WATCH_OURS;
				cancelled += e.outcome != WATCH_OURS && e.claimed;
				undone += e.outcome != WATCH_OURS && !e.claimed;
				assert_int_equal(f->w->domain.our_pauses, 0);
				assert_int_equal(f->w->domain.foreign_pauses, 1);
			}
	print_message("%u ended by the recorder, %u by the watchdog, %u of these as the recorder was about to\n", ours,
	              undone + cancelled, cancelled);
	assert_true(ours > 0 && undone > 0 && cancelled > 0);
}
