/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings up the guest's vCPUs and gives each its work, as its command line says:
 *   work=shares|levels|recursion|heartbeat|idle|leaves|styles|block|plug|hostile|depth:N|end:N|lockstep:N|spaces|
 *   count|halt
 *       what vCPU 0 does. smp is shares; depth may stand alone: depth=N. end:N works for 4000 units of time
 *       (guest.h), or after=N, then shuts down for Xen's reason N. plug brings vCPU 1 up again and again. lockstep:N
 *       repeats itself every N us, in a PV guest. spaces goes from one address space to another, in arm64-4k.
 *       count tells its hypervisor of each piece of work. halt waits for an interrupt that does not come, on ARM64.
 *   others=idle|block|same|down|flip|halt
 *       what the other vCPUs do; the default is the same as vCPU 0 for depth, else idle. down works for a while, then
 *       takes itself down, over and over. flip takes a page out of the page tables and puts it back.
 *   vcpus=N
 *       how many there are
 */
#include "command_line.h"
#include "guest.h"

#include <xen/xen.h>
#include <xen/sched.h>
#include <xen/vcpu.h>

void kernel_main(void *boot);
void secondary_main(long vcpu);

static _Noreturn void shut_down(unsigned reason)
{
	struct sched_shutdown why = {.reason = reason};

	for (;;)
		hypercall(__HYPERVISOR_sched_op, SCHEDOP_shutdown, (long)&why, 0);
}

_Noreturn void crash(void)
{
	shut_down(SHUTDOWN_crash);
}

static _Noreturn KEPT void work_end(unsigned reason, unsigned units)
{
	BURN(units);
	shut_down(reason);
}

/* vCPU 1's comings and goings: it takes itself down, and vCPU 0 brings it up again. */
KEPT static void work_down(long vcpu)
{
	for (;;) {
		BURN(80);
		hypercall(__HYPERVISOR_vcpu_op, VCPUOP_down, vcpu, 0);
	}
}

KEPT static void work_plug(void)
{
	for (;;) {
		BURN(240);
		hypercall(__HYPERVISOR_vcpu_op, VCPUOP_up, 1, 0);
	}
}

/* --- work -------------------------------------------------------------------------------------------------------- */

/* The instruction pointer of a blocked vCPU stands in this function itself: the hypercall is inline. */
KEPT void work_idle(void)
{
	LOCAL int on = 1;

	while (on)
		hypercall(__HYPERVISOR_sched_op, SCHEDOP_block, 0, 0);
}

/* A hypercall after each of equal pieces of work. */
KEPT static void work_count(void)
{
	for (;;) {
		for (LOCAL int spin = 0; spin < 20000; spin++)
			__asm__ volatile("");
		hypercall(__HYPERVISOR_xen_version, 0, 0, 0);
	}
}

#ifdef __aarch64__
/* Asks no hypervisor; interrupts are off. */
KEPT static void work_halt(void)
{
	for (;;)
		__asm__ volatile("wfi");
}
#endif

static inline __attribute__((always_inline)) void work(long vcpu)
{
	const char *what = argument("work=");

	if (is(what, "shares") || is(what, "smp"))
		work_shares();
	else if (is(what, "levels"))
		work_levels();
	else if (is(what, "recursion"))
		work_recursion();
	else if (is(what, "depth"))
		work_depth(number(what) ? number(what) : number(argument("depth=")));
	else if (is(what, "heartbeat"))
		work_heartbeat();
	else if (is(what, "leaves"))
		work_leaves();
	else if (is(what, "styles"))
		work_styles();
	else if (is(what, "idle"))
		work_idle();
	else if (is(what, "block"))
		work_block();
	else if (is(what, "count"))
		work_count();
	else if (is(what, "plug"))
		work_plug();
	else if (is(what, "hostile") && vcpu == 0)
		work_hostile();
#ifdef __aarch64__
	else if (is(what, "halt"))
		work_halt();
#endif
#if defined(GRANULE) && GRANULE == 12
	else if (is(what, "spaces"))
		work_spaces();
#endif
#ifdef PV
	else if (is(what, "lockstep"))
		work_lockstep(number(what) * 1000ull);
#endif
	else if (is(what, "end"))
		work_end(number(what), *argument("after=") ? number(argument("after=")) : 4000);
	crash();
}

/* --- boot -------------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
void start_vcpu(long vcpu)
{
	if (hypercall(__HYPERVISOR_vcpu_op, VCPUOP_initialise, vcpu, (long)vcpu_context(vcpu)) != 0 ||
	    hypercall(__HYPERVISOR_vcpu_op, VCPUOP_up, vcpu, 0) != 0)
		crash();
}
#endif

KEPT void secondary_main(long vcpu)
{
	hypercall(__HYPERVISOR_vcpu_op, VCPUOP_stop_periodic_timer, vcpu, 0);
	if (is(argument("others="), "same") || (!*argument("others=") && is(argument("work="), "depth")))
		work(vcpu);
	if (is(argument("others="), "flip"))
		work_flip();
	if (is(argument("others="), "block"))
		work_block();
#ifdef __aarch64__
	if (is(argument("others="), "halt"))
		work_halt();
#endif
	if (is(argument("others="), "down"))
		work_down(vcpu);
	work_idle();
	AFTER_CALL();
}

KEPT void kernel_main(void *boot)
{
	command_line = boot_begin(boot);
	hypercall(__HYPERVISOR_vcpu_op, VCPUOP_stop_periodic_timer, 0, 0);
	for (unsigned v = 1; v < number(argument("vcpus=")) && v < MAX_VCPUS; v++)
		start_vcpu(v);
	work(0);
	AFTER_CALL();
}
