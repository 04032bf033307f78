/* SPDX-License-Identifier: BSD-2-Clause */
/* A pause is ended once, by the recorder or by its watchdog, and never anybody else's; simulated domains. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/sim.h"
#include "record/process/signals.h"
#include "record/watchdog/watchdog.h"

#define RACES 4000
#define PATIENCE 3000 /* looks, 10 ms apart */
#define MS 1000000ull
#define S 1000000000ull

static const struct hypervisor_ops *const ops = &hypervisor_backend;

/* In memory that forked processes share: recorder and watchdog act on one domain. */
struct world {
	struct sim_domain domain;
	struct watch watch;
	struct pause_mark mark;
	atomic_bool awake; /* a recorder has gone on */
	atomic_bool waits; /* it is not to end its pause yet */
};

struct fixture {
	struct world *w;
	struct guest *recorder, *watchdog;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static int setup(void **state)
{
	static struct fixture f;
	char why[128];
	struct hypervisor *x;

	f.w = mmap(NULL, sizeof(*f.w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(f.w != MAP_FAILED);
	f.w->domain.info = (struct guest_info){.domid = 7, .vcpus = 1, .uuid = {1, 2, 3}};
	f.w->watch.mark = &f.w->mark;
	sim_world(&f.w->domain, 1);
	x = ops->open(why, sizeof(why));
	f.recorder = ops->attach(x, &f.w->domain.info, NULL);
	f.watchdog = ops->attach(x, &f.w->domain.info, NULL);
	ops->mark_at(f.recorder, &f.w->mark);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_int_equal(f->w->domain.broken, 0);
	ops->detach(f->recorder);
	ops->detach(f->watchdog);
	munmap(f->w, sizeof(*f->w));
	return 0;
}

static void begin(struct fixture *f, struct watch *w)
{
	struct vcpu_stop vcpus[SIM_VCPUS];
	struct guest_info before;

	ops->prepare(f->recorder, NULL);
	watch_begin(w);
	assert_int_equal(ops->stop(f->recorder), 0);
	ops->collect(f->recorder, &before, vcpus);
}

/* As the recorder does. How the pause ended. */
static enum watch_outcome end(struct fixture *f, struct watch *w, bool claimed)
{
	int rc = claimed ? ops->resume(f->recorder) : -ECANCELED;
	uint64_t began_ns = w->began_ns, ended_ns = now();
	enum watch_outcome how = watch_end(w, &began_ns, &ended_ns);

	assert_int_not_equal(how, WATCH_STUCK);
	assert_true(rc == 0 || rc == -ECANCELED);
	if (how == WATCH_UNDONE) {
		assert_true(w->undone_ns >= w->began_ns && w->undone_ns <= now());
		ops->mark_at(f->recorder, w->mark);
	}
	assert_true(began_ns >= w->began_ns && began_ns <= ended_ns && ended_ns <= now());
	assert_true(rc == 0 || how == WATCH_UNDONE);
	return rc == 0 ? WATCH_OURS : WATCH_UNDONE;
}

struct undoing {
	struct fixture *f;
	const uint8_t *uuid;
	bool dead;
};

static void *undo_thread(void *arg)
{
	struct undoing *u = arg;
	struct watch *w = &u->f->w->watch;

	watch_undo(ops, u->f->watchdog, u->uuid, w, watch_state(w), u->dead);
	return NULL;
}

/* By a thread of its own: the simulation tells by it who may call what during a pause. */
static void undo_domain(struct fixture *f, const uint8_t *uuid, bool dead)
{
	struct undoing u = {f, uuid, dead};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, undo_thread, &u), 0);
	pthread_join(thread, NULL);
}

static void undo(struct fixture *f, bool dead)
{
	undo_domain(f, f->w->domain.info.uuid, dead);
}

static void without_the_watchdog(void **state)
{
	struct fixture *f = *state;

	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(end(f, &f->w->watch, true), WATCH_OURS);
	undo(f, false);
	undo(f, true);
	assert_int_equal(f->w->domain.resumes, 1);
}

static void the_watchdog_comes_first(void **state)
{
	struct fixture *f = *state;

	f->w->domain.foreign_pauses = 1;
	for (int dead = 0; dead < 2; dead++) {
		begin(f, &f->w->watch);
		assert_int_equal(f->w->domain.our_pauses, 1);
		undo(f, dead);
		assert_int_equal(f->w->domain.our_pauses, 0);
		undo(f, false);
		undo(f, true);
		assert_false(watch_claim(&f->w->watch));
		assert_int_equal(end(f, &f->w->watch, false), WATCH_UNDONE);
	}
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* Stopped between the claim and the call: the call must be without effect when it comes. */
static void the_recorder_is_about_to_resume(void **state)
{
	struct fixture *f = *state;

	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	undo(f, false);
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_int_equal(end(f, &f->w->watch, true), WATCH_UNDONE);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	/* The next one is as any. */
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(end(f, &f->w->watch, true), WATCH_OURS);
}

static void the_recorder_died_after_its_call(void **state)
{
	struct fixture *f = *state;

	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(ops->resume(f->recorder), 0);
	undo(f, true);
	undo(f, false);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* What it is stopped for then does not count as paused, and the sample is good. */
static void the_recorder_is_stopped_after_its_call(void **state)
{
	struct fixture *f = *state;
	uint64_t began_ns, ended_ns;

	f->w->domain.foreign_pauses = 1;
	begin(f, &f->w->watch);
	assert_true(watch_claim(&f->w->watch));
	assert_int_equal(ops->resume(f->recorder), 0);
	undo(f, false);
	began_ns = f->w->watch.began_ns;
	ended_ns = now() + S;
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_UNDONE);
	assert_true(ended_ns <= now());
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* Stopped or dead between saying so and the call that pauses: there is nothing to undo. */
static void the_pause_has_not_begun(void **state)
{
	struct fixture *f = *state;
	uint64_t began_ns, ended_ns, first_ns;

	f->w->domain.foreign_pauses = 1;
	began_ns = first_ns = watch_begin(&f->w->watch);
	undo(f, false);
	undo(f, true);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	/* What it was stopped for does not count as paused. */
	ended_ns = now() + S;
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_OURS);
	assert_true(began_ns > first_ns);
	/* Of an earlier pause it means nothing. */
	first_ns = began_ns = watch_begin(&f->w->watch);
	assert_int_equal(watch_end(&f->w->watch, &began_ns, &ended_ns), WATCH_OURS);
	assert_int_equal(began_ns, first_ns);
}

static void *drain_later(void *fd)
{
	uint64_t count;

	usleep(20000);
	assert_int_equal(read(*(int *)fd, &count, sizeof(count)), sizeof(count));
	return NULL;
}

/* Stopped while it wakes the watchdog: that, too, is before the pause. Here a full eventfd stops it. */
static void waking_the_watchdog_is_not_paused_time(void **state)
{
	const uint64_t full = UINT64_MAX - 1;
	struct fixture *f = *state;
	struct watch *w = &f->w->watch;
	uint64_t before_ns, began_ns;
	pthread_t thread;

	w->wake_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(w->wake_fd, &full, sizeof(full)), sizeof(full));
	atomic_store(&w->asleep, true);
	before_ns = now();
	assert_int_equal(pthread_create(&thread, NULL, drain_later, &w->wake_fd), 0);
	began_ns = watch_begin(w);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(began_ns >= before_ns + 20000000);
	assert_int_equal(w->began_ns, began_ns);
	close(w->wake_fd);
}

static void another_domain_is_left_alone(void **state)
{
	struct fixture *f = *state;

	begin(f, &f->w->watch);
	f->w->domain.info.uuid[0]++;
	undo_domain(f, (const uint8_t[16]){1, 2, 3}, true);
	assert_int_equal(f->w->domain.our_pauses, 1);
	assert_int_equal(ops->resume(f->recorder), 0);
}

/* --- both at once ------------------------------------------------------------------------------------------------ */

struct race {
	struct fixture *f;
	atomic_bool over;
};

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void loiter(uint64_t *seed)
{
	uint64_t until = now() + draw(seed) % 2000;

	if (draw(seed) % 64 == 0)
		usleep(100);
	while (now() < until)
		;
}

static void *hasty_watchdog(void *arg)
{
	struct race *r = arg;
	struct watch *w = &r->f->w->watch;
	uint64_t seed = 77;

	while (!atomic_load(&r->over)) {
		uint64_t state = watch_state(w);

		loiter(&seed);
		if (draw(&seed) % 4 == 0)
			watch_undo(ops, r->f->watchdog, r->f->w->domain.info.uuid, w, state, false);
	}
	return NULL;
}

static void exactly_one_of_them_unpauses(void **state)
{
	struct fixture *f = *state;
	struct race race = {.f = f};
	unsigned ours = 0, undone = 0, spoilt = 0;
	uint64_t seed = 42;
	pthread_t thread;

	f->w->domain.foreign_pauses = 1;
	assert_int_equal(pthread_create(&thread, NULL, hasty_watchdog, &race), 0);
	for (int i = 0; i < RACES; i++) {
		bool claimed;

		begin(f, &f->w->watch);
		loiter(&seed);
		claimed = watch_claim(&f->w->watch);
		loiter(&seed);
		if (end(f, &f->w->watch, claimed) == WATCH_OURS)
			ours++;
		else if (claimed)
			spoilt++;
		else
			undone++;
		assert_int_equal(f->w->domain.our_pauses, 0);
		assert_int_equal(f->w->domain.foreign_pauses, 1);
	}
	atomic_store(&race.over, true);
	pthread_join(thread, NULL);
	print_message("%u ended by the recorder, %u by the watchdog, %u of these as the recorder was about to\n", ours,
	              undone + spoilt, spoilt);
	assert_true(ours > 0);
	assert_true(undone + spoilt > 0);
}

/* --- the process ------------------------------------------------------------------------------------------------- */

static struct watchdog *start(struct fixture *f, uint64_t max_pause_ns, struct watch **w)
{
	const struct watchdog_limits limits = {.max_pause_ns = max_pause_ns};
	struct watchdog *g = watchdog_start(ops, &f->w->domain.info, 1, &limits);

