/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/watchdog/watchdog.h"
#include "record/process/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct watchdog {
	struct pause_mark *marks; /* shared with the watchdog process; ndomains of them */
	size_t ndomains;
	pid_t pid;
	int pipe; /* its closing, however it comes about, is what the watchdog waits for */
	int life; /* closed by the watchdog's death */
};

/* Only what still is the domain that was paused, and is paused: anything else is not ours to undo. */
static void let_go(const struct hypervisor_ops *ops, struct guest *guest, const uint8_t *uuid)
{
	struct guest_info info;

	if (ops->info(guest, &info) == 0 && memcmp(info.uuid, uuid, sizeof(info.uuid)) == 0 && info.paused)
		ops->resume(guest);
}

/* Whatever is sent to the whole group of processes, a Ctrl-C above all, must not end the watchdog before its time. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGTSTP};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	setsid();
}

static void survive_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		/* Best effort: without the right to, the watchdog is no worse off than anybody else. */
		if (write(fd, "-1000", 5) < 0)
			errno = 0;
		close(fd);
	}
}

/* A domain to watch. The recorder sends it by the pipe, and is answered by one byte: 0 is a yes. */
struct request {
	size_t domain;
	struct guest_info info;
};

struct watched {
	struct guest *guest;
	uint8_t uuid[16];
};

/* Everything needed later is made now: when the time comes there may be no memory. */
static bool watch(const struct hypervisor_ops *ops, struct hypervisor *x, struct watched *w,
                  const struct guest_info *info)
{
	if (w->guest)
		ops->detach(w->guest);
	w->guest = ops->attach(x, info, NULL);
	memcpy(w->uuid, info->uuid, sizeof(w->uuid));
	return w->guest != NULL;
}

static bool watch_all(const struct hypervisor_ops *ops, struct hypervisor *x, struct watched *w,
                      const struct guest_info *domains, size_t n)
{
	bool ok = x && w;

	for (size_t i = 0; ok && i < n; i++)
		ok = watch(ops, x, &w[i], &domains[i]);
	return ok;
}

/* True: a request. False: whoever held the pipe's other end is dead. */
static bool await_request(int fd, struct request *r)
{
	ssize_t n;

	do
		n = read(fd, r, sizeof(*r));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*r);
}

static void watchdog_process(const struct hypervisor_ops *ops, const struct watchdog *g,
                             const struct guest_info *domains, int wait_for, int life)
{
	/* A connection of its own: the parent's does not survive a fork, nor would it survive the parent. */
	char why[256];
	struct hypervisor *x = ops->open(why, sizeof(why));
	struct watched *watched = calloc(g->ndomains, sizeof(*watched));
	char no = !watch_all(ops, x, watched, domains, g->ndomains);
	struct request r;

	privileges_drop(false); /* best effort: the recorder says if it cannot */
	if (no || write(life, &no, 1) != 1)
		_exit(1);
	while (await_request(wait_for, &r)) {
		no = r.domain >= g->ndomains || !watch(ops, x, &watched[r.domain], &r.info);
		if (write(life, &no, 1) != 1)
			break;
	}
	for (size_t i = 0; i < g->ndomains; i++)
		if (watched[i].guest && ops->is_marked(&g->marks[i]))
			let_go(ops, watched[i].guest, watched[i].uuid);
	_exit(0);
}

/* A pipe or terminal of the parent's would stay open in the watchdog's hands: it must hold none. */
static void close_all_but(int kept, int life)
{
	long most = sysconf(_SC_OPEN_MAX);

	if (most < 0 || most > 4096)
		most = 4096;
	for (int fd = 0; fd < most; fd++)
		if (fd != kept && fd != life)
			close(fd);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* The watchdog says one byte once it is ready, and to every request: 0 is a yes. */
static bool await_yes(int life)
{
	char byte;
	ssize_t n;

	do
		n = read(life, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 && byte == 0;
}

struct watchdog *watchdog_start(const struct hypervisor_ops *ops, const struct guest_info *domains, size_t n)
{
	struct watchdog *g = calloc(1, sizeof(*g));
	int wait_for[2] = {-1, -1}, life[2] = {-1, -1};

	if (!g)
		return NULL;
	g->ndomains = n;
	g->marks = marks_new(n);
	if (!g->marks || pipe2(wait_for, O_CLOEXEC) != 0 || pipe2(life, O_CLOEXEC) != 0)
		goto err;
	g->pid = fork();
	if (g->pid < 0)
		goto err;
	if (g->pid == 0) {
		ignore_signals();
		survive_oom();
		prctl(PR_SET_NAME, "uniprof-wdog");
		close_all_but(wait_for[0], life[1]);
		watchdog_process(ops, g, domains, wait_for[0], life[1]);
	}
	close(wait_for[0]);
	close(life[1]);
	wait_for[0] = life[1] = -1;
	g->pipe = wait_for[1];
	g->life = life[0];
	if (!await_yes(g->life)) {
		waitpid(g->pid, NULL, 0);
		errno = ECHILD;
		goto err;
	}
	return g;
err:
	close_pair(wait_for);
	close_pair(life);
	marks_free(g->marks, n);
	free(g);
	return NULL;
}

struct pause_mark *watchdog_mark(const struct watchdog *g, size_t domain)
{
	return &g->marks[domain];
}

int watchdog_watch(struct watchdog *g, size_t domain, const struct guest_info *info)
{
	struct request r;

	memset(&r, 0, sizeof(r));
	r.domain = domain;
	r.info = *info;
	if (write(g->pipe, &r, sizeof(r)) != (ssize_t)sizeof(r))
		return -errno;
	return await_yes(g->life) ? 0 : -ECHILD;
}

int watchdog_fd(const struct watchdog *g)
{
	return g->pipe;
}

bool watchdog_alive(const struct watchdog *g)
{
	struct pollfd p = {.fd = g->life};

	return poll(&p, 1, 0) == 0;
}

void watchdog_stop(struct watchdog *g)
{
	if (!g)
		return;
	close(g->pipe);
	waitpid(g->pid, NULL, 0);
	close(g->life);
	marks_free(g->marks, g->ndomains);
	free(g);
}
