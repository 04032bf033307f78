/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu.h - one vCPU and its thread: stopped by ptrace, its registers by the page that the kernel shares with its
 * monitor.
 *
 * The thread runs nothing of ours. On x86, while kvm_valid_regs is set in that page (struct kvm_run), KVM writes the
 * registers there whenever KVM_RUN returns to the monitor, which a ptrace stop makes it do (KVM_CAP_SYNC_REGS). Then
 * the monitor sees EINTR, and calls KVM_RUN again.
 *
 * Only a thread that runs, or sleeps inside KVM_RUN, is stopped. One that sleeps in nanosleep or poll would go on by
 * restart_syscall, which a monitor's seccomp filter may forbid, and then it would be killed. Where there is a filter,
 * one that falls asleep there just before it is stopped is made to begin its call anew, by a call more for each stop.
 * If we are killed before that call, it is killed, too: this cannot be helped.
 *
 * Who traces the thread has the page to itself: it asks for registers, and copies them, only while it is the tracer. So
 * several recorders never see each other's requests.
 */
#ifndef KVMIF_VCPUS_VCPU_H
#define KVMIF_VCPUS_VCPU_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/clock.h"
#include "guest/hypervisor.h"
#include "kvmif/arch/state.h"

/* Where a thread was when it was looked at, without a stop. */
enum vcpu_place {
	VCPU_GONE,
	VCPU_RUNNING, /* on a CPU, or waiting for one: in the guest, or for a moment in its monitor */
	VCPU_HALTED,  /* asleep in KVM_RUN */
	VCPU_OUTSIDE, /* asleep in its monitor */
	VCPU_HELD,    /* that, and waiting for another thread of its monitor */
};

#define LEFT_UNKNOWN UINT64_MAX

/* What the scheduler has counted of a thread. */
struct vcpu_schedule {
	uint64_t cpu_ns;   /* that it has run */
	uint64_t arrivals; /* on a CPU; 0: the kernel does not count them */
	uint64_t switches; /* from it to another thread */
	uint64_t left_ns;  /* when it was on a CPU last, by that CPU's clock; 0: it has moved since; or LEFT_UNKNOWN */
};

#define VCPU_STOP_NS 1000000u /* a thread that has not stopped by then is waited for no longer */

struct vcpu {
	pid_t tid;
	int fd;                            /* in the monitor */
	int cpu_time, call;                /* /proc/PID/task/TID/schedstat, syscall */
	int sched, stat;                   /* and sched, or else status, and stat */
	struct kvm_run *run;               /* shared; NULL: not attached */
	enum vcpu_place place;             /* by vcpu_look() */
	uint64_t cpu_ns, own_ns;           /* by vcpu_look(): without what our stops have cost, and that */
	uint64_t own_least;                /* of one stop; 0: not known */
	uint64_t looked_ns;                /* cpu_ns when the layout was read */
	struct vcpu_schedule looked, seen; /* at vcpu_look(), and in its last stop */
	int64_t ahead;                     /* its arrivals are so many more than its switches while it is on no CPU */
	bool drifts;                       /* @ahead changes with stops */
	uint64_t released_ns;              /* CLOCK_MONOTONIC: when the last stop ended */
	bool was_seen;                     /* @seen means something: it has stopped in time */
	bool was_stopped;                  /* since vcpu_look() */
	bool is_still;                     /* by vcpu_look(): it has not been on a CPU since @seen */
	bool on_cpu;                       /* by vcpu_look(): on one, or it would be, were it not for us */
	bool is_preempted;                 /* by vcpu_look(): by us, who run where it did */
	bool is_late;                      /* it has not stopped in time */
	bool armed, held;
	bool is_filtered;              /* by seccomp */
	bool is_away;                  /* it was read while its thread was outside KVM_RUN; @kept are its registers */
	enum guest_exit exit;          /* read without a stop: why it was not in the guest, */
	const struct host_stack *host; /* and what the host did; NULL: not known */
	bool was_inside;               /* @kept has the control registers and segments of a stop */
	bool is_inside;                /* it is in KVM_RUN: @kept are its registers, */
	struct vcpu_state kept;        /* which were copied while it was stopped */
	int status;                    /* of the stop */
};