	assert_non_null(g);
	*w = watchdog_watch(g, 0);
	ops->mark_at(f->recorder, (*w)->mark);
	return g;
}

static bool await_unpaused(const struct fixture *f)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (f->w->domain.our_pauses == 0)
			return true;
		usleep(10000);
	}
	return false;
}

static bool await_sleep(const struct watch *w)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (w->asleep)
			return true;
		usleep(10000);
	}
	return false;
}

static void a_pause_too_long_is_undone(void **state)
{
	struct fixture *f = *state;
	struct watch *w;
	struct watchdog *g = start(f, 5 * MS, &w);

	f->w->domain.foreign_pauses = 1;
	for (int i = 0; i < 20; i++) {
		begin(f, w);
		assert_true(await_unpaused(f));
		assert_true(now() - w->began_ns >= 5 * MS);
		assert_false(watch_claim(w));
		assert_int_equal(end(f, w, false), WATCH_UNDONE);
		assert_true(w->undone_ns - w->began_ns >= 5 * MS);
	}
	assert_int_equal(f->w->domain.foreign_pauses, 1);
	ops->mark_at(f->recorder, &f->w->mark);
	watchdog_stop(g);
}

/* It sleeps when nothing happens, and the next pause wakes it. */
static void it_is_woken(void **state)
{
	struct fixture *f = *state;
	struct watch *w;
	struct watchdog *g = start(f, 2 * MS, &w);

	for (int i = 0; i < 5; i++) {
		assert_true(await_sleep(w));
		begin(f, w);
		assert_true(await_unpaused(f));
		assert_int_equal(end(f, w, watch_claim(w)), WATCH_UNDONE);
	}
	ops->mark_at(f->recorder, &f->w->mark);
	watchdog_stop(g);
}

