/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live.h - samples of a guest that is not stopped. For each vCPU's thread there is a timer, which is started for one
 * sample and interrupts the thread when it has run for a few microseconds more; a BPF program (live.bpf.c) then copies
 * registers and memory. The guest loses the interrupts and the copying; no signal, no exit to the monitor. From Linux
 * 5.17.
 *
 * On Intel's processors KVM keeps no rsp, and control registers and segments as it has read them last. So these are a
 * stop's, and a guest that has several address spaces cannot be sampled so.
 */
#ifndef KVMIF_BPF_LIVE_H
#define KVMIF_BPF_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "guest/hypervisor.h"
#include "kvmif/bpf/live_arch.h"

struct live;

/*
 * For a guest of up to @vcpus vCPUs: loads the program, which takes CAP_BPF and CAP_PERFMON, or root. @needs_sp: only
 * where rsp is known. NULL: @why is the reason in a few words.
 */
struct live *live_open(uint32_t vcpus, bool needs_sp, char *why, size_t size);
void live_close(struct live *l); /* NULL is fine */
/* Answers of threads that were at work outside the guest tell their stacks from now on, too. */
void live_read_host(struct live *l);

/* @vcpu is the kernel's structure at @address, and thread @tid runs it; 0: none does. 0 or a negative errno. */
int live_set_vcpu(struct live *l, uint32_t vcpu, uint64_t address, pid_t tid);

/*
 * The next samples of @vcpu also copy these pieces of its monitor's memory, each of which lies in a page, in order.
 * False: they are too many; none is copied.
 */
bool live_plan(struct live *l, uint32_t vcpu, const struct iovec *from, size_t nfrom);
/* The thread is to be sampled while it runs. 0 or a negative errno; -ESRCH: it is gone. */
int live_ask(struct live *l, uint32_t vcpu);
bool live_is_answered(const struct live *l, uint32_t vcpu);
/* If it does not run now, it is not to be sampled later. */
void live_cancel(struct live *l, uint32_t vcpu);
/*
 * Reads what the threads of @n vCPUs do, and the registers of those that do not run, by this thread of ours. @taken_ns:
 * a thread that has left a CPU less than this before we got it was preempted by us. 0 or a negative errno: then none of
 * the answers tells what the threads do, as if all ran.
 */
int live_look(struct live *l, uint32_t first, uint32_t n, uint32_t taken_ns);
/* Reads the registers of @n vCPUs, of which those count whose threads have stopped. 0 or a negative errno. */
int live_peek(struct live *l, uint32_t first, uint32_t n);

/* The answer, valid until the next question. */
const struct live_slot *live_answer(const struct live *l, uint32_t vcpu);
/* Why the vCPU was not in the guest when it was interrupted, or we have taken its CPU. */
enum guest_exit live_exit(const struct live *l, const struct live_slot *s, const struct kvm_run *run);

/*
 * Its registers: those that a walk needs, and the segments' bases. On Intel rsp is 0, and *@to must have the control
 * registers and segments of a stop, which stay what they are.
 */
enum live_found live_registers(const struct live *l, const struct live_slot *s, struct vcpu_state *to);
/* Intel: rsp is never known. */
bool live_lacks_sp(const struct live *l);
/*
 * What live_registers() tells of the address space is that of an earlier stop: on Intel, and on ARM64 where the host's
 * kernel runs at EL2 (VHE).
 */
bool live_lacks_space(struct live *l);

#endif
