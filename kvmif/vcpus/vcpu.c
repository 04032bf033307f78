/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/vcpus/vcpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/registers.h"
#include "guest/x86.h"
#include "kvmif/process/process.h"

#define PAGE 4096u /* struct kvm_run is in the first one */
#define WANTED (KVM_SYNC_X86_REGS | KVM_SYNC_X86_SREGS)
#define POISON 0x5afe5afe5afe5afeull /* not canonical: no instruction pointer */
#define OWN_NS_MAX 2000000u          /* that a stop may cost a sleeping thread, before it is known */
#define OWN_NS_MORE 20000u           /* slack above twice the cheapest stop so far */
#define LOOKS 3                      /* at a page that seems to be in use by its monitor */
#define RETURN_NS 1000000u /* a thread that waits since a stop less long ago than this waits because of the stop */
_Static_assert(sizeof(struct kvm_run) <= PAGE, "struct kvm_run is in one page");

/*
 * At the end of struct kvm_run, of which KVM uses nothing there: POISON while kvm_valid_regs is ours, also if we were
 * killed meanwhile. Monitors that use the registers themselves set it as we do.
 */
static uint64_t *owner(struct kvm_run *run)
{
	return (uint64_t *)(void *)&run->s.padding[sizeof(run->s.padding) - sizeof(uint64_t)];
}

static bool is_set_by_monitor(struct kvm_run *run)
{
	const uint64_t before = __atomic_load_n(owner(run), __ATOMIC_ACQUIRE);
	const uint64_t valid = __atomic_load_n(&run->kvm_valid_regs, __ATOMIC_ACQUIRE);

	return valid && before != POISON && __atomic_load_n(owner(run), __ATOMIC_ACQUIRE) != POISON;
}

/* Another recorder may arm and disarm the page meanwhile; what the monitor sets stays. */
static bool is_taken(struct kvm_run *run)
{
	for (int look = 0; look < LOOKS; look++)
		if (!run->kvm_dirty_regs && !is_set_by_monitor(run))
			return false;
	return true;
}

/* --- attaching --------------------------------------------------------------------------------------------------- */

