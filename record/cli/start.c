/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/start.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/cli/exit_code.h"

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

static bool has_name(const struct hypervisor_ops *ops, struct hypervisor *x, uint32_t domid, const char *name)
{
	char its[1024];

	return ops->domain_name(x, domid, its, sizeof(its)) == 0 && strcmp(its, name) == 0;
}

/* The domain that is there and was not @before: how many there are, the last of them in @info; or a negative errno. */
static int look(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domains *before, const char *name,
                struct guest_info *info)
{
	struct domains now;
	int rc = ops->list(x, &now.list, &now.n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < now.n; i++) {
		const struct guest_info *d = &now.list[i];

		if (d->vcpus == 0 || d->dying || has(before, d) || (name && !has_name(ops, x, d->domid, name)))
			continue;
		*info = *d;
		rc++;
	}
	free(now.list);
	return rc;
}

/* Its standard output is our standard error: ours may be the trace. 0, or errno; then the shell was not started. */
static int run_shell(const char *command, int *status)
{
	char *const argv[] = {"sh", "-c", "--", (char *)(uintptr_t)command, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return rc;
	rc = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (rc == 0 && waitpid(pid, status, 0) < 0)
		rc = errno == EINTR ? 0 : errno;
	return rc;
}

static int run(const char *command, char *why, size_t size)
{
	int status, rc = run_shell(command, &status);

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

static int find(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domains *before, const char *name,
                struct guest_info *info, char *why, size_t size)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	int n = look(ops, x, before, name, info);

	for (int i = 0; n == 0 && i < START_WAIT_S * 1000 / LOOK_MS; i++) {
		nanosleep(&pause, NULL);
		n = look(ops, x, before, name, info);
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
                 struct guest_info *info, char *why, size_t size)
{
	struct domains before;
	int rc = ops->list(x, &before.list, &before.n);

	if (rc != 0) {
		snprintf(why, size, "--start: cannot list the domains: %s", strerror(-rc));
		return EXIT_HYPERVISOR;
	}
	rc = run(command, why, size);
	if (rc == 0)
		rc = find(ops, x, &before, name, info, why, size);
	free(before.list);
	return rc;
}
