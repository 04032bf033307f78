/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/start.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/say.h"
#include "record/cli/options.h"
#include "record/process/signals.h"
#include "record/sampling/target.h"

#define LOOK_MS 100 /* between two looks for the domain */

struct domains {
	struct guest_info *list;
	size_t n;
};

static bool has(const struct domains *d, const struct guest_info *info)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].domid == info->domid && memcmp(d->list[i].uuid, info->uuid, sizeof(info->uuid)) == 0)
			return true;
	return false;
}

/* The domain that is there and was not @before: how many there are, the last of them in @info; or a negative errno. */
static int look_for_new(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domains *before,
                        const char *name, struct guest_info *info)
{
	struct domains now;
	int rc = ops->host.list(x, NULL, &now.list, &now.n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < now.n; i++) {
		const struct guest_info *d = &now.list[i];

		if (d->vcpus == 0 || d->dying || has(before, d) || (name && !target_is_called(ops, x, d->domid, name)))
			continue;
		*info = *d;
		rc++;
	}
	free(now.list);
	return rc;
}

/*
 * Waits for the command's end, even if a signal has come: only then is it known whether there is a domain, maybe a
 * paused one. 0 or errno.
 */
static int await_end(pid_t pid, int *status, const sigset_t *signals)
{
	sigset_t awaited = *signals;
	int ended, first = 0;

	sigaddset(&awaited, SIGCHLD); /* which run_shell() has blocked */
	while ((ended = waitpid(pid, status, WNOHANG)) == 0) {
		int number = clock_wait(CLOCK_NEVER, &awaited);

		if (number == SIGTSTP) {
			raise(SIGSTOP);
		} else if (number != SIGCHLD && number != SIGUSR2) {
			if (first) {
				raise(number);
				signals_deliver(signals);
			}
			first = number;
			say("%s: waiting for the end of the command of --start; another signal does not wait",
			    strsignal(number));
		}
	}
	if (first)
		raise(first); /* pending again, as it is blocked */
	return ended < 0 ? errno : 0;
}

/* Its standard output is our standard error: ours may be the trace. 0, or errno; then the shell was not started. */
static int run_shell(const char *command, int *status, const sigset_t *signals)
{
	char *const argv[] = {"sh", "-c", "--", (char *)(uintptr_t)command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t child;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return rc;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	posix_spawnattr_init(&attributes);
	signals_reset_in_child(&attributes);
	rc = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return rc == 0 ? await_end(pid, status, signals) : rc;
}

static int run_and_wait(const char *command, const sigset_t *signals, char *why, size_t size)
{
	int status, rc = run_shell(command, &status, signals);

	if (rc != 0)
		snprintf(why, size, "--start: cannot run /bin/sh: %s", strerror(rc));
	else if (WIFSIGNALED(status))
		snprintf(why, size, "--start: the command was ended by signal %d (%s)", WTERMSIG(status),
		         strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		snprintf(why, size, "--start: the command failed with exit status %d", WEXITSTATUS(status));
	else
		return 0;
	return EXIT_COMMAND;
}

static int find_new(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domains *before,
                    const char *name, struct guest_info *info, char *why, size_t size)
{
	int n = look_for_new(ops, x, before, name, info);

	for (int i = 0; n == 0 && !signals_ending() && i < START_WAIT_S * 1000 / LOOK_MS; i++) {
		clock_sleep(LOOK_MS * 1000000);
		n = look_for_new(ops, x, before, name, info);
	}
	if (n == 1)
		return 0;
	if (n < 0)
		snprintf(why, size, "--start: cannot list the domains: %s", strerror(-n));
	else if (n == 0)
		snprintf(why, size, "--start: the command succeeded, but no new domain%s%s appeared within %d seconds",
		         name ? " named " : "", name ? name : "", START_WAIT_S);
	else
		snprintf(why, size, "--start: there are %d new domains: name the one to record", n);
	return EXIT_DOMAIN;
}

int start_domain(const struct hypervisor_ops *ops, struct hypervisor *x, const char *command, const char *name,
                 const sigset_t *signals, struct guest_info *info, char *why, size_t size)
{
	struct domains before;
	int rc = ops->host.list(x, NULL, &before.list, &before.n);

	if (rc != 0)
		return failure(why, size, EXIT_HYPERVISOR, "--start: cannot list the domains: %s", strerror(-rc));
	rc = run_and_wait(command, signals, why, size);
	if (rc != 0)
		look_for_new(ops, x, &before, name, info); /* it may have got that far */
	else
		rc = find_new(ops, x, &before, name, info, why, size);
	free(before.list);
	return rc;
}
