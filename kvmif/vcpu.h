/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu.h - one vCPU and its thread: stopped by ptrace, its registers by the page that the kernel shares with its
 * monitor.
 *
 * The thread runs nothing of ours. While kvm_valid_regs is set in that page (struct kvm_run), KVM writes the registers
 * there whenever KVM_RUN returns to the monitor, which a ptrace stop makes it do (KVM_CAP_SYNC_REGS). Then the monitor
 * sees EINTR, and calls KVM_RUN again.
 *
 * Only a thread that runs, or sleeps inside KVM_RUN, is stopped. One that sleeps in nanosleep or poll would go on by
 * restart_syscall, which a monitor's seccomp filter may forbid, and then it would be killed. Where there is a filter,
 * one that falls asleep there just before it is stopped is made to begin its call anew, by a call more for each stop.
 * If we are killed before that call, it is killed, too: this cannot be helped.
 */
#ifndef KVMIF_VCPU_H
#define KVMIF_VCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/hypervisor.h"

struct kvm_run;

/* Where a thread was when it was looked at, without a stop. */
enum vcpu_place {
	VCPU_GONE,
	VCPU_RUNNING, /* on a CPU, or waiting for one: in the guest, or for a moment in its monitor */
	VCPU_HALTED,  /* asleep in KVM_RUN */
	VCPU_OUTSIDE, /* asleep in its monitor */
	VCPU_HELD,    /* that, and waiting for another thread of its monitor */
};

struct vcpu {
	pid_t tid;
	int fd;                  /* in the monitor */
	int cpu_time, call;      /* /proc/PID/task/TID/schedstat and syscall; -1: not open */
	struct kvm_run *run;     /* shared; NULL: not attached */
	enum vcpu_place place;   /* by vcpu_look() */
	uint64_t cpu_ns, own_ns; /* by vcpu_look(): without what our stops have cost, and that */
	uint64_t own_least;      /* of one stop; 0: not known */
	uint64_t looked_ns;      /* cpu_ns when the layout was read */
	bool was_stopped;        /* since vcpu_look() */
	bool armed, held;
	bool is_taken;    /* vcpu_arm() has found that its monitor uses the registers in the page */
	bool is_filtered; /* by seccomp */
	bool is_inside;   /* the last stop found it in KVM_RUN: its registers are there */
	int status;       /* of the stop */
};

/*
 * Maps the page of vCPU descriptor @fd of the process of @pidfd. 0 or a negative errno; -EALREADY: the monitor itself
 * asks KVM for registers there, or sets them. If @v was attached before, it still leaves out what stops have cost then.
 */
int vcpu_attach(struct vcpu *v, int pidfd, int fd);
/* Its thread is @tid from now on. 0 or a negative errno. */
int vcpu_set_thread(struct vcpu *v, pid_t pid, pid_t tid);
void vcpu_detach(struct vcpu *v); /* all zero is fine */

/* Where the thread is, and its CPU time; a stop's own cost is left out. */
void vcpu_look(struct vcpu *v);
/* CPU time now. */
uint64_t vcpu_cpu_ns(struct vcpu *v);
/* Has its monitor taken it out of the guest, and does not let it go on? By the last vcpu_look(). */
bool vcpu_is_held(const struct vcpu *v);
/* Where thread @tid of @pid is. If it sleeps in KVM_RUN, *fd is the descriptor of the vCPU. */
enum vcpu_place vcpu_call_of(pid_t pid, pid_t tid, int *fd);
/* Stops the thread for a moment. The descriptor of the vCPU that it runs, or a negative errno; -ENOENT: none. */
int vcpu_identify(pid_t tid);

/* The next return of KVM_RUN writes registers, if the monitor does not use them itself; or no more. */
void vcpu_arm(struct vcpu *v);
void vcpu_disarm(struct vcpu *v);

/*
 * Begins to stop the thread. 0 or a negative errno: -ESRCH: it is gone; -EPERM: it has another tracer, or we may
 * not.
 */
int vcpu_interrupt(struct vcpu *v);
/*
 * Waits until it is stopped. 0, or a negative errno; -EINTR: a signal came to us first, the watchdog's; -EAGAIN: it is
 * stopped, but another recorder has stopped it since vcpu_arm(), and disarmed it.
 */
int vcpu_await(struct vcpu *v);
/* The same without waiting: true, too, if the thread has ended. */
bool vcpu_has_stopped(struct vcpu *v);
/* Lets it run. A signal that it was about to take is handed on. 0 or a negative errno. */
int vcpu_release(struct vcpu *v);

/*
 * The registers that the last stop has left; valid is false where it found none, or they are not the guest's own: in
 * system management mode, and while a guest of the guest runs.
 */
void vcpu_registers(const struct vcpu *v, struct vcpu_regs *regs);
/* All others, where it found some. */
void vcpu_all_registers(const struct vcpu *v, struct register_set *set);

#endif
