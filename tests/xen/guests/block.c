/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU that waits as unikernels do: in a hypercall by Xen's hypercall page, from a function that the compiler takes
 * for a leaf, as the call stands in assembler: without a frame but in the variant that gives one to leaves.
 */
#include "guest.h"

#include <xen/xen.h>
#include <xen/sched.h>

KEPT static long hypervisor_block(void)
{
	LOCAL long result;
	long command = SCHEDOP_block, argument = 0;

#ifdef __x86_64__
	__asm__ volatile("call hypercall_page + %c[call]"
	                 : "=a"(result), "+D"(command), "+S"(argument)
	                 : [call] "i"(__HYPERVISOR_sched_op * 32)
	                 : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory");
#elif defined(__aarch64__) || defined(__arm__)
	result = hypercall(__HYPERVISOR_sched_op, command, argument, 0);
#else
	before_hypercall();
	__asm__ volatile("call hypercall_page + %c[call]"
	                 : "=a"(result), "+b"(command), "+c"(argument)
	                 : [call] "i"(__HYPERVISOR_sched_op * 32)
	                 : "edx", "esi", "edi", "memory");
#endif
	return result;
}

KEPT static void wait_for_event(void)
{
	hypervisor_block();
	AFTER_CALL();
}

KEPT void work_block(void)
{
	for (;;)
		wait_for_event();
}
