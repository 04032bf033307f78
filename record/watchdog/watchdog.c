/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/watchdog/watchdog.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/privileges.h"
#include "record/process/thread.h"

#define IDLE_LOOKS 10 /* without a new pause, then the watchdog sleeps */

struct watchdog {
	/* Shared between both processes, ndomains of each: */
	struct watch *watches;
	struct pause_mark *marks;
	size_t ndomains;
	struct pause_file *file; /* that has them; NULL: none */
	pid_t pid;
	int pipe; /* requests; its closing tells the watchdog that the recorder is dead */
	int life; /* answers; closed by the watchdog's death */
	int wake; /* eventfd: a pause begins while the watchdog sleeps */
};

/* --- the watchdog's process -------------------------------------------------------------------------------------- */

/* A domain to watch. The recorder sends it by the pipe, and is answered by one byte: 0 is a yes. */
struct request {
	size_t domain;
	struct guest_info info;
};

struct watched {
	struct guest *guest;
	uint8_t uuid[16];
	uint64_t state; /* of the watch, when it was looked at last */
};

struct process {
	const struct hypervisor_ops *ops;
	struct hypervisor *x;
	struct watch *watches;
	struct watched *watched;
	size_t n;
	uint64_t max_pause_ns;
	unsigned idle;  /* looks since a pause was seen */
	pid_t recorder; /* with a descriptor of it */
	int pidfd;
	int pipe, life, wake; /* the other ends of struct watchdog's */
	int file;             /* of the pause file, which stays locked by it; -1: none */
	int err;              /* the standard error of a recorder that we have killed; else -1 */
};

/* Whatever is sent to the whole group of processes, a Ctrl-C above all, must not end the watchdog before its time. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE, SIGUSR1,
	                              SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM, SIGXCPU};

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

/* Everything needed later is made now: when the time comes there may be no memory. 0 or an errno. */
static int watch_guest(struct process *p, size_t i, const struct guest_info *info)
{
	struct watched *w = &p->watched[i];

	if (w->guest)
		p->ops->guest.detach(w->guest);
	w->guest = p->ops->guest.attach(p->x, info, NULL, ATTACH_TO_WATCH);
	memcpy(w->uuid, info->uuid, sizeof(w->uuid));
	return w->guest ? 0 : errno;
}

static int watch_all(struct process *p, const struct guest_info *domains)
{
	int rc = p->x && p->watched ? 0 : EIO;

	for (size_t i = 0; rc == 0 && i < p->n; i++)
		rc = watch_guest(p, i, &domains[i]);
	return rc;
}

/* Only the watchdog can say why. It opens the recorder's standard error first, which closes when that ends. */
static void kill_recorder(struct process *p)
{
	if (p->err < 0)
		p->err = (int)syscall(SYS_pidfd_getfd, p->pidfd, STDERR_FILENO, 0);
	syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
}

static void tell_kill(const struct process *p)
{
	static const char text[] =
		"uniprof-record: killed by its watchdog: it was traced, frozen or without a CPU while it "
		"held the guest; the trace is valid up to its last block\n";
	struct pollfd out = {.fd = p->err, .events = POLLOUT};

	/* Never wait for the reader. */
	if (p->err >= 0 && poll(&out, 1, 0) == 1 && out.revents == POLLOUT &&
	    write(p->err, text, sizeof(text) - 1) < 0)
		errno = 0;
}

static void undo(struct process *p, size_t i, uint64_t state, bool dead)
{
	struct guest *guest = p->watched[i].guest;
	struct watch *w = &p->watches[i];

	if (!guest)
		return;
	if (!p->ops->watch.ends_with_recorder)
		watch_undo(p->ops, guest, p->watched[i].uuid, w, state, dead);
	else if (!dead && watch_kick(p->ops, guest, w, state, p->recorder, p->pidfd))
		kill_recorder(p);
	else if (dead && p->ops->watch.is_marked(w->mark, true))
		p->ops->watch.clean_up(guest);
}

