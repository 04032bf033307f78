/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * onlooker.c - runs in the lab's dom0 beside the recorder, and sees for itself how the guest is.
 *
 *   onlooker words DOMAIN ADDRESS...
 *       prints words of the guest's memory
 *   onlooker samples TRACE
 *       prints how many samples a trace has so far, and how many it says were lost
 *   onlooker stall [FILE]
 *       copies a pipe, made as small as one can be, but after its first bytes not until FILE exists; without FILE
 *       never again
 *   onlooker kill SIGNAL COUNT DOMAIN BEATS [foreign]
 *       COUNT times: starts a recorder at its highest rate, ends it at a random moment by SIGNAL (PIPE: by closing
 *       what it writes to), and sees whether the word at BEATS, which the guest counts up, goes on; foreign: with a
 *       pause of somebody else's on the guest, which must stay
 *   onlooker freeze COUNT DOMAIN BEATS LONGEST [foreign]
 *       COUNT times: stops one recorder at a random moment for longer than a pause may last, and sees whether the
 *       guest goes on meanwhile; then prints the word at LONGEST, the guest's longest pause; foreign: with a pause of
 *       somebody else's that begins meanwhile and must stay
 *   onlooker both COUNT DOMAIN BEATS [foreign]
 *       COUNT times: kills a recorder and its watchdog together at a random moment, and has the recorder's
 *       --resume-paused undo what is left; foreign: with a pause of somebody else's, which must stay
 *   onlooker domctls SECONDS DOMAIN
 *       asks Xen for the domain's information, without a break
 */
#include "format/upf.h"
#include "record/sampling/target.h"
#include "guest/space.h"
#include "guest/hypervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_US 30000     /* between the recorder's beginning and its end */
#define LOOKS 400         /* for a pause to come upon */
#define PATIENCE_MS 60000 /* for the guest's next beat and the watchdog's end */
#define FROZEN_MS 1000    /* a recorder is stopped for so long */
#define TRACE "/tmp/onlooker.upf"
#define PAUSES "/run/uniprof/pauses"

static const struct hypervisor_ops *const ops = &hypervisor_backend;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "onlooker: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- the guest --------------------------------------------------------------------------------------------------- */

struct looked_at {
	struct guest_info info;
	struct guest *guest;
	struct pages *pages;
	struct capture *capture;
	struct vcpu_stop *stops;
	struct vcpu_regs regs; /* of vCPU 0, as it was once */
};

static struct looked_at look_at(const char *domain)
{
	char why[1024] = "";
	struct hypervisor *x = ops->host.open(why, sizeof(why));
	struct looked_at g = {.guest = NULL};

	if (!x || target_find(ops, x, domain, &g.info) != 0 ||
	    !(g.guest = ops->guest.attach(x, &g.info, NULL, ATTACH_TO_SAMPLE)))
		fail(*why ? why : domain);
	g.pages = pages_new(&ops->memory, g.guest, 64);
	g.capture = g.pages ? capture_new(g.pages, 256) : NULL;
	g.stops = calloc(g.info.vcpus, sizeof(*g.stops));
	if (!g.capture || !g.stops || ops->pause.peek(g.guest, 0, &g.regs) != 0)
		fail("peek");
	capture_set_live(g.capture, true);
	return g;
}

static uint64_t word_at(struct looked_at *g, uint64_t address)
{
	uint64_t word = 0;
	int rc = -EAGAIN;

	for (int i = 0; i < 8 && rc == -EAGAIN; i++) {
		struct space space = space_of(&g->regs, g->capture);

		rc = space_read(&space, address, &word);
		if (rc == -EAGAIN)
			capture_extend(g->capture);
	}
	if (rc == 0)
		return word;
	errno = -rc;
	fail("the guest's memory");
}

