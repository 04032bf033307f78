/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/signals.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"

void signals_reset(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
}

/* nohup ignores SIGHUP. */
static bool is_ignored(int number)
{
	struct sigaction old;

	return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

/* SIGTSTP too: Ctrl-Z must not stop the program while the guest is paused. */
static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN};

void signals_block(sigset_t *signals, bool usr2)
{
	sigemptyset(signals);
	for (size_t i = 0; i < sizeof(blocked) / sizeof(*blocked); i++) {
		if (blocked[i] == SIGHUP && is_ignored(SIGHUP))
			continue;
		/* Shells ignore SIGINT for background jobs of a script, but kill -INT must end this one. */
		signal(blocked[i], SIG_DFL);
		sigaddset(signals, blocked[i]);
	}
	if (usr2)
		sigaddset(signals, SIGUSR2);
	else
		signal(SIGUSR2, SIG_IGN);
	sigprocmask(SIG_BLOCK, signals, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
}

int signals_ending(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(blocked) / sizeof(*blocked); i++)
		if (blocked[i] != SIGTSTP && sigismember(&pending, blocked[i]))
			return blocked[i];
	return 0;
}

int signals_reset_in_child(posix_spawnattr_t *attributes)
{
	sigset_t none, defaults;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGUSR2);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaddset(&defaults, ignored[i]);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &defaults);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

void signals_deliver(const sigset_t *signals)
{
	sigprocmask(SIG_UNBLOCK, signals, NULL);
}

void signals_unblock(const sigset_t *signals)
{
	signal(SIGUSR2, SIG_IGN); /* it asks for a trace; there is no other one */
	while (clock_wait(0, signals))
		;
	signals_deliver(signals);
}

/* Of the process, as signal handlers are. */
static _Atomic uint64_t continued_ns;

static void interrupt(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGCONT && info->si_code != SI_TKILL)
		continued_ns = clock_now();
}

void signals_interrupt(void)
{
	const struct sigaction action = {.sa_sigaction = interrupt, .sa_flags = SA_SIGINFO};

	sigaction(SIGCONT, &action, NULL);
	sigaction(SIGURG, &action, NULL);
}

void signals_leave_to_sampler(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void signals_wake(pid_t pid)
{
	syscall(SYS_tgkill, pid, pid, SIGCONT);
}

uint64_t signals_continued_ns(void)
{
	return continued_ns;
}
