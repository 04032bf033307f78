/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/guard.h"
#include "record/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared with the guard process. */
struct shared {
	size_t ndomains;
	atomic_bool held[];
};

struct guard {
	struct shared *shared;
	size_t size;
	pid_t pid;
	int pipe; /* its closing, however it comes about, is what the guard waits for */
	int life; /* closed by the guard's death */
};

/* Only what still is the domain that was paused, and is paused: anything else is not ours to undo. */
static void let_go(const struct xenif_ops *ops, struct guest *guest, const uint8_t *uuid)
{
	struct guest_info info;

	if (ops->info(guest, &info) == 0 && memcmp(info.uuid, uuid, sizeof(info.uuid)) == 0 && info.paused)
		ops->resume(guest);
}

/* Whatever is sent to the whole group of processes, a Ctrl-C above all, must not end the guard before its time. */
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
		/* Best effort: without the right to, the guard is no worse off than anybody else. */
		if (write(fd, "-1000", 5) < 0)
			errno = 0;
		close(fd);
	}
}

/* Everything needed later is made now: when the time comes there may be no memory. NULL: cannot guard. */
static struct guest **attach_all(const struct xenif_ops *ops, struct xenif *x, const struct guest_info *domains, size_t n)
{
	struct guest **guests = calloc(n, sizeof(*guests));

	for (size_t i = 0; guests && i < n; i++) {
		guests[i] = ops->attach(x, &domains[i], NULL);
		if (!guests[i])
			return NULL;
	}
	return guests;
}

static void guard_process(const struct xenif_ops *ops, const struct shared *s, const struct guest_info *domains, int wait_for,
                          int life)
{
	/* A connection of its own: the parent's does not survive a fork, nor would it survive the parent. */
	char byte = 0, why[256];
	struct xenif *x = ops->open(why, sizeof(why));
	struct guest **guests = x ? attach_all(ops, x, domains, s->ndomains) : NULL;
	ssize_t n;

	privileges_drop(false); /* best effort: the recorder says if it cannot */
	if (!guests || write(life, &byte, 1) != 1)
		_exit(1);
	do
		n = read(wait_for, &byte, 1);
	while (n < 0 && errno == EINTR);
	for (size_t i = 0; i < s->ndomains; i++)
		if (atomic_load(&s->held[i]))
			let_go(ops, guests[i], domains[i].uuid);
	_exit(0);
}

/* A pipe or terminal of the parent's would stay open in the guard's hands: it must hold none. */
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

/* The guard says one byte once it is ready. */
static bool await_ready(int life)
{
	char byte;
	ssize_t n;

	do
		n = read(life, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

struct guard *guard_start(const struct xenif_ops *ops, const struct guest_info *domains, size_t n)
{
	struct guard *g = calloc(1, sizeof(*g));
	int wait_for[2] = {-1, -1}, life[2] = {-1, -1};

	if (!g)
		return NULL;
	g->size = sizeof(*g->shared) + n * sizeof(g->shared->held[0]);
	g->shared = mmap(NULL, g->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->shared == MAP_FAILED || pipe2(wait_for, O_CLOEXEC) != 0 || pipe2(life, O_CLOEXEC) != 0)
		goto err;
	g->shared->ndomains = n;
	g->pid = fork();
	if (g->pid < 0)
		goto err;
	if (g->pid == 0) {
		ignore_signals();
		survive_oom();
		prctl(PR_SET_NAME, "uniprof-guard");
		close_all_but(wait_for[0], life[1]);
		guard_process(ops, g->shared, domains, wait_for[0], life[1]);
	}
	close(wait_for[0]);
	close(life[1]);
	wait_for[0] = life[1] = -1;
	g->pipe = wait_for[1];
	g->life = life[0];
	if (!await_ready(g->life)) {
		waitpid(g->pid, NULL, 0);
		errno = ECHILD;
		goto err;
	}
	return g;
err:
	close_pair(wait_for);
	close_pair(life);
	if (g->shared != MAP_FAILED)
		munmap(g->shared, g->size);
	free(g);
	return NULL;
}

void guard_hold(struct guard *g, size_t domain)
{
	atomic_store_explicit(&g->shared->held[domain], true, memory_order_release);
}

void guard_release(struct guard *g, size_t domain)
{
	atomic_store_explicit(&g->shared->held[domain], false, memory_order_release);
}

int guard_fd(const struct guard *g)
{
	return g->pipe;
}

bool guard_alive(const struct guard *g)
{
	struct pollfd p = {.fd = g->life};

	return poll(&p, 1, 0) == 0;
}

void guard_stop(struct guard *g)
{
	if (!g)
		return;
	close(g->pipe);
	waitpid(g->pid, NULL, 0);
	close(g->life);
	munmap(g->shared, g->size);
	free(g);
}
