/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boots a PV guest, brings up its vCPUs and gives each its work, as its command line says:
 *   work=shares|levels|recursion|heartbeat|idle|leaves|styles|block|plug|hostile|depth:N|end:N|lockstep:N
 *       what vCPU 0 does. smp is shares; depth may stand alone: depth=N. end:N works for 1000 units of time
 *       (guest.h), or after=N, then shuts down for Xen's reason N. plug brings vCPU 1 up again and again. lockstep:N
 *       repeats itself every N us.
 *   others=idle|block|same|down|flip
 *       what the other vCPUs do; the default is the same as vCPU 0 for depth, else idle. down works for a while, then
 *       takes itself down, over and over. flip takes a page out of the page tables and puts it back.
 *   vcpus=N
 *       how many there are
 */
#include "guest.h"

#include <xen/xen.h>
#include <xen/sched.h>
#include <xen/vcpu.h>

#define PAGE 4096
#define MAX_VCPUS 8

static uint8_t stacks[MAX_VCPUS][2 * PAGE] __attribute__((aligned(PAGE)));
static uint8_t shared_page[PAGE] __attribute__((aligned(PAGE)));
static vcpu_guest_context_t context;
static const char *command_line;

void kernel_main(start_info_t *si);
void secondary_main(long vcpu);
extern char _start_secondary[];

/* By the call of Xen's today's interface: the older one of the same name takes no reason. */
static _Noreturn void shut_down(unsigned reason)
{
	struct sched_shutdown why = {.reason = reason};

	for (;;)
		hypercall(29, SCHEDOP_shutdown, (long)&why, 0);
}

static _Noreturn void crash(void)
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
		BURN(20);
		hypercall(__HYPERVISOR_vcpu_op, VCPUOP_down, vcpu, 0);
	}
}

KEPT static void work_plug(void)
{
	for (;;) {
		BURN(60);
		hypercall(__HYPERVISOR_vcpu_op, VCPUOP_up, 1, 0);
	}
}

/* --- command line ------------------------------------------------------------------------------------------------ */

/* What follows @key, "" where it is not. */
static const char *argument(const char *key)
{
	for (const char *at = command_line; *at; at++) {
		const char *a = at, *k = key;

		if (at != command_line && at[-1] != ' ')
			continue;
		while (*k && *a == *k)
			a++, k++;
		if (!*k)
			return a;
	}
	return "";
}

/* Does @text begin with the whole word @word? */
static int is(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word && (*text == '\0' || *text == ' ' || *text == ':');
}

static unsigned number(const char *text)
{
	unsigned n = 0;

	while (*text && *text != ' ' && (*text < '0' || *text > '9'))
		text++;
	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (unsigned)(*text - '0');
	return n;
}

/* --- work -------------------------------------------------------------------------------------------------------- */

/* The instruction pointer of a blocked vCPU stands in this function itself: the hypercall is inline. */
KEPT void work_idle(void)
{
	for (;;)
		hypercall(__HYPERVISOR_sched_op, SCHEDOP_block, 0, 0);
}

static inline __attribute__((always_inline)) void work(const start_info_t *si)
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
	else if (is(what, "plug"))
		work_plug();
	else if (is(what, "hostile") && si)
		work_hostile(si);
	else if (is(what, "lockstep"))
		work_lockstep(&((shared_info_t *)shared_page)->vcpu_info[0].time, number(what) * 1000ull);
	else if (is(what, "end"))
		work_end(number(what), *argument("after=") ? number(argument("after=")) : 1000);
	crash();
}

/* --- boot -------------------------------------------------------------------------------------------------------- */

uint64_t mfn_of(const start_info_t *si, const void *address)
{
	const unsigned long *list = (const unsigned long *)si->mfn_list;

	return list[((uint64_t)address - 0xffffffff80000000) / PAGE];
}

/* Nobody's event may wake a vCPU that is to stay blocked. */
static void mask_events(const start_info_t *si)
{
	shared_info_t *shared = (shared_info_t *)shared_page;

	if (hypercall(__HYPERVISOR_update_va_mapping, (long)shared_page, (long)(si->shared_info | 7), UVMF_INVLPG) !=
	    0)
		crash();
	for (unsigned i = 0; i < sizeof(shared->evtchn_mask) / sizeof(shared->evtchn_mask[0]); i++)
		shared->evtchn_mask[i] = ~0ul;
}

static void start_vcpu(const start_info_t *si, long vcpu)
{
	uint8_t *c = (uint8_t *)&context;

	for (unsigned i = 0; i < sizeof(context); i++)
		c[i] = 0;
	context.flags = VGCF_in_kernel;
	context.user_regs.rip = (uint64_t)_start_secondary;
	context.user_regs.rsp = (uint64_t)(stacks[vcpu] + sizeof(stacks[vcpu]));
	context.user_regs.rdi = (uint64_t)vcpu;
	context.user_regs.rflags = 0x1000; /* IOPL 1: this kernel's own ring */
	context.user_regs.cs = FLAT_KERNEL_CS;
	context.user_regs.ss = FLAT_KERNEL_SS;
	context.kernel_ss = FLAT_KERNEL_SS;
	context.kernel_sp = context.user_regs.rsp;
	context.ctrlreg[3] = xen_pfn_to_cr3(mfn_of(si, (const void *)si->pt_base));
	if (hypercall(__HYPERVISOR_vcpu_op, VCPUOP_initialise, vcpu, (long)&context) != 0 ||
	    hypercall(__HYPERVISOR_vcpu_op, VCPUOP_up, vcpu, 0) != 0)
		crash();
}

KEPT void secondary_main(long vcpu)
{
	hypercall(__HYPERVISOR_vcpu_op, VCPUOP_stop_periodic_timer, vcpu, 0);
	if (is(argument("others="), "same") || (!*argument("others=") && is(argument("work="), "depth")))
		work(0);
	if (is(argument("others="), "flip"))
		work_flip();
	if (is(argument("others="), "block"))
		work_block();
	if (is(argument("others="), "down"))
		work_down(vcpu);
	work_idle();
	AFTER_CALL();
}

KEPT void kernel_main(start_info_t *si)
{
	command_line = (const char *)si->cmd_line;
	mask_events(si);
	hypercall(__HYPERVISOR_vcpu_op, VCPUOP_stop_periodic_timer, 0, 0);
	for (unsigned v = 1; v < number(argument("vcpus=")) && v < MAX_VCPUS; v++)
		start_vcpu(si, v);
	work(si);
	AFTER_CALL();
}
