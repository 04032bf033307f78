/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stopped vCPU's page says: registers only where they are the guest's own. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/arch.h"
#include "kvmif/process/descriptor.h"
#include "kvmif/process/process.h"
#include "kvmif/vcpus/tracer.h"
#include "kvmif/vcpus/vcpu.h"

#define GUEST_MODE (1 << 2) /* KVM_RUN_X86_GUEST_MODE of newer headers */

static struct kvm_run run;

static struct vcpu_regs registers(uint16_t flags, bool is_inside)
{
	struct vcpu v = {.run = &run, .is_inside = is_inside, .kept.flags = flags};
	struct vcpu_regs regs;

	v.kept.sync.regs = (struct kvm_regs){.rip = 0x1000, .rsp = 0x2000, .rbp = 0x3000};
	v.kept.sync.sregs = (struct kvm_sregs){.cr0 = 0x80000011, .cr3 = 0x5000, .cr4 = 0x20, .efer = 0x500};
	v.kept.sync.sregs.cs.l = 1;
	vcpu_registers(&v, &regs);
	return regs;
}

TEST(registers_are_the_guests_own)
{
	struct vcpu_regs regs = registers(0, true);

	assert_true(regs.valid);
	assert_int_equal(regs.ip, 0x1000);
	assert_int_equal(regs.root.cr3, 0x5000);
	assert_int_equal(regs.arch->id, ARCH_X86_64);
	assert_true(registers(KVM_RUN_X86_BUS_LOCK, true).valid);
	assert_false(registers(0, false).valid);
	assert_false(registers(KVM_RUN_X86_SMM, true).valid);
	assert_false(registers(GUEST_MODE, true).valid);
}

/* Asleep for another thread of the monitor, and not because it is halted. */
TEST(a_held_vcpu_is_told_from_a_halted_one)
{
	struct vcpu v = {.run = &run, .place = VCPU_HELD};

	run.exit_reason = KVM_EXIT_INTR;
	assert_true(vcpu_is_held(&v));
	run.exit_reason = KVM_EXIT_HLT;
	assert_false(vcpu_is_held(&v));
	run.exit_reason = KVM_EXIT_INTR;
	v.place = VCPU_OUTSIDE;
	assert_false(vcpu_is_held(&v));
}

/* --- attaching: this process is its own monitor, and a vCPU's page a file in memory ------------------------------- */