static bool is_paused(struct looked_at *g)
{
	struct guest_info info;

	return ops->guest.info(&g->guest, 1, &info) == 0 && info.paused;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Waits for the guest to go on. How long that took, us; -1: it does not. */
static int64_t goes_on(struct looked_at *g, uint64_t beats)
{
	uint64_t start = now_us(), before = word_at(g, beats);

	while (now_us() - start < PATIENCE_MS * 1000u) {
		if (word_at(g, beats) != before)
			return (int64_t)(now_us() - start);
		usleep(200);
	}
	return -1;
}

/* --- the recorder ------------------------------------------------------------------------------------------------ */

struct recorder {
	pid_t pid;
	int out; /* what it writes to a pipe; -1: it writes a file */
};

/* @pauses: its --pause-file, NULL: none; only without a summary. */
static struct recorder start(const char *domain, bool piped, bool summary, const char *pauses)
{
	struct recorder r = {.out = -1};
	int ends[2];

	unlink(TRACE);
	if (piped && pipe(ends) != 0)
		fail("pipe");
	r.pid = fork();
	if (r.pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (piped) {
			dup2(ends[1], STDOUT_FILENO);
			close(ends[0]);
			close(ends[1]);
		}
		execlp("uniprof-record", "uniprof-record", "-F", "1M", "--max-overhead", "100", "--max-cpu", "100",
		       "-o", piped ? "-" : TRACE, domain, summary ? NULL : "-q", pauses, (char *)NULL);
		_exit(127);
	}
	if (piped) {
		close(ends[1]);
		r.out = ends[0];
	}
	return r;
}

/* Until there is a trace: from then on it samples. False: it ended before. */
static bool await_trace(const struct recorder *r)
{
	char head[64];

	if (r->out >= 0)
		return read(r->out, head, sizeof(head)) > 0;
	while (access(TRACE, F_OK) != 0) {
		if (waitpid(r->pid, NULL, WNOHANG) != 0)
			return false;
		usleep(500);
	}
	return true;
}

/* Is the trace whole up to where it ends? */
static bool is_sound(void)
{
	int fd = open(TRACE, O_RDONLY);
	enum upf_fault fault;
	struct upf_reader *r = fd < 0 ? NULL : upf_reader_open(fd, &fault, NULL);
	struct upf_block b;
	bool sound = r != NULL;

	while (sound && upf_reader_next(r, &b) == 1)
		sound = b.fault == UPF_OK || b.fault == UPF_FAULT_CUT;
	if (r) {
		sound &= upf_reader_health(r)->missing == 0;
		upf_reader_close(r);
	}
	if (fd >= 0)
		close(fd);
	return sound;
}

/* --- one after the other ----------------------------------------------------------------------------------------- */

struct counters {
	unsigned ends, in_pause, left_paused, stopped, undone, unsound, by_signal;
	int64_t longest_us;
};

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void end_it(const struct recorder *r, int signal)
{
	if (r->out >= 0)
		close(r->out);
	else if (kill(r->pid, signal) != 0)
		fail("kill");
}

/* The watchdog is the recorder's only child process. */
static pid_t watchdog_of(const struct recorder *r)
{
	char path[64];
	FILE *f;
	int watchdog;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)r->pid, (int)r->pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &watchdog) != 1)
		fail(path);
	fclose(f);
	return watchdog;
}

/* The letter that /proc has for a process's state; Z if there is none. */
static char state_of(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	if (f)
		fclose(f);
	return state;
}

static void await_state(pid_t pid, char state)
{
	for (int i = 0; i < PATIENCE_MS && state_of(pid) != state; i++)
		usleep(1000);
}

/* In the lab's dom0, of one CPU, a pause that is seen is one in which the recorder has just been interrupted. */
static void await_pause(struct looked_at *g, uint64_t *seed)
{
	for (int i = 0; i < LOOKS && !is_paused(g); i++)
		usleep((useconds_t)(draw(seed) % 1000));
}

static void pause_it(struct looked_at *g)
{
	ops->pause.prepare(g->guest, NULL);
	if (ops->pause.stop(g->guest, &(struct pause_span){0}) != 0)
		fail("cannot pause the guest");
}

/* A pause of somebody else's must outlive the recorder, and its watchdog. */
static void see_foreign(struct looked_at *g, struct counters *t)
{
	uint64_t until = now_us() + 30000;

	while (now_us() < until) {
		if (!is_paused(g)) {
			t->undone++;
			break;
		}
		usleep(1000);
	}
	ops->pause.resume(g->guest);
}

/*
 * One end. When it is a sudden one, it is sometimes made to come inside a pause, and the watchdog is held back until
 * it has been seen whether it did; and somebody else's pause comes before the end or, where nobody could foresee it,
 * between the end and the watchdog's awakening.
 */
static void once(struct looked_at *g, const char *domain, int signal, uint64_t beats, bool foreign, uint64_t *seed,
                 struct counters *t)
{
	struct recorder r = start(domain, signal == SIGPIPE, false, NULL);
	bool slow = (signal == SIGKILL || signal == SIGSEGV) && draw(seed) & 1, late = slow && draw(seed) & 1;
	pid_t watchdog;
	int64_t took;
	int status;

	if (!await_trace(&r))
		fail("the recorder ended by itself");
	watchdog = watchdog_of(&r);
	usleep((useconds_t)(draw(seed) % MOST_US));
	if (slow)
		kill(watchdog, SIGSTOP);
	if (foreign && !late)
		pause_it(g);
	else if (slow)
		await_pause(g, seed);
	end_it(&r, signal);
	waitpid(r.pid, &status, 0);
	t->ends++;
	t->by_signal += WIFSIGNALED(status);
	t->in_pause += slow && (!foreign || late) && is_paused(g);
	if (foreign && late)
		pause_it(g);
	if (slow)
		kill(watchdog, SIGCONT);
	await_state(watchdog, 'Z');
	if (foreign)
		see_foreign(g, t);
	took = goes_on(g, beats);
	t->stopped += took < 0;
	t->longest_us = took > t->longest_us ? took : t->longest_us;
	t->left_paused += is_paused(g);
	if (signal != SIGPIPE)
		t->unsound += !is_sound();
}