int vcpu_attach(struct vcpu *v, int pidfd, int fd)
{
	int mine = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0), rc;
	void *page;

	*v = (struct vcpu){.fd = fd,
	                   .cpu_time = -1,
	                   .call = -1,
	                   .sched = -1,
	                   .stat = -1,
	                   .own_ns = v->own_ns,
	                   .own_least = v->own_least};
	if (mine < 0)
		return -errno;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mine, 0);
	rc = page == MAP_FAILED ? -errno : 0;
	close(mine);
	if (rc != 0)
		return rc;
	if (is_taken(page)) {
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
	v->ahead = 0;
	v->was_seen = false;
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

/*
 * A thread that has arrived on a CPU as often as it was switched from is not on one. Some threads begin with a
 * difference, which is measured while they sleep. Switches are read between two readings of arrivals: if these differ,
 * the thread has just arrived.
 */
static bool is_on_cpu(struct vcpu *v, const struct vcpu_schedule *before)
{
	const struct vcpu_schedule *now = &v->looked;
	int64_t ahead = (int64_t)(now->arrivals - now->switches);

	if (v->place != VCPU_RUNNING) {
		if (now->arrivals == before->arrivals)
			v->ahead = ahead;
		return false;
	}
	if (!now->arrivals || !now->switches || now->arrivals != before->arrivals || ahead != v->ahead)
		return true;
	if (v->is_still && clock_now() - v->released_ns < RETURN_NS)
		return true;
	return is_preempted_by_us(v);
}

/* The thread has run for @ns, as the scheduler counts. */
static void settle_look(struct vcpu *v, uint64_t ns)
{
	ns = without_own(v, ns);
	if (ns > v->cpu_ns && is_own(v, ns - v->cpu_ns)) {
		v->own_ns += ns - v->cpu_ns;
		ns = v->cpu_ns;
	}
	v->was_stopped = v->is_away = false;
	v->exit = GUEST_EXIT_NONE;
	v->host = NULL;
	v->is_still = v->was_seen && v->looked.arrivals && v->looked.arrivals == v->seen.arrivals;
	v->is_inside &= v->is_still;
	v->cpu_ns = ns;
}

void vcpu_look(struct vcpu *v)
{
	struct vcpu_schedule before = {0};

	read_counts(v, &before);
	v->place = place_of_vcpu(v);
	read_switches(v->sched, &v->looked);
	settle_look(v, read_counts(v, &v->looked) ? v->looked.cpu_ns : v->cpu_ns + v->own_ns);
	v->on_cpu = is_on_cpu(v, &before);
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

bool vcpu_is_taken(const struct vcpu *v)
{
	return is_taken(v->run);
}

static void arm(struct vcpu *v)
{
	v->armed = true;
	*owner(v->run) = POISON;
	v->run->s.regs.regs.rip = POISON;
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&v->run->kvm_valid_regs, WANTED, __ATOMIC_RELEASE);
}

void vcpu_disarm(struct vcpu *v)
{
	__atomic_store_n(&v->run->kvm_valid_regs, 0, __ATOMIC_RELEASE);
	*owner(v->run) = 0;
	v->armed = false;
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
	if (v->run)
		arm(v);
	if (ptrace(PTRACE_INTERRUPT, v->tid, NULL, NULL) != 0)
		return errno == ESRCH ? mark_gone(v) : -errno;
	return 0;
}

/* Of the kernel's own errors, which no program sees (include/linux/errno.h). */
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/*
 * The thread may have left KVM_RUN, and have just fallen asleep in nanosleep, poll or a timed futex. Such a call goes
 * on by restart_syscall, which its process's seccomp filter may punish by death; let it begin anew instead, as other
 * calls do. The sleep is longer by what it has lasted. Both ways, it ends by EINTR if a signal's handler runs.
 */
static void begin_call_anew(struct vcpu *v)
{
	void *rax = (void *)offsetof(struct user_regs_struct, rax);
	long result;

	errno = 0;
	result = ptrace(PTRACE_PEEKUSER, v->tid, rax, NULL);
	if (errno == 0 && result == -ERESTART_RESTARTBLOCK)
		ptrace(PTRACE_POKEUSER, v->tid, rax, (void *)(long)-ERESTARTNOHAND);
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

	do
		rc = await_once(v, clock_now() < deadline_ns ? 0 : WNOHANG);
	while (rc == -EINTR);
	return rc;
}

static void take_registers(struct vcpu *v)
{
	v->kept = v->run->s.regs;
	v->flags = v->run->flags;
	v->is_inside = v->kept.regs.rip != POISON;
	v->was_inside |= v->is_inside;
	v->was_seen = read_counts(v, &v->seen);
	/* Registers are no sign that it still is in KVM_RUN: it may have left since it was asked for them. */
	if (v->is_filtered)
		begin_call_anew(v);
}

int vcpu_await(struct vcpu *v, uint64_t deadline_ns)
{
	int rc = await_stop(v, deadline_ns);

	if (rc == 0)
		take_registers(v);
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

/* A stop makes KVM_RUN fail with EINTR; its number and its arguments are in the registers still. */
static int call_of_stopped(const struct vcpu *v)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, v->tid, NULL, &r) != 0)
		return -errno;
	return r.orig_rax == SYS_ioctl && r.rsi == KVM_RUN ? (int)r.rdi : -ENOENT;
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
	fd = call_of_stopped(&v);
	if (fd == -ENOENT)
		begin_call_anew(&v);
	rc = vcpu_release(&v);
	return rc != 0 ? rc : fd;
}

/* From Linux 6.11; before that a guest of the guest is not seen. */
#ifndef KVM_RUN_X86_GUEST_MODE
#define KVM_RUN_X86_GUEST_MODE (1 << 2)
#endif

/* System management mode has memory of its own, and a guest's guest its own addresses. */
static bool is_guest_itself(const struct vcpu *v)
{
	return v->is_inside && !(v->flags & (KVM_RUN_X86_SMM | KVM_RUN_X86_GUEST_MODE));
}

void vcpu_take(struct vcpu *v, const struct kvm_sync_regs *kept, bool nested, bool off)
{
	v->kept = *kept;
	v->flags = nested ? KVM_RUN_X86_GUEST_MODE : 0;
	v->is_inside = true;
	v->was_seen = v->is_still = off;
	if (off)
		v->seen = v->looked;
}