/* The real one is in test_descriptor.c. */
int descriptor_take(int pidfd, int number, const char *name)
{
	assert_string_equal(name, DESCRIPTOR_VCPU "0");
	return (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
}

struct fixture {
	int pidfd, fd; /* of the monitor, of the page */
	struct kvm_run *run;
};

static void setup(struct fixture *f)
{
	f->pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	f->fd = memfd_create("vcpu", MFD_CLOEXEC);
	assert_true(f->pidfd >= 0 && f->fd >= 0 && ftruncate(f->fd, 4096) == 0);
	f->run = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_true(f->run != MAP_FAILED);
}

static void teardown(struct fixture *f)
{
	munmap(f->run, 4096);
	close(f->fd);
	close(f->pidfd);
}

/* The watchdog, which outlives a guest, would hold it. */
FIXTURE_TEST(the_page_is_not_inherited)
{
	struct vcpu v = {0};
	int status;
	pid_t pid;

	assert_int_equal(vcpu_attach(&v, 0, f->pidfd, f->fd), 0);
	pid = fork();
	if (pid == 0)
		_exit(msync(v.run, 4096, MS_ASYNC) == 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	vcpu_detach(&v);
}

/* What it keeps there is the guest's: it reads registers there, or KVM is to take them over. */
FIXTURE_TEST(a_monitor_that_uses_the_page_is_refused)
{
	const uint64_t valid[] = {KVM_SYNC_X86_REGS, KVM_SYNC_X86_REGS | KVM_SYNC_X86_SREGS, 0};
	struct kvm_run before;
	struct vcpu v = {0};

	for (size_t i = 0; i < COUNT(valid); i++) {
		f->run->kvm_valid_regs = valid[i];
		f->run->kvm_dirty_regs = valid[i] ? 0 : KVM_SYNC_X86_REGS;
		f->run->s.regs.regs.rip = 0x1000;
		before = *f->run;
		assert_int_equal(vcpu_attach(&v, 0, f->pidfd, f->fd), -EALREADY);
		assert_null(v.run);
		assert_memory_equal(f->run, &before, sizeof(before));
	}
}

FIXTURE_TEST(a_monitor_that_begins_to_is_seen)
{
	struct kvm_run before;
	struct vcpu v = {0};

	assert_int_equal(vcpu_attach(&v, 0, f->pidfd, f->fd), 0);
	assert_false(vcpu_is_taken(&v));
	f->run->kvm_valid_regs = KVM_SYNC_X86_REGS;
	before = *f->run;
	assert_true(vcpu_is_taken(&v));
	vcpu_detach(&v);
	assert_memory_equal(f->run, &before, sizeof(before));
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As vcpu_attach() and vcpu_set_thread(), then a stop that is only begun. */
static void begin_stop(const struct fixture *f, struct vcpu *v, pid_t thread)
{
	assert_int_equal(vcpu_attach(v, 0, f->pidfd, f->fd), 0);
	assert_int_equal(vcpu_set_thread(v, thread, thread), 0);
	vcpu_look(v);
	assert_int_equal(vcpu_interrupt(v), 0);
}

static void await_stop_of(struct vcpu *v)
{
	int rc;

	do
		rc = vcpu_await(v, 0);
	while (rc == -EBUSY);
	assert_int_equal(rc, 0);
}

/* KVM has left registers there since. */
FIXTURE_TEST(what_a_killed_recorder_has_left_is_no_such_use)
{
	const pid_t thread = start_sleeper();
	const struct kvm_run before = *f->run;
	struct vcpu killed = {0}, v = {0};

	begin_stop(f, &killed, thread);
	assert_true(killed.armed);
	f->run->s.regs.regs.rip = 0x1000;
	assert_int_equal(vcpu_attach(&v, 0, f->pidfd, f->fd), 0);
	assert_false(vcpu_is_taken(&v));
	assert_int_not_equal(f->run->kvm_valid_regs, 0);
	vcpu_detach(&v);
	await_stop_of(&killed);
	assert_int_equal(vcpu_release(&killed), 0);
	f->run->s.regs.regs.rip = 0;
	assert_memory_equal(f->run, &before, sizeof(before));
	vcpu_detach(&killed);
	end_process(thread);
}

/* Another recorder, a process of its own: it must not touch the page while we trace the thread. */
static int try_to_stop(const struct fixture *f, pid_t thread)
{
	struct vcpu v = {0};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (vcpu_attach(&v, 0, f->pidfd, f->fd) != 0 || vcpu_set_thread(&v, thread, thread) != 0)
			_exit(1);
		vcpu_look(&v);
		_exit(-vcpu_interrupt(&v));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return -WEXITSTATUS(status);
}

FIXTURE_TEST(recorders_do_not_see_each_other)
{
	const pid_t thread = start_sleeper();
	struct vcpu_regs regs;
	struct vcpu v = {0};

	begin_stop(f, &v, thread);
	f->run->s.regs.regs.rip = 0x1000; /* KVM's */
	assert_int_equal(try_to_stop(f, thread), -EPERM);
	assert_int_not_equal(f->run->kvm_valid_regs, 0);
	await_stop_of(&v);
	assert_int_equal(try_to_stop(f, thread), -EPERM);
	assert_int_equal(vcpu_release(&v), 0);
	/* The next recorder's request. */
	assert_int_equal(try_to_stop(f, thread), 0);
	assert_int_not_equal(f->run->s.regs.regs.rip, 0x1000);
	vcpu_registers(&v, &regs);
	assert_true(v.is_inside);
	assert_int_equal(v.kept.sync.regs.rip, 0x1000);
	vcpu_detach(&v);
	end_process(thread);
}

FIXTURE_TEST(without_registers_it_was_in_its_monitor)
{
	const pid_t thread = start_sleeper();
	struct vcpu_regs regs;
	struct vcpu v = {0};

	begin_stop(f, &v, thread);
	await_stop_of(&v);
	assert_false(v.is_inside);
	vcpu_registers(&v, &regs);
	assert_false(regs.valid);
	assert_int_equal(vcpu_release(&v), 0);
	vcpu_detach(&v);
	end_process(thread);
}

/* As one in the kernel that nothing interrupts: a parent in vfork(), until its child ends. */
static pid_t start_slow(int *child)
{
	int ready[2];
	pid_t slow;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	slow = fork();
	if (slow == 0) {
		if (vfork() == 0) {
			const int me = (int)syscall(SYS_getpid);

			if (write(ready[1], &me, sizeof(me)) != sizeof(me))
				_exit(1);
			for (;;)
				pause();
		}
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], child, sizeof(*child)), sizeof(*child));
	close(ready[0]);
	close(ready[1]);
	return slow;
}

/* A stop that cannot be: by a thread of ours that ends, so that the kernel withdraws it. */
struct attempt {
	struct tracer *tracer;
	struct vcpu *slow, *other;
	int rc, others;
};

static void attempt(void *ctx)
{
	struct attempt *a = ctx;
	const uint64_t began = clock_now();

	vcpu_interrupt(a->slow);
	vcpu_interrupt(a->other);
	a->rc = vcpu_await(a->slow, began + VCPU_STOP_NS);
	/* On a busy machine it stops later than that, but it stops. */
	a->others = vcpu_await(a->other, UINT64_MAX);
	vcpu_release(a->other);
	vcpu_give_up(a->slow);
	tracer_give_up(a->tracer);
}

static void nothing(int signal)
{
	(void)signal;
}

FIXTURE_TEST(a_slow_thread_does_not_hold_another)
{
	struct vcpu v[2] = {0};
	pid_t threads[2], child;
	struct attempt a = {tracer_new(), &v[0], &v[1], 0, 0};
	uint64_t arrivals;

	sigaction(SIGURG, &(struct sigaction){.sa_handler = nothing}, NULL);
	threads[0] = start_slow(&child);
	threads[1] = start_sleeper();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vcpu_attach(&v[i], 0, f->pidfd, f->fd), 0);
		assert_int_equal(vcpu_set_thread(&v[i], threads[i], threads[i]), 0);
		vcpu_look(&v[i]);
	}
	for (int again = 0; again < 3; again++) {
		assert_int_equal(tracer_run(a.tracer, attempt, &a, &(uint64_t){0}), 0);
		assert_int_equal(a.rc, -EBUSY);
		assert_int_equal(a.others, 0);
		/* It is not traced any more, and not stopped when it goes on. */
		assert_int_equal(machine_tracer(threads[0], threads[0]), 0);
		vcpu_look(&v[0]);
		assert_false(v[0].is_still || v[0].on_cpu);
	}
	arrivals = v[0].looked.arrivals;
	kill(child, SIGKILL);
	for (; v[0].looked.arrivals == arrivals; vcpu_look(&v[0]))
		usleep(1000);
	assert_false(machine_is_stopped(threads[0]));
	tracer_free(a.tracer);
	for (int i = 0; i < 2; i++) {
		vcpu_detach(&v[i]);
		end_process(threads[i]);
	}
}

static pid_t start_spinner(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	return pid;
}

/* As if its arrival had not been counted after it was preempted on its way to a stop. */
FIXTURE_TEST(a_thread_that_runs_is_on_a_cpu_whatever_was_not_counted)
{
	const uint64_t end_ns = clock_now() + 20000000000u;
	struct vcpu v = {0};
	const pid_t pid = start_spinner();
	int64_t ahead;

	assert_int_equal(vcpu_attach(&v, 0, f->pidfd, f->fd), 0);
	assert_int_equal(vcpu_set_thread(&v, pid, pid), 0);
	kill(pid, SIGSTOP);
	do
		vcpu_look(&v);
	while (v.place == VCPU_RUNNING);
	ahead = v.ahead++;
	kill(pid, SIGCONT);
	for (; v.ahead != ahead && clock_now() < end_ns; vcpu_look(&v))
		usleep(1000);
	if (v.looked.arrivals && v.looked.switches) {
		assert_int_equal(v.ahead, ahead);
		assert_true(v.on_cpu);
	}
	vcpu_detach(&v);
	end_process(pid);
}
