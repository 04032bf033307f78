/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/abi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void abi_info(const struct xen_domctl_getdomaininfo *from, uint32_t interface, struct guest_info *to)
{
	const bool is_shutdown = from->flags & XEN_DOMINF_shutdown;
	const unsigned code = from->flags >> XEN_DOMINF_shutdownshift & XEN_DOMINF_shutdownmask;
	/* For a kexec of the guest, which then goes on under the same number. */
	const bool waits_for_reset = is_shutdown && code == SHUTDOWN_soft_reset;

	_Static_assert(sizeof(from->handle) == sizeof(to->uuid), "a domain handle is a uuid");
	*to = (struct guest_info){
		.domid = from->domain,
		.vcpus = from->max_vcpu_id == XEN_INVALID_MAX_VCPU_ID ? 0 : from->max_vcpu_id + 1,
		.cpu_ns = from->cpu_time,
		.kind = abi_kind(from, interface),
		.pages = from->tot_pages,
		.paused = from->flags & XEN_DOMINF_paused || waits_for_reset,
		.dying = from->flags & XEN_DOMINF_dying,
		.shutdown = is_shutdown && !waits_for_reset,
		.shutdown_code = (uint8_t)code,
	};
	memcpy(to->uuid, from->handle, sizeof(to->uuid));
}

/* A paused vCPU never counts as running, so "running" is from before the pause; all else is final only after it. */
void abi_vcpu(const struct xen_domctl_getvcpuinfo *before, const struct xen_domctl_getvcpuinfo *after,
              struct vcpu_stop *to)
{
	to->online = after->online;
	to->blocked = after->blocked;
	to->running = before && before->running;
	to->cpu_ns = after->cpu_time;
}

static bool on_xen(void)
{
	char type[8] = "";
	FILE *f = fopen("/sys/hypervisor/type", "r");

	if (f) {
		if (!fgets(type, sizeof(type), f))
			type[0] = '\0';
		fclose(f);
	}
	return strncmp(type, "xen", 3) == 0 || access("/proc/xen/capabilities", F_OK) == 0;
}

void abi_explain_open(int error, char *why, size_t size)
{
	if (!on_xen())
		snprintf(why, size,
		         "this machine does not run on Xen: record in dom0 of a Xen host; "
		         "uniprof-report works anywhere");
	else if (geteuid() != 0)
		snprintf(why, size, "only root may ask the hypervisor: run it as root, for example with sudo");
	else if (error == ENOENT || error == ENXIO || error == ENODEV)
		snprintf(why, size,
		         "no /dev/xen/privcmd here: run it in dom0, with the module loaded (modprobe xen-privcmd)");
	else
		snprintf(why, size, "cannot open the hypervisor's interface: %s", strerror(error));
}
