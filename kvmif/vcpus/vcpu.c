/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/vcpus/vcpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kvmif/process/descriptor.h"
#include "kvmif/process/process.h"
#include "kvmif/vcpus/tracer.h"

#define PAGE 4096u          /* struct kvm_run is in the first one */
#define OWN_NS_MAX 2000000u /* that a stop may cost a sleeping thread, before it is known */
#define OWN_NS_MORE 20000u  /* slack above twice the cheapest stop so far */
#define RETURN_NS 1000000u  /* a thread that waits since a stop less long ago than this waits because of the stop */
_Static_assert(sizeof(struct kvm_run) <= PAGE, "struct kvm_run is in one page");

/* --- attaching --------------------------------------------------------------------------------------------------- */

int vcpu_attach(struct vcpu *v, uint32_t number, int pidfd, int fd)
{
	char name[sizeof(DESCRIPTOR_VCPU) + 10];
	int mine, rc;
	void *page;

	*v = (struct vcpu){.fd = fd,
	                   .cpu_time = -1,
	                   .call = -1,
	                   .sched = -1,
	                   .stat = -1,
	                   .own_ns = v->own_ns,
	                   .own_least = v->own_least};
	snprintf(name, sizeof(name), "%s%u", DESCRIPTOR_VCPU, number);
	mine = descriptor_take(pidfd, fd, name);
	if (mine < 0)
		return mine;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mine, 0);
	rc = page == MAP_FAILED ? -errno : 0;
	close(mine);
	if (rc != 0)
		return rc;
	if (state_page_is_taken(page)) {
		munmap(page, PAGE);
		return -EALREADY;
	}
	/* A mapping keeps the virtual machine. */
	madvise(page, PAGE, MADV_DONTFORK);
	v->run = page;
	return 0;
}

static int open_proc_file(pid_t pid, pid_t tid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void forget_thread(struct vcpu *v)
{
	const int files[] = {v->cpu_time, v->call, v->sched, v->stat};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i] >= 0)
			close(files[i]);
	v->cpu_time = v->call = v->sched = v->stat = -1;
	v->looked = (struct vcpu_schedule){0};
	v->ahead = 0;
	v->drifts = v->was_seen = false;
	v->tid = 0;
}

int vcpu_set_thread(struct vcpu *v, pid_t pid, pid_t tid)
{
	if (v->tid == tid)
		return 0;
	forget_thread(v);
	if (tid == 0)
		return 0;
	v->cpu_time = open_proc_file(pid, tid, "schedstat");
	v->call = open_proc_file(pid, tid, "syscall");
	v->stat = open_proc_file(pid, tid, "stat");
	v->sched = open_proc_file(pid, tid, "sched"); /* only kernels with CONFIG_SCHED_DEBUG have it */
	if (v->sched < 0)
		v->sched = open_proc_file(pid, tid, "status");
	if (v->cpu_time >= 0 && v->call >= 0) {
		v->tid = tid;
		/* Its filter is there: the kernel knows the thread of a vCPU from its first KVM_RUN on. */
		v->is_filtered = machine_is_filtered(pid, tid);
		return 0;
	}
	tid = v->cpu_time < 0 ? v->cpu_time : v->call;
	forget_thread(v);
	return tid == -ENOENT ? -ESRCH : tid;
}

void vcpu_detach(struct vcpu *v)
{
	if (!v->run)
		return;
	if (v->armed)
		vcpu_disarm(v);
	forget_thread(v);
	munmap(v->run, PAGE);
	v->run = NULL;
}

/* --- without a stop ---------------------------------------------------------------------------------------------- */

