/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simclock FILE COMMAND - holds the simulated clock of a recorder, and lets it go (tests/sim/clock.h):
 *   new            creates it, held at time 0; the recorder comes later
 *   until SECONDS  lets it go until then, and ends when everybody waits there, or the recorder has ended
 *   free           lets it go for ever
 *   waits          prints how often the sampling thread has waited for a deadline
 *   steps          prints how often any thread's deadline came
 * What the test has done before (a signal, a file removed) has its effect at the time at which the clock was held:
 * only when nobody runs any more, as the kernel says, does the time move.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/clock_table.h"

static bool is_at_rest(const struct clock_thread *thread, uint64_t *switches)
{
	const char state = clock_thread_state(thread, switches);

	return state == 0 || strchr("ZXTt", state) || (state == 'S' && thread->waiting);
}

/* Nobody runs: so it was between two looks at each thread, if none has run from the first to the second. */
static bool is_quiet(const struct clock_table *t)
{
	uint64_t switches[2][CLOCK_THREADS] = {{0}};
	const unsigned steps = t->steps;

	for (int look = 0; look < 2; look++)
		for (size_t i = 0; i < CLOCK_THREADS; i++)
			if (t->threads[i].tid && !is_at_rest(&t->threads[i], &switches[look][i]))
				return false;
	return t->began && steps == t->steps && memcmp(switches[0], switches[1], sizeof(switches[0])) == 0;
}

/* Is nothing to happen before the time at which it is held? */
static bool has_arrived(const struct clock_table *t)
{
	bool left = false;

	for (size_t i = 0; i < CLOCK_THREADS; i++)
		left |= t->threads[i].tid && t->threads[i].waiting && t->threads[i].deadline_ns <= t->hold_ns;
	return !left && is_quiet(t);
}

static void await(struct clock_table *t, bool (*condition)(const struct clock_table *t))
{
	for (unsigned tries = 0; !condition(t); tries++) {
		if (tries > CLOCK_HANG_S * 1000u) {
			clock_table_print(t);
			exit(1);
		}
		clock_table_lock(t);
		clock_table_move(t, true);
		clock_table_unlock(t);
		usleep(tries < 50 ? 200 : 1000);
	}
}

static void let_go(struct clock_table *t, uint64_t hold_ns)
{
	await(t, is_quiet);
	t->hold_ns = hold_ns;
	clock_table_lock(t);
	clock_table_move(t, true);
	clock_table_unlock(t);
	if (hold_ns == UINT64_MAX)
		return;
	await(t, has_arrived);
	if (t->now_ns < hold_ns)
		t->now_ns = hold_ns;
}

int main(int argc, char **argv)
{
	const char *command = argc > 2 ? argv[2] : "";
	struct clock_table *t;

	if (argc != (strcmp(command, "until") == 0 ? 4 : 3)) {
		fputs("simclock FILE new|until SECONDS|free|waits|steps\n", stderr);
		return 2;
	}
	if (strcmp(command, "new") == 0)
		unlink(argv[1]);
	t = clock_table_map(argv[1], CLOCK_START_NS);
	if (strcmp(command, "until") == 0)
		let_go(t, CLOCK_START_NS + (uint64_t)(atof(argv[3]) * 1e9 + 0.5));
	else if (strcmp(command, "free") == 0)
		let_go(t, UINT64_MAX);
	else if (strcmp(command, "waits") == 0)
		printf("%u\n", t->waits);
	else if (strcmp(command, "steps") == 0)
		printf("%u\n", t->steps);
	return 0;
}
