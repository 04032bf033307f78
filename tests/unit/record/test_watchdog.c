/* SPDX-License-Identifier: BSD-2-Clause */
/* The watchdog's process: which pauses it ends, and when. */
#include "tests/unit/record/watched.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/watchdog/watchdog.h"

static struct watchdog *start(struct fixture *f, uint64_t max_pause_ns, struct watch **w)
{
	const struct watchdog_limits limits = {.max_pause_ns = max_pause_ns};
	struct watchdog *g = watchdog_start(ops, &f->w->domain.info, 1, &limits);

	assert_non_null(g);
	*w = watchdog_watch(g, 0);
	ops->pause.mark_at(f->recorder, (*w)->mark, NULL);
	return g;
}

static void await_unpaused(const struct fixture *f)
{
	while (f->w->domain.our_pauses != 0)
		usleep(1000);
}

FIXTURE_TEST(a_pause_too_long_is_undone)
{
	struct watch *w;
	struct watchdog *g = start(f, 5 * MS, &w);

	f->w->domain.foreign_pauses = 1;
	for (int i = 0; i < 20; i++) {
		begin(f, w);
		await_unpaused(f);
		assert_true(now() - w->began_ns >= 5 * MS);
		assert_false(watch_claim(w));
		assert_int_equal(end(f, w, false), WATCH_UNDONE);
		assert_true(w->undone_ns - w->began_ns >= 5 * MS);
	}
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	ops->pause.mark_at(f->recorder, &f->w->mark, NULL);
	watchdog_stop(g);
}

/* It sleeps when nothing happens, and the next pause wakes it. */
FIXTURE_TEST(it_is_woken)
{
	struct watch *w;
	struct watchdog *g = start(f, 2 * MS, &w);

	for (int i = 0; i < 5; i++) {
		while (!w->asleep)
			usleep(1000);
		begin(f, w);
		await_unpaused(f);
		assert_int_equal(end(f, w, watch_claim(w)), WATCH_UNDONE);
	}
	ops->pause.mark_at(f->recorder, &f->w->mark, NULL);
	watchdog_stop(g);
}

FIXTURE_TEST(a_pause_is_undone_at_the_recorders_death)
{
	int status;

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			struct watch *w;

			start(f, 3600 * S, &w);
			begin(f, w);
			_exit(f->w->domain.our_pauses == 1 ? 0 : 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		await_unpaused(f);
	}
}

/* Inherited ones, so that the pipe by which the watchdog notices the death has a high number. */
FIXTURE_TEST(a_recorder_with_many_descriptors_dies)
{
	const rlim_t many = 5000;
	struct rlimit limit;
	struct watch *w;
	int status;
	pid_t pid;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < many + 20)
		pass_without("a limit of 5020 open files");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		while ((rlim_t)dup(STDERR_FILENO) < many)
			;
		start(f, 3600 * S, &w);
		begin(f, w);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	await_unpaused(f);
}

/* --follow: the domain may be gone again, or one that cannot be recorded. */
FIXTURE_TEST(a_domain_that_comes_back_is_watched)
{
	struct watch *w;
	struct watchdog *g = start(f, 5 * MS, &w);

	f->w->domain.unsupported = true;
	assert_int_equal(watchdog_replace(g, 0, &f->w->domain.info), -ENOTSUP);
	assert_true(watchdog_alive(g));
	f->w->domain.unsupported = false;
	assert_int_equal(watchdog_replace(g, 0, &f->w->domain.info), 0);
	begin(f, w);
	await_unpaused(f);
	assert_int_equal(watchdog_replace(g, 1, &f->w->domain.info), -EINVAL);
	watchdog_stop(g);
}

static void take(int number)
{
	(void)number;
}

/* The watchdog itself sends such signals, to interrupt what the recorder waits in: they are not its death. */
FIXTURE_TEST(a_signal_is_not_its_death)
{
	const struct sigaction taken = {.sa_handler = take};
	const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
	struct watch *w;
	struct watchdog *g = start(f, 5 * MS, &w);
	int dead = 0;

	assert_int_equal(sigaction(SIGALRM, &taken, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (int i = 0; i < 20000; i++)
		dead += !watchdog_alive(g);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(dead, 0);
	watchdog_stop(g);
}