static const char *read_text(int file, char *text, size_t size)
{
	ssize_t n = file < 0 ? -1 : pread(file, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? text : NULL;
}

static bool read_counts(const struct vcpu *v, struct vcpu_schedule *to)
{
	char text[80];
	unsigned long long cpu_ns, arrivals;

	if (!read_text(v->cpu_time, text, sizeof(text)) || sscanf(text, "%llu %*u %llu", &cpu_ns, &arrivals) != 2)
		return false;
	to->cpu_ns = cpu_ns;
	to->arrivals = arrivals;
	return true;
}

/* What is behind @name and a colon; NULL: there is no such line. */
static const char *text_after(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strchr(at, ':') : NULL;
}

static uint64_t number_after(const char *text, const char *name)
{
	const char *at = text_after(text, name);

	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* sched has times in ms, with six decimals. */
static uint64_t time_of(const char *text, const char *name)
{
	const char *at = text_after(text, name);
	unsigned long long ms, ns;

	return at && sscanf(at, ": %llu.%llu", &ms, &ns) == 2 ? ms * 1000000 + ns : LEFT_UNKNOWN;
}

/* False: the kernel does not tell. */
static bool read_switches(int file, struct vcpu_schedule *to)
{
	char text[4096];
	const char *is = read_text(file, text, sizeof(text));

	to->left_ns = time_of(is, "se.exec_start");
	to->switches = number_after(is, "nr_switches");
	if (is && !to->switches)
		to->switches = number_after(is, "\nvoluntary_ctxt") + number_after(is, "\nnonvoluntary_ctxt");
	return is != NULL;
}

/* The CPU that the thread was on last, field 39 of proc(5)'s stat; -1: not known. */
static int last_cpu(int file)
{
	char text[1024];
	const char *at = read_text(file, text, sizeof(text)) ? machine_stat_field(text, 39) : NULL;

	return at ? atoi(at) : -1;
}

static uint64_t without_own(const struct vcpu *v, uint64_t ns)
{
	return ns > v->own_ns ? ns - v->own_ns : 0;
}

uint64_t vcpu_cpu_ns(struct vcpu *v)
{
	struct vcpu_schedule now;

	return read_counts(v, &now) ? without_own(v, now.cpu_ns) : v->cpu_ns;
}

/*
 * /proc/PID/task/TID/syscall: "running", or the number of the call that it sleeps in, and the call's arguments; -1 is
 * no call.
 */
static enum vcpu_place place_in(const char *text, int *fd)
{
	unsigned long first, request;
	long number;

	if (strncmp(text, "running", 7) == 0)
		return VCPU_RUNNING;
	if (sscanf(text, "%ld 0x%lx 0x%lx", &number, &first, &request) != 3)
		return VCPU_OUTSIDE;
	*fd = (int)first;
	if (number == SYS_ioctl && request == KVM_RUN)
		return VCPU_HALTED;
	return number == SYS_futex ? VCPU_HELD : VCPU_OUTSIDE;
}

static enum vcpu_place read_place(int file, int *fd)
{
	char text[200];

	return read_text(file, text, sizeof(text)) ? place_in(text, fd) : VCPU_GONE;
}

static enum vcpu_place place_of_vcpu(const struct vcpu *v)
{
	int fd = -1;
	enum vcpu_place place = read_place(v->call, &fd);

	return place == VCPU_HALTED && fd != v->fd ? VCPU_OUTSIDE : place;
}

enum vcpu_place vcpu_call_of(pid_t pid, pid_t tid, int *fd)
{
	int file = open_proc_file(pid, tid, "syscall");
	enum vcpu_place place = read_place(file, fd);

	if (file >= 0)
		close(file);
	return place;
}

/* A monitor without an interrupt controller in the kernel holds a vCPU that is halted, too. */
bool vcpu_is_held(const struct vcpu *v)
{
	return v->place == VCPU_HELD && v->run->exit_reason != KVM_EXIT_HLT;
}

bool vcpu_has_failed(const struct vcpu *v)
{
	switch (v->run->exit_reason) {
	case KVM_EXIT_SHUTDOWN:
	case KVM_EXIT_FAIL_ENTRY:
	case KVM_EXIT_INTERNAL_ERROR:
		return true;
	case KVM_EXIT_SYSTEM_EVENT:
		return v->run->system_event.type == KVM_SYSTEM_EVENT_CRASH;
	default:
		return false;
	}
}

/* Has it gone back to sleep after a stop, and done nothing else? That must not look as if it had run. */
static bool is_own(struct vcpu *v, uint64_t ns)
{
	uint64_t most = v->own_least ? 2 * v->own_least + OWN_NS_MORE : OWN_NS_MAX;

	if (!v->was_stopped || v->place != VCPU_HALTED || ns > most)
		return false;
	if (ns && (!v->own_least || ns < v->own_least))
		v->own_least = ns;
	return true;
}

/* Has our thread preempted the vCPU's? */
static bool is_preempted_by_us(const struct vcpu *v)
{
	struct vcpu_schedule own = {.left_ns = LEFT_UNKNOWN};
	int file;

	if (last_cpu(v->stat) != sched_getcpu())
		return false;
	file = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	read_switches(file, &own);
	if (file >= 0)
		close(file);
	if (own.left_ns == LEFT_UNKNOWN || v->looked.left_ns == LEFT_UNKNOWN)
		return true;
	return v->looked.left_ns + VCPU_TAKEN_NS >= own.left_ns;
}

/* It has run since @last, and neither come nor gone: it is still on its CPU. */
static bool has_run_on(const struct vcpu_schedule *last, const struct vcpu_schedule *now)
{
	return now->cpu_ns > last->cpu_ns && now->arrivals == last->arrivals && now->switches == last->switches;
}

/*
 * A thread that has arrived on a CPU as often as it was switched from is not on one. Switches are read between two
 * readings of arrivals: if these differ, the thread has just arrived. Some threads begin with a difference. It changes,
 * too: the kernel does not count the arrival of a thread that was preempted on its way to sleep or to a stop, so on a
 * preemptible kernel each stop may add one. So it is measured while they sleep, and where they are seen to run; where
 * that corrects it, behind each stop (vcpu_look_behind()).
 */
static bool is_on_cpu(struct vcpu *v, const struct vcpu_schedule *last, const struct vcpu_schedule *before)
{
	const struct vcpu_schedule *now = &v->looked;
	int64_t ahead = (int64_t)(now->arrivals - now->switches);

	if (v->place != VCPU_RUNNING) {
		if (now->arrivals == before->arrivals)
			v->ahead = ahead;
		return false;
	}
	if (!now->arrivals || !now->switches || now->arrivals != before->arrivals)
		return true;
	if (has_run_on(last, now)) {
		v->drifts |= v->ahead != ahead - 1;
		v->ahead = ahead - 1;
	}
	if (ahead != v->ahead)
		return true;
	if (v->is_still && clock_now() - v->released_ns < RETURN_NS)
		return true;
	return v->is_preempted = is_preempted_by_us(v);
}

/* The thread has run for @ns, as the scheduler counts. */
static void settle_look(struct vcpu *v, uint64_t ns)
{
	ns = without_own(v, ns);
	if (ns > v->cpu_ns && is_own(v, ns - v->cpu_ns)) {
		v->own_ns += ns - v->cpu_ns;
		ns = v->cpu_ns;
	}
	v->was_stopped = v->is_away = v->is_preempted = false;
	v->exit = GUEST_EXIT_NONE;
	v->host = NULL;
	v->is_still = v->was_seen && v->looked.arrivals && v->looked.arrivals == v->seen.arrivals;
	v->is_inside &= v->is_still;
	v->cpu_ns = ns;
}

void vcpu_look(struct vcpu *v)
{
	const struct vcpu_schedule last = v->looked;
	struct vcpu_schedule before = {0};

	read_counts(v, &before);
	v->place = place_of_vcpu(v);
	read_switches(v->sched, &v->looked);
	settle_look(v, read_counts(v, &v->looked) ? v->looked.cpu_ns : v->cpu_ns + v->own_ns);
	v->on_cpu = is_on_cpu(v, &last, &before);
}

void vcpu_set_look(struct vcpu *v, enum vcpu_place place, uint64_t cpu_ns, uint64_t arrivals, bool on_cpu)
{
	v->place = place == VCPU_OUTSIDE ? place_of_vcpu(v) : place;
	v->looked = (struct vcpu_schedule){.cpu_ns = cpu_ns, .arrivals = arrivals};
	settle_look(v, place == VCPU_GONE ? v->cpu_ns + v->own_ns : cpu_ns);
	v->on_cpu = on_cpu;
}

void vcpu_check_still(struct vcpu *v)
{
	struct vcpu_schedule now;

	if (!v->is_still || !read_counts(v, &now) || now.arrivals != v->seen.arrivals)
		v->is_inside = false;
}

void vcpu_disarm(struct vcpu *v)
{
	state_disarm(v->run);
	v->armed = false;
}

bool vcpu_is_taken(const struct vcpu *v)
{
	return state_page_is_taken(v->run);
}

/* --- the stop ---------------------------------------------------------------------------------------------------- */

/*
 * Its thread has ended while it was ours: until we take note, it is left as a zombie, and its whole process with it.
 */
static int mark_gone(struct vcpu *v)
{
	while (waitid(P_PID, (id_t)v->tid, NULL, WEXITED | __WALL) != 0 && errno == EINTR)
		;
	v->held = false;
	return -ESRCH;
}

int vcpu_interrupt(struct vcpu *v)
{
	if (ptrace(PTRACE_SEIZE, v->tid, NULL, NULL) != 0)
		return -errno;
	v->held = true;
	if (v->run) {
		v->armed = true;
		state_arm(v->run);
	}
	if (ptrace(PTRACE_INTERRUPT, v->tid, NULL, NULL) != 0)
		return errno == ESRCH ? mark_gone(v) : -errno;
	return 0;
}

static int await_once(struct vcpu *v, int how)
{
	siginfo_t info = {0};

	/*
	 * Not reaped: if the stop is the delivery of a signal, and we are killed after we have taken note of it, the
	 * signal would be lost.
	 */
	if (waitid(P_PID, (id_t)v->tid, &info, how | WSTOPPED | WEXITED | WNOWAIT | __WALL) != 0)
		return -errno;
	if (info.si_pid == 0)
		return -EBUSY;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return mark_gone(v);
	v->status = info.si_status;
	v->was_stopped = true;
	return 0;
}

/* Where it has stopped is in v->status. */
static int await_stop(struct vcpu *v, uint64_t deadline_ns)
{
	int rc;

	if (clock_now() < deadline_ns)
		tracer_interrupt_at(deadline_ns);
	do
		rc = await_once(v, clock_now() < deadline_ns ? 0 : WNOHANG);
	while (rc == -EINTR);
	return rc;
}

static void take_registers(struct vcpu *v)
{
	v->is_inside = state_take(v->run, v->tid, &v->kept);
	v->was_inside |= v->is_inside;
	v->was_seen = read_counts(v, &v->seen);
	/* Registers are no sign that it still is in KVM_RUN: it may have left since it was asked for them. */
	if (v->is_filtered)
		state_begin_call_anew(v->tid);
}

int vcpu_await(struct vcpu *v, uint64_t deadline_ns)
{
	int rc = await_stop(v, deadline_ns);

	if (rc == 0)
		take_registers(v);
	if (rc != -EBUSY)
		vcpu_disarm(v);
	return rc;
}

void vcpu_give_up(struct vcpu *v)
{
	v->held = v->is_late = v->was_seen = false;
}

int vcpu_release(struct vcpu *v)
{
	/* A stop of our own has an event in the status's second byte; otherwise it is a signal on its way. */
	long signal = v->status >> 8 ? 0 : v->status;

	if (ptrace(PTRACE_DETACH, v->tid, NULL, signal) != 0)
		return errno == ESRCH ? mark_gone(v) : -errno;
	v->held = false;
	v->released_ns = clock_now();
	return 0;
}

void vcpu_look_behind(struct vcpu *v)
{
	struct vcpu_schedule now;
	uint64_t turns;

	if (!v->drifts || !v->was_stopped || !v->was_seen || !read_switches(v->sched, &now) || !read_counts(v, &now))
		return;
	turns = now.arrivals - v->seen.arrivals;
	if (turns <= 1 && now.cpu_ns == v->seen.cpu_ns)
		v->ahead = (int64_t)(now.arrivals - now.switches - turns);
}

int vcpu_identify(pid_t tid)
{
	struct vcpu v = {.tid = tid};
	int rc = vcpu_interrupt(&v), fd = rc;

	if (!v.held)
		return rc;
	rc = await_stop(&v, clock_now() + VCPU_STOP_NS);
	if (rc != 0)
		return rc;
	fd = state_call_of(tid);
	if (fd == -ENOENT)
		state_begin_call_anew(tid);
	rc = vcpu_release(&v);
	return rc != 0 ? rc : fd;
}

void vcpu_take(struct vcpu *v, const struct vcpu_state *kept, bool off)
{
	v->kept = *kept;
	v->is_inside = true;
	v->was_seen = v->is_still = off;
	if (off)
		v->seen = v->looked;
}

void vcpu_registers(const struct vcpu *v, struct vcpu_regs *regs)
{
	*regs = (struct vcpu_regs){0};
	if (v->is_inside)
		state_registers(&v->kept, regs);
}

void vcpu_all_registers(const struct vcpu *v, struct register_set *set)
{
	if (v->is_inside)
		state_all_registers(&v->kept, set);
}