static int signal_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"KILL", SIGKILL}, {"INT", SIGINT}, {"TERM", SIGTERM}, {"PIPE", SIGPIPE}, {"SEGV", SIGSEGV}};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcmp(signals[i].name, name) == 0)
			return signals[i].number;
	errno = EINVAL;
	fail(name);
}

static int kill_often(const char *name, unsigned count, const char *domain, uint64_t beats, bool foreign)
{
	struct looked_at g = look_at(domain);
	struct counters t = {0};
	uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)signal_of(name);

	for (unsigned i = 0; i < count; i++)
		once(&g, domain, signal_of(name), beats, foreign, &seed, &t);
	printf("%s%s ends %u by-signal %u in-pause %u left-paused %u stopped %u undone %u unsound %u "
	       "longest-ms %.1f\n",
	       name, foreign ? "-foreign" : "", t.ends, t.by_signal, t.in_pause, t.left_paused, t.stopped, t.undone,
	       t.unsound, (double)t.longest_us / 1000);
	return 0;
}

/* --- both killed --------------------------------------------------------------------------------------------------- */

/* The exit status of uniprof-record --resume-paused. */
static int resume_paused(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execlp("uniprof-record", "uniprof-record", "--resume-paused", PAUSES, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status;
}

struct kills {
	unsigned in_pause, left_paused, stopped, undone, failed;
};

/*
 * Stopped first, both together, so that it is seen whether a pause is left. Somebody else's pause begins before or
 * after that.
 */
static void kill_both(struct looked_at *g, const char *domain, uint64_t beats, bool foreign, uint64_t *seed,
                      struct kills *t)
{
	struct recorder r = start(domain, false, false, "--pause-file=" PAUSES);
	bool late = draw(seed) & 1;
	pid_t watchdog;

	if (!await_trace(&r))
		fail("the recorder ended by itself");
	watchdog = watchdog_of(&r);
	usleep((useconds_t)(draw(seed) % MOST_US));
	if (foreign && !late)
		pause_it(g);
	else if (draw(seed) & 1)
		await_pause(g, seed);
	kill(r.pid, SIGSTOP);
	kill(watchdog, SIGSTOP);
	await_state(r.pid, 'T');
	await_state(watchdog, 'T');
	t->in_pause += (!foreign || late) && is_paused(g);
	if (foreign && late)
		pause_it(g);
	kill(watchdog, SIGKILL);
	kill(r.pid, SIGKILL);
	waitpid(r.pid, NULL, 0);
	await_state(watchdog, 'Z');
	t->failed += resume_paused() != 0;
	t->failed += resume_paused() != 0; /* there is nothing left to be undone */
	if (foreign) {
		t->undone += !is_paused(g);
		ops->pause.resume(g->guest);
	}
	t->stopped += goes_on(g, beats) < 0;
	t->left_paused += is_paused(g);
}

static int kill_both_often(unsigned count, const char *domain, uint64_t beats, bool foreign)
{
	struct looked_at g = look_at(domain);
	struct kills t = {0};
	uint64_t seed = 0x9e3779b97f4a7c15u;

	for (unsigned i = 0; i < count; i++)
		kill_both(&g, domain, beats, foreign, &seed, &t);
	printf("both%s kills %u in-pause %u left-paused %u stopped %u undone %u failed %u\n",
	       foreign ? "-foreign" : "", count, t.in_pause, t.left_paused, t.stopped, t.undone, t.failed);
	return 0;
}

/* --- stopped, and let go on -------------------------------------------------------------------------------------- */

struct freezes {
	unsigned in_pause, stuck, undone, stopped;
};

/* One stop. A pause of somebody else's begins while the recorder is stopped, and ends after it went on. */
static void freeze_once(struct looked_at *g, const struct recorder *r, uint64_t beats, bool foreign, uint64_t *seed,
                        struct freezes *t)
{
	usleep((useconds_t)(draw(seed) % MOST_US));
	if (draw(seed) & 1)
		await_pause(g, seed);
	if (kill(r->pid, SIGSTOP) != 0)
		fail("the recorder ended by itself");
	await_state(r->pid, 'T');
	t->in_pause += is_paused(g);
	if (foreign)
		pause_it(g);
	usleep(FROZEN_MS * 1000);
	t->stuck += !foreign && is_paused(g);
	t->undone += foreign && !is_paused(g);
	t->stopped += !foreign && goes_on(g, beats) < 0;
	kill(r->pid, SIGCONT);
	if (foreign) {
		usleep(100000);
		t->undone += ops->pause.resume(g->guest) != 0;
		t->stopped += goes_on(g, beats) < 0;
	}
}

static int freeze_often(unsigned count, const char *domain, uint64_t beats, uint64_t longest, bool foreign)
{
	struct looked_at g = look_at(domain);
	struct recorder r = start(domain, false, true, NULL);
	struct freezes t = {0};
	uint64_t seed = 0x9e3779b97f4a7c15u;
	int status;

	if (!await_trace(&r))
		fail("the recorder ended by itself");
	for (unsigned i = 0; i < count; i++)
		freeze_once(&g, &r, beats, foreign, &seed, &t);
	kill(r.pid, SIGINT);
	waitpid(r.pid, &status, 0);
	printf("freeze%s stops %u in-pause %u stuck %u undone %u stopped %u status %d unsound %d left-paused %d "
	       "longest-ms %.1f\n",
	       foreign ? "-foreign" : "", count, t.in_pause, t.stuck, t.undone, t.stopped, status, !is_sound(),
	       is_paused(&g), (double)word_at(&g, longest) / 1e6);
	return 0;
}

/* --- what else --------------------------------------------------------------------------------------------------- */

static int make_domctls(unsigned seconds, const char *domain)
{
	struct looked_at g = look_at(domain);
	uint64_t until = now_us() + seconds * 1000000ull, n = 0;

	for (; now_us() < until; n++)
		is_paused(&g);
	printf("%llu domctls a second\n", (unsigned long long)(n / seconds));
	return 0;
}

static int print_words(const char *domain, char *const *addresses)
{
	struct looked_at g = look_at(domain);

	for (; *addresses; addresses++)
		printf("%llu%s", (unsigned long long)word_at(&g, strtoull(*addresses, NULL, 16)),
		       addresses[1] ? " " : "\n");
	return 0;
}

static int copy(size_t most)
{
	char bytes[512];
	ssize_t n = 1;

	while (most > 0 && (n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		if (write(STDOUT_FILENO, bytes, (size_t)n) != n)
			fail("standard output");
		most -= (size_t)n < most ? (size_t)n : most;
	}
	return n < 0;
}

static int stall(const char *until)
{
	if (fcntl(STDIN_FILENO, F_SETPIPE_SZ, 4096) < 0)
		fail("standard input");
	copy(1024);
	while (!until || access(until, F_OK) != 0)
		usleep(100000);
	return copy(SIZE_MAX);
}

/* Of a trace that is still being written as well: its blocks up to now. */
static int count_samples(const char *trace)
{
	int fd = open(trace, O_RDONLY);
	enum upf_fault fault;
	struct upf_reader *r = fd < 0 ? NULL : upf_reader_open(fd, &fault, NULL);
	uint64_t samples = 0, lost = 0;
	struct upf_block b;

	while (r && upf_reader_next(r, &b) == 1)
		if (b.type == UPF_BLOCK_SAMPLES && b.fault == UPF_OK) {
			samples += b.samples;
			lost += b.lost;
		}
	printf("%llu %llu\n", (unsigned long long)samples, (unsigned long long)lost);
	return 0;
}

int main(int argc, char **argv)
{
	if ((argc == 2 || argc == 3) && strcmp(argv[1], "stall") == 0)
		return stall(argc == 3 ? argv[2] : NULL);
	if (argc == 3 && strcmp(argv[1], "samples") == 0)
		return count_samples(argv[2]);
	if (argc > 3 && strcmp(argv[1], "words") == 0)
		return print_words(argv[2], argv + 3);
	if (argc > 5 && strcmp(argv[1], "kill") == 0)
		return kill_often(argv[2], (unsigned)atoi(argv[3]), argv[4], strtoull(argv[5], NULL, 16), argc > 6);
	if (argc > 5 && strcmp(argv[1], "freeze") == 0)
		return freeze_often((unsigned)atoi(argv[2]), argv[3], strtoull(argv[4], NULL, 16),
		                    strtoull(argv[5], NULL, 16), argc > 6);
	if (argc > 4 && strcmp(argv[1], "both") == 0)
		return kill_both_often((unsigned)atoi(argv[2]), argv[3], strtoull(argv[4], NULL, 16), argc > 5);
	if (argc == 4 && strcmp(argv[1], "domctls") == 0)
		return make_domctls((unsigned)atoi(argv[2]), argv[3]);
	fprintf(stderr, "Usage: onlooker words DOMAIN ADDRESS... | samples TRACE | stall [FILE]"
	                " | kill SIGNAL COUNT DOMAIN BEATS [foreign]"
	                " | freeze COUNT DOMAIN BEATS LONGEST [foreign] | both COUNT DOMAIN BEATS [foreign]"
	                " | domctls SECONDS DOMAIN\n");
	return 2;
}
