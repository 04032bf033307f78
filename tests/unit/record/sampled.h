/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled.h - for tests of samples: a simulated domain that is a target of the recorder. Each test has its own setup().
 */
#ifndef TESTS_UNIT_RECORD_SAMPLED_H
#define TESTS_UNIT_RECORD_SAMPLED_H

#include "tests/unit/unit.h"

#include <string.h>

#include "tests/sim/sim.h"
#include "record/sampling/sample.h"

struct fixture {
	struct sim_domain d;
	uint64_t root;
	struct hypervisor *x;
	struct target *t;
	struct pause_mark mark;
	struct watch watch;
	unsigned retaken; /* rounds that took more than one pause, if the test counts them */
};

/* Of the domain as it is. A target that there was is closed. */
static void open_target(struct fixture *f, const struct stack_choice *choice)
{
	target_close(f->t);
	f->x = sim_world(&f->d, 1);
	f->t = target_open(&hypervisor_backend, f->x, &f->d.info, NULL, choice);
	assert_non_null(f->t);
	f->watch.mark = &f->mark;
	target_watch(f->t, &f->watch);
}

static void teardown(struct fixture *f)
{
	assert_false(hypervisor_backend.watch.is_marked(&f->mark, true));
	target_close(f->t);
	assert_int_equal(f->d.mapped, 0);
	assert_int_equal(f->d.broken, 0);
	assert_int_equal(f->d.our_pauses, 0);
	sim_free(&f->d);
}

#endif
