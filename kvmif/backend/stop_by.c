/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops that the caller does not ask for: attach.c and kvm_live.c, which attach.c calls, both need them. */
#include "kvmif/backend/kvm_guest.h"

int kvm_stop_by(struct guest *g, void (*work)(void *guest))
{
	uint64_t cpu_ns = 0;
	int rc;

	g->until_ns = clock_now() + VCPU_STOP_NS;
	if (g->guard.begin)
		g->guard.begin(g->guard.ctx);
	rc = g->x->ops->pause.run(g, work, g, &cpu_ns);
	if (g->guard.end)
		g->guard.end(g->guard.ctx);
	return rc != 0 ? rc : g->stopped;
}