/* Undoes the pause of domain @i if it is too old. When it will be, or when to look again. */
static uint64_t undo_if_old(struct process *p, size_t i, uint64_t now_ns)
{
	struct watch *w = &p->watches[i];
	uint64_t state = watch_state(w), again = now_ns + p->max_pause_ns, due;

	if (state != p->watched[i].state || !watch_is_over(state))
		p->idle = 0;
	p->watched[i].state = state;
	if (watch_is_over(state))
		return again;
	due = atomic_load(&w->began_ns) + p->max_pause_ns;
	if (due > now_ns)
		return due < again ? due : again;
	undo(p, i, state, false);
	return again;
}

/* When to look again. */
static uint64_t look_at_all(struct process *p)
{
	uint64_t now_ns = clock_now(), again = UINT64_MAX;

	p->idle++;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t at = undo_if_old(p, i, now_ns);

		again = at < again ? at : again;
	}
	return again;
}

/* Lets the recorder wake us before its next pause. False: a pause has just begun. */
static bool fall_asleep(struct process *p)
{
	bool quiet = true;

	for (size_t i = 0; i < p->n; i++)
		atomic_store(&p->watches[i].asleep, true);
	for (size_t i = 0; i < p->n; i++)
		quiet &= watch_state(&p->watches[i]) == p->watched[i].state;
	return quiet;
}

static void stay_awake(struct process *p)
{
	for (size_t i = 0; i < p->n; i++)
		atomic_store(&p->watches[i].asleep, false);
	p->idle = 0;
}

/* Waits until @until, for a request, for the recorder's end or, if @asleep, for its next pause. True: the pipe. */
static bool wait_for(struct process *p, uint64_t until, bool asleep)
{
	struct pollfd fds[2] = {{.fd = p->pipe, .events = POLLIN}, {.fd = asleep ? p->wake : -1, .events = POLLIN}};
	uint64_t count;

	if (clock_poll(fds, 2, asleep ? CLOCK_NEVER : until) <= 0)
		return false;
	if (fds[1].revents && read(p->wake, &count, sizeof(count)) < 0)
		errno = 0;
	return fds[0].revents != 0;
}

/* The answer to the recorder: 0 or an errno, which fits into a byte. False: the pipe is closed. */
static bool answer(const struct process *p, int rc)
{
	unsigned char byte = (unsigned char)rc;

	return write(p->life, &byte, 1) == 1;
}

/* False: the recorder is dead, or no more to be spoken to. */
static bool serve_recorder(struct process *p)
{
	struct request r;
	ssize_t n;

	do
		n = read(p->pipe, &r, sizeof(r));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(r))
		return false;
	return answer(p, r.domain < p->n ? watch_guest(p, r.domain, &r.info) : EINVAL);
}

static void run_watchdog(struct process *p)
{
	for (;;) {
		uint64_t again = look_at_all(p);
		bool asleep = p->idle > IDLE_LOOKS && fall_asleep(p);
		bool asked = wait_for(p, again, asleep);

		if (p->idle > IDLE_LOOKS)
			stay_awake(p);
		if (asked && !serve_recorder(p))
			return;
	}
}

static _Noreturn void watchdog_process(struct process *p, const struct guest_info *domains, int priority)
{
	/* A connection of its own: the parent's does not survive a fork, nor would it survive the parent. */
	char why[256], missing[256];
	int rc;

	p->pidfd = (int)syscall(SYS_pidfd_open, p->recorder, 0);
	p->x = p->ops->host.open(why, sizeof(why));
	p->watched = calloc(p->n, sizeof(*p->watched));
	rc = watch_all(p, domains);
	thread_exact_timers();
	/* Above the recorder, which might not leave it a CPU; what cannot be had, the recorder's own try reports. */
	if (priority)
		thread_reduce_latency(priority, NULL, missing, sizeof(missing));
	privileges_drop(p->ops->capabilities); /* best effort: the recorder says if it cannot */
	if (!answer(p, rc) || rc != 0)
		_exit(1);
	run_watchdog(p);
	for (size_t i = 0; i < p->n; i++)
		undo(p, i, watch_state(&p->watches[i]), true);
	tell_kill(p);
	_exit(0);
}

