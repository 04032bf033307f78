/* SPDX-License-Identifier: BSD-2-Clause */
/* A pause is ended once, by the recorder or by its watchdog, and never anybody else's. */
#include "tests/unit/record/watched.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define RACES 4000

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

static void without_the_watchdog(void **state)
{
	struct fixture *f = *state;

	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(end(f, &f->w->watch, true), WATCH_OURS);
	undo(f, false);
	undo(f, true);
	assert_int_equal(f->w->domain.resumes, 1);
}

static void the_watchdog_comes_first(void **state)
{
	struct fixture *f = *state;

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
static void the_recorder_is_about_to_resume(void **state)
{
	struct fixture *f = *state;

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

static void the_recorder_died_after_its_call(void **state)
{
	struct fixture *f = *state;

	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(ops->pause.resume(f->recorder), 0);
	undo(f, true);
	undo(f, false);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* What it is stopped for then does not count as paused, and the sample is good. */
static void the_recorder_is_stopped_after_its_call(void **state)
{
	struct fixture *f = *state;
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
static void the_pause_has_not_begun(void **state)
{
	struct fixture *f = *state;
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

static void *drain_later(void *fd)
{
	uint64_t count;

	usleep(20000);
	assert_int_equal(read(*(int *)fd, &count, sizeof(count)), sizeof(count));
	return NULL;
}

/* Stopped while it wakes the watchdog: that, too, is before the pause. Here a full eventfd stops it. */
static void waking_the_watchdog_is_not_paused_time(void **state)
{
	const uint64_t full = UINT64_MAX - 1;
	struct fixture *f = *state;
	struct watch *w = &f->w->watch;
	uint64_t before_ns, began_ns;
	pthread_t thread;

	w->wake_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(w->wake_fd, &full, sizeof(full)), sizeof(full));
	atomic_store(&w->asleep, true);
	before_ns = now();
	assert_int_equal(pthread_create(&thread, NULL, drain_later, &w->wake_fd), 0);
	began_ns = watch_begin(w);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(began_ns >= before_ns + 20000000);
	assert_int_equal(w->began_ns, began_ns);
	close(w->wake_fd);
}

static void another_domain_is_left_alone(void **state)
{
	struct fixture *f = *state;

	begin(f, &f->w->watch);
	f->w->domain.info.uuid[0]++;
	undo_domain(f, (const uint8_t[16]){1, 2, 3}, true);
	assert_int_equal(f->w->domain.our_pauses, 1);
	assert_int_equal(ops->pause.resume(f->recorder), 0);
}

/* --- both at once ------------------------------------------------------------------------------------------------ */

struct race {
	struct fixture *f;
	atomic_bool over;
};

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void loiter(uint64_t *seed)
{
	uint64_t until = now() + draw(seed) % 2000;

	if (draw(seed) % 64 == 0)
		usleep(100);
	while (now() < until)
		;
}

static void *hasty_watchdog(void *arg)
{
	struct race *r = arg;
	struct watch *w = &r->f->w->watch;
	uint64_t seed = 77;

	while (!atomic_load(&r->over)) {
		uint64_t state = watch_state(w);

		loiter(&seed);
		if (draw(&seed) % 4 == 0)
			watch_undo(ops, r->f->watchdog, r->f->w->domain.info.uuid, w, state, false);
	}
	return NULL;
}

static void exactly_one_of_them_unpauses(void **state)
{
	struct fixture *f = *state;
	struct race race = {.f = f};
	unsigned ours = 0, undone = 0, cancelled = 0;
	const uint64_t end_ns = now() + 60 * S;
	uint64_t seed = 42;
	pthread_t thread;

	f->w->domain.foreign_pauses = 1;
	assert_int_equal(pthread_create(&thread, NULL, hasty_watchdog, &race), 0);
	/* On a busy machine one of them may have all of the time for a while. */
	for (int i = 0; i < RACES || ((ours == 0 || undone + cancelled == 0) && now() < end_ns); i++) {
		bool claimed;

		begin(f, &f->w->watch);
		loiter(&seed);
		claimed = watch_claim(&f->w->watch);
		loiter(&seed);
		if (end(f, &f->w->watch, claimed) == WATCH_OURS)
			ours++;
		else if (claimed)
			cancelled++;
		else
			undone++;
		assert_int_equal(f->w->domain.our_pauses, 0);
		assert_int_equal(f->w->domain.foreign_pauses, 1);
	}
	atomic_store(&race.over, true);
	pthread_join(thread, NULL);
	print_message("%u ended by the recorder, %u by the watchdog, %u of these as the recorder was about to\n", ours,
	              undone + cancelled, cancelled);
	assert_true(ours > 0);
	assert_true(undone + cancelled > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_the_watchdog),
		TEST(the_watchdog_comes_first),
		TEST(the_recorder_is_about_to_resume),
		TEST(the_recorder_died_after_its_call),
		TEST(the_recorder_is_stopped_after_its_call),
		TEST(the_pause_has_not_begun),
		TEST(waking_the_watchdog_is_not_paused_time),
		TEST(another_domain_is_left_alone),
		TEST(exactly_one_of_them_unpauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