/*
 * Maps the page of vCPU @number, descriptor @fd of the process of @pidfd. 0 or a negative errno; -EBADFD: that is
 * another file now; -EALREADY: the monitor itself asks KVM for registers there, or sets them. If @v was attached
 * before, it still leaves out what stops have cost then.
 */
int vcpu_attach(struct vcpu *v, uint32_t number, int pidfd, int fd);
/* Its registers are @kept, which were read without a stop while it ran, or @off, while its thread was on no CPU. */
void vcpu_take(struct vcpu *v, const struct vcpu_state *kept, bool off);
/* Its thread is @tid from now on. 0 or a negative errno. */
int vcpu_set_thread(struct vcpu *v, pid_t pid, pid_t tid);
void vcpu_detach(struct vcpu *v); /* all zero is fine */

/*
 * Where the thread is, whether it is on a CPU, and its CPU time; a stop's own cost is left out. For the thread of ours
 * that has just woken up to take a sample.
 */
void vcpu_look(struct vcpu *v);
/*
 * The same, as it has been told without a stop: the thread is at @place, RUNNING, HALTED or GONE, or somewhere else if
 * that is OUTSIDE; has run for @cpu_ns and come on a CPU @arrivals times; @on_cpu as above.
 */
void vcpu_set_look(struct vcpu *v, enum vcpu_place place, uint64_t cpu_ns, uint64_t arrivals, bool on_cpu);
#define VCPU_TAKEN_NS 50000u /* a thread that has left a CPU less than this before we got it was preempted by us */
/* CPU time now. */
uint64_t vcpu_cpu_ns(struct vcpu *v);
/* Has its monitor taken it out of the guest, and does not let it go on? By the last vcpu_look(). */
bool vcpu_is_held(const struct vcpu *v);
/* Has it left the guest because that cannot go on, as after a triple fault? */
bool vcpu_has_failed(const struct vcpu *v);
/* Where thread @tid of @pid is. If it sleeps in KVM_RUN, *fd is the descriptor of the vCPU. */
enum vcpu_place vcpu_call_of(pid_t pid, pid_t tid, int *fd);
/*
 * Stops the thread for a moment. The descriptor of the vCPU that it runs, or a negative errno; -ENOENT: none; -EBUSY: it
 * does not stop, and the end of this thread lets it go.
 */
int vcpu_identify(pid_t tid);

/* Does its monitor use the registers in the page itself? */
bool vcpu_is_taken(const struct vcpu *v);
/* The next return of KVM_RUN writes no registers any more. */
void vcpu_disarm(struct vcpu *v);

/*
 * Begins to stop the thread, and has the next return of KVM_RUN write registers. 0 or a negative errno: -ESRCH: it is
 * gone; -EPERM: it has another tracer, or we may not.
 */
int vcpu_interrupt(struct vcpu *v);
/*
 * Waits until it is stopped, copies its registers and disarms it. 0, or a negative errno; -ESRCH: it is gone; -EBUSY: it
 * has not stopped by @deadline_ns (CLOCK_MONOTONIC), which only a thread of tracer.h notices by itself; it stays armed.
 */
int vcpu_await(struct vcpu *v, uint64_t deadline_ns);
/* After vcpu_await() with -EBUSY: the end of this thread of ours (tracer.h) lets it go. */
void vcpu_give_up(struct vcpu *v);
/* Forgets the registers of an earlier stop, if the thread has been on a CPU since. */
void vcpu_check_still(struct vcpu *v);
/* Lets it run. A signal that it was about to take is handed on. 0 or a negative errno. */
int vcpu_release(struct vcpu *v);
/*
 * After vcpu_release(), where stops change @ahead: measures it if the thread has not come on a CPU again, or is on one
 * for the first time, as its time is counted when it leaves.
 */
void vcpu_look_behind(struct vcpu *v);

/*
 * The registers that the last stop has left; valid is false where it found none, or they are not the guest's own: in
 * system management mode, and while a guest of the guest runs.
 */
void vcpu_registers(const struct vcpu *v, struct vcpu_regs *regs);
/* All others, where it found some. */
void vcpu_all_registers(const struct vcpu *v, struct register_set *set);

#endif