/* A pipe or terminal of the parent's would stay open in the watchdog's hands: it must hold none. */
static void close_all_but(const struct process *p)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		const int fd = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : -1;

		if (fd >= 0 && fd != p->pipe && fd != p->life && fd != p->wake && fd != p->file && fd != dirfd(dir))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/* --- the recorder's process -------------------------------------------------------------------------------------- */

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* The watchdog answers once it is ready, and to every request. -ECHILD: it is dead. */
static int await_answer(int life)
{
	unsigned char byte;
	ssize_t n;

	do
		n = read(life, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? -byte : -ECHILD;
}

static void release_guests(struct watchdog *g)
{
	if (!g->file)
		marks_free(g->marks, g->ndomains);
	if (g->watches && !g->file)
		munmap(g->watches, g->ndomains * sizeof(*g->watches));
	if (g->wake >= 0)
		close(g->wake);
	free(g);
}

static bool share_pages(struct watchdog *g)
{
	size_t size = g->ndomains * sizeof(*g->watches);

	if (g->file) {
		g->watches = pause_file_watches(g->file);
		g->marks = pause_file_marks(g->file);
		return true;
	}
	g->watches = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->watches == MAP_FAILED) {
		g->watches = NULL;
		return false;
	}
	mlock(g->watches, size); /* best effort */
	g->marks = marks_new(g->ndomains);
	return g->marks != NULL;
}

/* False: errno. */
static bool share_memory(struct watchdog *g)
{
	g->wake = eventfd(0, EFD_CLOEXEC);
	if (g->wake < 0 || !share_pages(g))
		return false;
	for (size_t i = 0; i < g->ndomains; i++) {
		g->watches[i].mark = &g->marks[i];
		g->watches[i].wake_fd = g->wake;
	}
	return true;
}

struct watchdog *watchdog_start(const struct hypervisor_ops *ops, const struct guest_info *domains, size_t n,
                                const struct watchdog_limits *limits)
{
	struct watchdog *g = calloc(1, sizeof(*g));
	const pid_t recorder = getpid(); /* for the child: its getppid() may come too late */
	int requests[2] = {-1, -1}, answers[2] = {-1, -1}, rc;

	if (!g)
		return NULL;
	g->ndomains = n;
	g->file = limits->file;
	for (size_t i = 0; g->file && i < n; i++)
		pause_file_set(g->file, i, &domains[i]);
	if (!share_memory(g) || pipe2(requests, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0)
		goto err;
	g->pid = fork();
	if (g->pid < 0)
		goto err;
	if (g->pid == 0) {
		struct process p = {.ops = ops,
		                    .watches = g->watches,
		                    .n = n,
		                    .max_pause_ns = limits->max_pause_ns,
		                    .recorder = recorder,
		                    .pipe = requests[0],
		                    .life = answers[1],
		                    .wake = g->wake,
		                    .file = g->file ? pause_file_fd(g->file) : -1,
		                    .err = -1};

		ignore_signals();
		survive_oom();
		prctl(PR_SET_NAME, "uniprof-wdog");
		close_all_but(&p);
		watchdog_process(&p, domains, limits->priority);
	}
	close(requests[0]);
	close(answers[1]);
	requests[0] = answers[1] = -1;
	g->pipe = requests[1];
	g->life = answers[0];
	rc = await_answer(g->life);
	if (rc != 0) {
		waitpid(g->pid, NULL, 0);
		errno = -rc;
		goto err;
	}
	return g;
err:
	close_pair(requests);
	close_pair(answers);
	release_guests(g);
	return NULL;
}

struct watch *watchdog_watch(const struct watchdog *g, size_t i)
{
	return &g->watches[i];
}

int watchdog_replace(struct watchdog *g, size_t i, const struct guest_info *info)
{
	struct request r;

	if (g->file)
		pause_file_set(g->file, i, info);
	memset(&r, 0, sizeof(r));
	r.domain = i;
	r.info = *info;
	if (write(g->pipe, &r, sizeof(r)) != (ssize_t)sizeof(r))
		return -ECHILD;
	return await_answer(g->life);
}

int watchdog_fd(const struct watchdog *g)
{
	return g->pipe;
}

bool watchdog_alive(const struct watchdog *g)
{
	struct pollfd p = {.fd = g->life};

	return poll(&p, 1, 0) != 1; /* not -1, EINTR: the watchdog signals us */
}

void watchdog_stop(struct watchdog *g)
{
	if (!g)
		return;
	close(g->pipe);
	waitpid(g->pid, NULL, 0);
	close(g->life);
	release_guests(g);
}
