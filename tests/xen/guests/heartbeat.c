/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts for ever what it has done; a reader of its memory, or of its stacks, can see that it goes on. It also keeps
 * what its own clock says: how long its vCPU has lived, for how long of that it was not allowed to run, which is to be
 * paused, and the longest such time between two looks at the clock, some 4 ms of work apart.
 */
#include "guest.h"

#include <xen/xen.h>
#include <xen/vcpu.h>

volatile uint64_t beats, lived_ns, stood_ns, longest_ns;

static void look_at_clock(void)
{
	struct vcpu_runstate_info info;

	if (hypercall(__HYPERVISOR_vcpu_op, VCPUOP_get_runstate_info, 0, (long)&info) != 0)
		return;
	if (lived_ns && info.time[RUNSTATE_offline] - stood_ns > longest_ns)
		longest_ns = info.time[RUNSTATE_offline] - stood_ns;
	stood_ns = info.time[RUNSTATE_offline];
	lived_ns = info.time[RUNSTATE_running] + info.time[RUNSTATE_runnable] + info.time[RUNSTATE_blocked] +
	           info.time[RUNSTATE_offline];
}

KEPT static void beat(void)
{
	BURN(4);
	beats++;
	look_at_clock();
}

KEPT void work_heartbeat(void)
{
	for (;;)
		beat();
}