void vcpu_registers(const struct vcpu *v, struct vcpu_regs *regs)
{
	const struct kvm_regs *r = &v->kept.regs;
	const struct kvm_sregs *s = &v->kept.sregs;

	const struct x86_state state = {
		.cr0 = s->cr0,
		.cr3 = s->cr3,
		.cr4 = s->cr4,
		.efer = s->efer,
		.rflags = r->rflags,
		.cs_l = s->cs.l,
		.cs_d = s->cs.db,
		.privilege = s->ss.dpl,
		.cs_base = s->cs.base,
		.ss_base = s->ss.base,
		.ip = r->rip,
		.sp = r->rsp,
		.fp = r->rbp,
	};

	*regs = (struct vcpu_regs){
		.all = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11,
	                r->r12, r->r13, r->r14, r->r15},
		.interrupt_table = s->idt.base,
	};
	if (is_guest_itself(v))
		x86_mode(&state, regs);
}

#define FIELD(member, register) REGISTER_FIELD(struct kvm_sync_regs, member, register)
static const struct register_field fields[] = {
	FIELD(regs.rip, REGISTER_RIP),
	FIELD(regs.rflags, REGISTER_RFLAGS),
	FIELD(sregs.cr0, REGISTER_CR0),
	FIELD(sregs.cr2, REGISTER_CR0 + 2),
	FIELD(sregs.cr3, REGISTER_CR0 + 3),
	FIELD(sregs.cr4, REGISTER_CR0 + 4),
	FIELD(sregs.cr8, REGISTER_CR0 + 8),
	FIELD(sregs.efer, REGISTER_EFER),
	FIELD(sregs.apic_base, REGISTER_APIC_BASE),
	FIELD(sregs.gdt.base, REGISTER_ES_BASE + SEGMENT_GDTR),
	FIELD(sregs.gdt.limit, REGISTER_ES_LIMIT + SEGMENT_GDTR),
	FIELD(sregs.idt.base, REGISTER_ES_BASE + SEGMENT_IDTR),
	FIELD(sregs.idt.limit, REGISTER_ES_LIMIT + SEGMENT_IDTR),
};

static void add_segment(struct register_set *set, unsigned s, const struct kvm_segment *from)
{
	const unsigned attributes = from->type | from->s << 4 | from->dpl << 5 |
	                            (from->present && !from->unusable) << 7 | from->avl << 8 | from->l << 9 |
	                            from->db << 10 | from->g << 11;

	upf_registers_add(set,
	                  s == SEGMENT_LDTR ? REGISTER_LDTR
	                  : s == SEGMENT_TR ? REGISTER_TR
	                                    : REGISTER_ES + s,
	                  from->selector);
	upf_registers_add(set,
	                  s == SEGMENT_FS   ? REGISTER_FS_BASE
	                  : s == SEGMENT_GS ? REGISTER_GS_BASE
	                                    : REGISTER_ES_BASE + s,
	                  from->base);
	upf_registers_add(set, REGISTER_ES_LIMIT + s, from->limit);
	upf_registers_add(set, REGISTER_ES_ATTRIBUTES + s, attributes);
}

static void add_registers(const struct kvm_sync_regs *from, struct register_set *set)
{
	const struct kvm_sregs *s = &from->sregs;
	const struct kvm_segment *const segments[] = {
		[SEGMENT_ES] = &s->es, [SEGMENT_CS] = &s->cs, [SEGMENT_SS] = &s->ss,    [SEGMENT_DS] = &s->ds,
		[SEGMENT_FS] = &s->fs, [SEGMENT_GS] = &s->gs, [SEGMENT_LDTR] = &s->ldt, [SEGMENT_TR] = &s->tr,
	};

	registers_read(set, fields, sizeof(fields) / sizeof(fields[0]), from);
	for (unsigned i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)
		add_segment(set, i, segments[i]);
}

void vcpu_all_registers(const struct vcpu *v, struct register_set *set)
{
	if (v->is_inside)
		add_registers(&v->kept, set);
}
