/* SPDX-License-Identifier: BSD-2-Clause */
/* watched.h - for tests of the watchdog: a simulated domain that a recorder and a watchdog act on. */
#ifndef TESTS_UNIT_RECORD_WATCHED_H
#define TESTS_UNIT_RECORD_WATCHED_H

#include "tests/unit/unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/sim/sim.h"
#include "record/watchdog/watch.h"

#define MS 1000000ull
#define S 1000000000ull
#define MAYBE __attribute__((unused)) static

static const struct hypervisor_ops *const ops = &hypervisor_backend;

/* In memory that forked processes share: recorder and watchdog act on one domain. */
struct world {
	struct sim_domain domain;
	struct watch watch;
	struct pause_mark mark;
	atomic_bool awake; /* a recorder has gone on */
	atomic_bool waits; /* it is not to end its pause yet */
};

struct fixture {
	struct world *w;
	struct guest *recorder, *watchdog;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static void setup(struct fixture *f)
{
	struct hypervisor *x;

	f->w = mmap(NULL, sizeof(*f->w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(f->w != MAP_FAILED);
	f->w->domain.info = (struct guest_info){.domid = 7, .vcpus = 1, .uuid = {1, 2, 3}};
	f->w->watch.mark = &f->w->mark;
	x = sim_world(&f->w->domain, 1);
	f->recorder = ops->guest.attach(x, &f->w->domain.info, NULL, ATTACH_TO_SAMPLE);
	f->watchdog = ops->guest.attach(x, &f->w->domain.info, NULL, ATTACH_TO_SAMPLE);
	ops->pause.mark_at(f->recorder, &f->w->mark, NULL);
}

static void teardown(struct fixture *f)
{
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_int_equal(f->w->domain.broken, 0);
	ops->guest.detach(f->recorder);
	ops->guest.detach(f->watchdog);
	munmap(f->w, sizeof(*f->w));
}

MAYBE void begin(struct fixture *f, struct watch *w)
{
	struct vcpu_stop vcpus[SIM_VCPUS];
	struct guest_info before;

	ops->pause.prepare(f->recorder, NULL);
	watch_begin(w);
	assert_int_equal(ops->pause.stop(f->recorder, &(struct pause_span){0}), 0);
	ops->pause.collect(f->recorder, &before, vcpus);
}

MAYBE int resume(struct fixture *f, bool claimed)
{
	return claimed ? ops->pause.resume(f->recorder) : -ECANCELED;
}

/* After resume(), as the recorder does. How the pause ended. */
MAYBE enum watch_outcome note_end(struct fixture *f, struct watch *w, int rc)
{
	uint64_t began_ns = w->began_ns, ended_ns = now();
	enum watch_outcome how = watch_end(w, &began_ns, &ended_ns);

	assert_int_not_equal(how, WATCH_STUCK);
	assert_true(rc == 0 || rc == -ECANCELED);
	if (how == WATCH_UNDONE) {
		assert_true(w->undone_ns >= w->began_ns && w->undone_ns <= now());
		ops->pause.mark_at(f->recorder, w->mark, NULL);
	}
	assert_true(began_ns >= w->began_ns && began_ns <= ended_ns && ended_ns <= now());
	assert_true(rc == 0 || how == WATCH_UNDONE);
	return rc == 0 ? WATCH_OURS : WATCH_UNDONE;
}

MAYBE enum watch_outcome end(struct fixture *f, struct watch *w, bool claimed)
{
	return note_end(f, w, resume(f, claimed));
}

#endif
