/* SPDX-License-Identifier: BSD-2-Clause */
/* Where only the recorder can end its pause: the watchdog wakes it by a signal, or says that it must be killed. */
#include "tests/unit/record/watched.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/process/signals.h"

/* Never ends its pause; at the second SIGCONT it exits. */
static _Noreturn void be_stuck(struct world *w)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGURG);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGSTOP);
	sigwait(&set, &number);
	atomic_store(&w->awake, true);
	sigwait(&set, &number);
	_exit(0);
}

/* LATE takes note of all signals at once, when its pause ends. */
enum kind { PROMPT, LATE, STUCK };

/* A recorder that is stopped inside a pause, then goes on; 0 if it was told that it was kicked. With its descriptor. */
static pid_t start_recorder(struct fixture *f, enum kind kind, int *pidfd)
{
	pid_t pid = fork();
	sigset_t set;

	if (pid == 0) {
		uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns;

		ops->pause.prepare(f->recorder, NULL);
		ops->pause.stop(f->recorder, &(struct pause_span){0});
		if (kind == STUCK)
			be_stuck(f->w);
		signals_interrupt();
		sigemptyset(&set);
		sigaddset(&set, SIGCONT);
		sigprocmask(kind == LATE ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
		raise(SIGSTOP);
		atomic_store(&f->w->awake, true);
		do
			usleep(1000);
		while (atomic_load(&f->w->waits));
		sigprocmask(SIG_UNBLOCK, &set, NULL); /* takes note of a signal that came before */
		watch_claim(&f->w->watch);
		ops->pause.resume(f->recorder);
		_exit(watch_end(&f->w->watch, &began_ns, &ended_ns) != WATCH_KICKED);
	}
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return pid;
}

static int next_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	return status;
}

/* True: it must be killed. */
static bool kick(struct fixture *f, pid_t pid, int pidfd)
{
	return watch_kick(ops, f->watchdog, &f->w->watch, watch_state(&f->w->watch), pid, pidfd);
}

FIXTURE_TEST(a_stopped_recorder_is_let_go_on)
{
	int pidfd, status;
	pid_t pid = start_recorder(f, PROMPT, &pidfd);

	assert_true(WIFSTOPPED(next_status(pid)));
	assert_int_equal(f->w->domain.our_pauses, 1);
	assert_false(kick(f, pid, pidfd));
	/* It has ended its pause, and stopped itself again. */
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_false(kick(f, pid, pidfd));
	kill(pid, SIGCONT);
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

/* A signal to the process, which has not taken it yet. */
static bool is_pending(pid_t pid, int number)
{
	char text[64];
	unsigned long long set = 0;
	FILE *f;

	snprintf(text, sizeof(text), "/proc/%d/status", (int)pid);
	f = fopen(text, "re");
	assert_non_null(f);
	while (fgets(text, sizeof(text), f) && sscanf(text, "ShdPnd: %llx", &set) != 1)
		;
	fclose(f);
	return set >> (number - 1) & 1;
}

/* Somebody's SIGCONT comes before it has stopped itself again, and will not come a second time. */
static void let_go_on(struct fixture *f, enum kind kind, bool watchdog_is_last)
{
	int pidfd, status;
	pid_t pid;

	atomic_store(&f->w->waits, true);
	atomic_store(&f->w->awake, false);
	pid = start_recorder(f, kind, &pidfd);
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_false(kick(f, pid, pidfd));
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	kill(pid, SIGCONT);
	if (watchdog_is_last) {
		while (is_pending(pid, SIGCONT))
			usleep(1000);
		signals_wake(pid);
	}
	atomic_store(&f->w->waits, false);
	status = next_status(pid);
	if (WIFSTOPPED(status))
		kill(pid, SIGKILL);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

FIXTURE_TEST(a_recorder_that_somebody_let_go_on_does_not_stop_again)
{
	let_go_on(f, PROMPT, false);
}

/* The kernel drops a signal of which one is pending. */
FIXTURE_TEST(also_if_both_signals_are_pending)
{
	let_go_on(f, LATE, false);
}

FIXTURE_TEST(also_if_the_watchdogs_is_the_last)
{
	let_go_on(f, PROMPT, true);
}

/* What the watchdog has seen may be over, and the recorder stopped since. */
FIXTURE_TEST(a_recorder_that_was_stopped_later_stays_stopped)
{
	uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns, seen = watch_state(&f->w->watch);
	int pidfd, status;
	pid_t pid;

	watch_end(&f->w->watch, &began_ns, &ended_ns);
	pid = start_recorder(f, PROMPT, &pidfd);
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_false(watch_kick(ops, f->watchdog, &f->w->watch, seen, pid, pidfd));
	/* A SIGCONT would have let it go on before watch_kick() returned. */
	assert_int_equal(waitpid(pid, &status, WCONTINUED | WNOHANG), 0);
	assert_false(kick(f, pid, pidfd));
	assert_true(WIFSTOPPED(next_status(pid)));
	kill(pid, SIGKILL);
	next_status(pid);
	close(pidfd);
}

/* SIGCONT would discard a SIGSTOP that it has not taken yet. */
FIXTURE_TEST(a_recorder_that_runs_gets_no_sigcont)
{
	sigset_t none, both;
	int pidfd, status;
	pid_t pid = fork();

	if (pid == 0) {
		uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns;

		ops->pause.prepare(f->recorder, NULL);
		ops->pause.stop(f->recorder, &(struct pause_span){0});
		signals_interrupt();
		sigemptyset(&none);
		sigemptyset(&both);
		sigaddset(&both, SIGCONT);
		sigaddset(&both, SIGURG);
		sigprocmask(SIG_BLOCK, &both, NULL);
		atomic_store(&f->w->awake, true);
		sigsuspend(&none);
		watch_claim(&f->w->watch);
		ops->pause.resume(f->recorder);
		_exit(watch_end(&f->w->watch, &began_ns, &ended_ns) != WATCH_KICKED || signals_continued_ns() != 0);
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	assert_false(kick(f, pid, pidfd));
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

/* One that has been kicked, and let go on, and did not. */
static pid_t start_stuck(struct fixture *f, int *pidfd)
{
	pid_t pid = start_recorder(f, STUCK, pidfd);
	int status;

	assert_true(WIFSTOPPED(next_status(pid)));
	/* However long ago it was kicked: it is stopped, and can be let go on. */
	f->w->watch.kicked = watch_state(&f->w->watch);
	f->w->watch.kicked_ns = now() - 2 * S;
	assert_false(kick(f, pid, *pidfd));
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	assert_true(WIFCONTINUED(status));
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	/* Too early for more. */
	f->w->watch.kicked_ns = now();
	assert_false(kick(f, pid, *pidfd));
	f->w->watch.kicked_ns = now() - 2 * S;
	return pid;
}

FIXTURE_TEST(a_recorder_that_does_not_let_go_must_be_killed)
{
	int pidfd;
	pid_t pid = start_stuck(f, &pidfd);

	assert_true(kick(f, pid, pidfd));
	kill(pid, SIGKILL);
	next_status(pid);
	/* Where this is used, the kernel lets go of the guest then. */
	f->w->domain.our_pauses = 0;
	close(pidfd);
}

FIXTURE_TEST(a_recorder_that_holds_nothing_is_not_killed)
{
	int pidfd, status;
	pid_t pid = start_stuck(f, &pidfd);

	f->w->domain.our_pauses = 0;
	assert_false(kick(f, pid, pidfd));
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}