static void a_pause_is_undone_at_the_recorders_death(void **state)
{
	struct fixture *f = *state;
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
		assert_true(await_unpaused(f));
	}
}

/* --- where only the recorder can end its pause -------------------------------------------------------------------- */

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

/* A recorder that is stopped inside a pause, then goes on; 0 if it was told that it was urged. With its descriptor. */
static pid_t start_recorder(struct fixture *f, bool stuck, int *pidfd)
{
	pid_t pid = fork();

	if (pid == 0) {
		uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns;

		ops->prepare(f->recorder, NULL);
		ops->stop(f->recorder);
		if (stuck)
			be_stuck(f->w);
		signals_interrupt();
		raise(SIGSTOP);
		atomic_store(&f->w->awake, true);
		do
			usleep(1000);
		while (atomic_load(&f->w->waits));
		usleep(1); /* takes note of a signal that came before */
		watch_claim(&f->w->watch);
		ops->resume(f->recorder);
		_exit(watch_end(&f->w->watch, &began_ns, &ended_ns) != WATCH_URGED);
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
static bool urge(struct fixture *f, pid_t pid, int pidfd)
{
	return watch_urge(ops, f->watchdog, &f->w->watch, watch_state(&f->w->watch), pid, pidfd);
}

static void a_stopped_recorder_is_let_go_on(void **state)
{
	struct fixture *f = *state;
	int pidfd, status;
	pid_t pid = start_recorder(f, false, &pidfd);

	assert_true(WIFSTOPPED(next_status(pid)));
	assert_int_equal(f->w->domain.our_pauses, 1);
	assert_false(urge(f, pid, pidfd));
	/* It has ended its pause, and stopped itself again. */
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_false(urge(f, pid, pidfd));
	kill(pid, SIGCONT);
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

/* Its SIGCONT comes before the recorder has stopped itself again, and will not come a second time. */
static void a_recorder_that_somebody_let_go_on_does_not_stop_again(void **state)
{
	struct fixture *f = *state;
	int pidfd, status;
	pid_t pid, somebody;

	atomic_store(&f->w->waits, true);
	pid = start_recorder(f, false, &pidfd);
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_false(urge(f, pid, pidfd));
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	somebody = fork();
	if (somebody == 0)
		_exit(kill(pid, SIGCONT));
	assert_int_equal(next_status(somebody), 0);
	atomic_store(&f->w->waits, false);
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

/* What the watchdog has seen may be over, and the recorder stopped since. */
static void a_recorder_that_was_stopped_later_stays_stopped(void **state)
{
	struct fixture *f = *state;
	uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns, seen = watch_state(&f->w->watch);
	int pidfd, status;
	pid_t pid;

	watch_end(&f->w->watch, &began_ns, &ended_ns);
	pid = start_recorder(f, false, &pidfd);
	assert_true(WIFSTOPPED(next_status(pid)));
	assert_false(watch_urge(ops, f->watchdog, &f->w->watch, seen, pid, pidfd));
	usleep(20000);
	assert_int_equal(waitpid(pid, &status, WCONTINUED | WNOHANG), 0);
	assert_false(urge(f, pid, pidfd));
	assert_true(WIFSTOPPED(next_status(pid)));
	kill(pid, SIGKILL);
	next_status(pid);
	close(pidfd);
}

/* SIGCONT would discard a SIGSTOP that it has not taken yet. */
static void a_recorder_that_runs_gets_no_sigcont(void **state)
{
	struct fixture *f = *state;
	sigset_t none, both;
	int pidfd, status;
	pid_t pid = fork();

	if (pid == 0) {
		uint64_t began_ns = watch_begin(&f->w->watch), ended_ns = began_ns;

		ops->prepare(f->recorder, NULL);
		ops->stop(f->recorder);
		signals_interrupt();
		sigemptyset(&none);
		sigemptyset(&both);
		sigaddset(&both, SIGCONT);
		sigaddset(&both, SIGURG);
		sigprocmask(SIG_BLOCK, &both, NULL);
		atomic_store(&f->w->awake, true);
		sigsuspend(&none);
		watch_claim(&f->w->watch);
		ops->resume(f->recorder);
		_exit(watch_end(&f->w->watch, &began_ns, &ended_ns) != WATCH_URGED || signals_continued_by() != 0);
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	assert_false(urge(f, pid, pidfd));
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

/* One that has been urged, and let go on, and did not. */
static pid_t start_stuck(struct fixture *f, int *pidfd)
{
	pid_t pid = start_recorder(f, true, pidfd);
	int status;

	assert_true(WIFSTOPPED(next_status(pid)));
	/* However long ago it was urged: it is stopped, and can be let go on. */
	f->w->watch.urged = watch_state(&f->w->watch);
	f->w->watch.urged_ns = now() - 2 * S;
	assert_false(urge(f, pid, *pidfd));
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	assert_true(WIFCONTINUED(status));
	while (!atomic_load(&f->w->awake))
		usleep(1000);
	/* Too early for more. */
	assert_false(urge(f, pid, *pidfd));
	f->w->watch.urged_ns = now() - 2 * S;
	return pid;
}

static void a_recorder_that_does_not_let_go_must_be_killed(void **state)
{
	struct fixture *f = *state;
	int pidfd;
	pid_t pid = start_stuck(f, &pidfd);

	assert_true(urge(f, pid, pidfd));
	kill(pid, SIGKILL);
	next_status(pid);
	/* Where this is used, the kernel lets go of the guest then. */
	f->w->domain.our_pauses = 0;
	close(pidfd);
}

static void a_recorder_that_holds_nothing_is_not_killed(void **state)
{
	struct fixture *f = *state;
	int pidfd, status;
	pid_t pid = start_stuck(f, &pidfd);

	f->w->domain.our_pauses = 0;
	assert_false(urge(f, pid, pidfd));
	status = next_status(pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pidfd);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* --follow: the domain may be gone again, or one that cannot be recorded. */
static void a_domain_that_comes_back_is_watched(void **state)
{
	struct fixture *f = *state;
	struct watch *w;
	struct watchdog *g = start(f, 5 * MS, &w);

	f->w->domain.unsupported = true;
	assert_int_equal(watchdog_replace(g, 0, &f->w->domain.info), -ENOTSUP);
	assert_true(watchdog_alive(g));
	f->w->domain.unsupported = false;
	assert_int_equal(watchdog_replace(g, 0, &f->w->domain.info), 0);
	begin(f, w);
	assert_true(await_unpaused(f));
	assert_int_equal(watchdog_replace(g, 1, &f->w->domain.info), -EINVAL);
	watchdog_stop(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_the_watchdog),
		TEST(the_watchdog_comes_first),
		TEST(the_recorder_is_about_to_resume),
		TEST(the_recorder_died_after_its_call),
		TEST(the_recorder_is_stopped_after_its_call),
		TEST(the_pause_has_not_begun),
		TEST(waking_the_watchdog_is_not_paused_time),
		TEST(another_domain_is_left_alone),
		TEST(exactly_one_of_them_unpauses),
		TEST(a_pause_too_long_is_undone),
		TEST(it_is_woken),
		TEST(a_pause_is_undone_at_the_recorders_death),
		TEST(a_stopped_recorder_is_let_go_on),
		TEST(a_recorder_that_somebody_let_go_on_does_not_stop_again),
		TEST(a_recorder_that_was_stopped_later_stays_stopped),
		TEST(a_recorder_that_runs_gets_no_sigcont),
		TEST(a_recorder_that_does_not_let_go_must_be_killed),
		TEST(a_recorder_that_holds_nothing_is_not_killed),
		TEST(a_domain_that_comes_back_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
