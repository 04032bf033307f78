/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Xen by libxencall and libxenforeignmemory, whose interfaces are stable. The domctl interface is not: its version is
 * found at run time, and only those parts of its structures are used that have not moved since Xen 4.8.
 *
 * A sample is two system calls whatever the number of vCPUs: one multicall that pauses the guest and reads its
 * registers, and one that resumes it. Each entry of a multicall takes Xen's domctl_lock by itself. If another CPU
 * holds it, Xen has dom0 repeat the multicall from that entry on, so other programs' domctls lengthen a pause
 * (bench/contention).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xenif/domctl.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <xen/version.h>

#include "xenif/domains.h"
#include "xenif/domctl_version.h"
#include "xenif/xenstore.h"

#define BATCH 256u /* domains that one multicall asks about */

/* libxencall would print messages of its own; this program reports errors itself. */
static void log_nothing(struct xentoollog_logger *logger, xentoollog_level level, int error, const char *context,
                        const char *format, va_list args)
{
	(void)logger, (void)level, (void)error, (void)context, (void)format, (void)args;
}

void domctl_fill(const struct hypervisor *x, struct xen_domctl *op, uint32_t cmd, uint32_t domid)
{
	memset(op, 0, sizeof(*op));
	op->cmd = cmd;
	op->interface_version = x->interface;
	op->domain = (domid_t)domid;
}

/* What Xen's headers call XEN_DOMCTL_NAME. */
static const char *name_of(uint32_t cmd)
{
	switch (cmd) {
	case XEN_DOMCTL_pausedomain:
		return "pausedomain";
	case XEN_DOMCTL_unpausedomain:
		return "unpausedomain";
	case XEN_DOMCTL_getdomaininfo:
		return "getdomaininfo";
	case XEN_DOMCTL_getvcpucontext:
		return "getvcpucontext";
	case XEN_DOMCTL_gethvmcontext_partial:
		return "gethvmcontext_partial";
	case XEN_DOMCTL_get_address_size:
		return "get_address_size";
	default:
		return "of another kind";
	}
}

int domctl_tried(struct hypervisor *x, int rc, const struct xen_domctl *op)
{
	return tried(&x->tried, rc, "domctl %s of domain %u", name_of(op->cmd), (unsigned)op->domain);
}

int domctl_call(struct hypervisor *x, struct xen_domctl *op)
{
	int rc = xencall1(x->call, __HYPERVISOR_domctl, (uintptr_t)op) < 0 ? -errno : 0;

	return domctl_tried(x, rc, op);
}

/* Fills in an entry but for its result: a debug build of Xen overwrites entries that it has carried out. */
void domctl_enter(multicall_entry_t *entry, struct xen_domctl *op)
{
	entry->op = __HYPERVISOR_domctl;
	entry->args[0] = (uintptr_t)op;
}

/* --- connection -------------------------------------------------------------------------------------------------- */

static int try_version(void *ctx, uint32_t interface)
{
	struct hypervisor *x = ctx;

	x->interface = interface;
	domctl_fill(x, x->op, XEN_DOMCTL_getdomaininfo, 0);
	return domctl_call(x, x->op);
}

static int find_interface(struct hypervisor *x)
{
	const struct domctl_version *found;
	int rc = domctl_version_find(try_version, x, &found);

	if (rc != 0 && rc != -ESRCH)
		return rc;
	x->finds_next = found->finds_next;
	return 0;
}

static void read_version(struct hypervisor *x)
{
	int version = xencall2(x->call, __HYPERVISOR_xen_version, XENVER_version, 0);
	char *extra = (char *)x->op;

	memset(extra, 0, sizeof(*x->op));
	if (xencall2(x->call, __HYPERVISOR_xen_version, XENVER_extraversion, (uintptr_t)extra) < 0)
		extra[0] = '\0';
	snprintf(x->version, sizeof(x->version), "Xen %d.%d%.*s", version >> 16 & 0xffff, version & 0xffff,
	         (int)sizeof(xen_extraversion_t), extra);
}

static void close_xencall(struct hypervisor *x)
{
	if (!x)
		return;
	xenstore_close(x->names);
	if (x->op)
		xencall_free_buffer(x->call, x->op);
	if (x->batch)
		xencall_free_buffer(x->call, x->batch);
	if (x->memory)
		xenforeignmemory_close(x->memory);
	if (x->call)
		xencall_close(x->call);
	free(x);
}

static struct hypervisor *open_xencall(char *why, size_t size)
{
	struct hypervisor *x = calloc(1, sizeof(*x));
	int rc;

	if (!x) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	x->logger.vmessage = log_nothing;
	x->call = xencall_open(&x->logger, 0);
	x->memory = x->call ? xenforeignmemory_open(&x->logger, 0) : NULL;
	x->op = x->memory ? xencall_alloc_buffer(x->call, sizeof(*x->op)) : NULL;
	x->batch = x->op ? xencall_alloc_buffer(x->call, BATCH * sizeof(*x->batch)) : NULL;
	if (!x->batch) {
		abi_explain_open(errno, why, size);
		close_xencall(x);
		return NULL;
	}
	read_version(x);
	rc = find_interface(x);
	if (rc != 0) {
		domctl_version_explain(x->version, rc, why, size);
		close_xencall(x);
		return NULL;
	}
	snprintf(x->version + strlen(x->version), sizeof(x->version) - strlen(x->version), ", domctl 0x%x",
	         x->interface);
	x->names = xenstore_open();
	return x;
}

static const char *xencall_version(struct hypervisor *x)
{
	return x->version;
}

/* Answers with the next higher domain if this Xen does (struct domctl_version). */
static int xencall_query(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	int rc;

	if (domid >= DOMID_FIRST_RESERVED)
		return -ESRCH;
	domctl_fill(x, x->op, XEN_DOMCTL_getdomaininfo, domid);
	rc = domctl_call(x, x->op);
	if (rc == 0)
		abi_info(&x->op->u.getdomaininfo, x->interface, info);
	return rc;
}

static int xencall_find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	int rc = xencall_query(x, domid, info);

	return rc == 0 && info->domid != domid ? -ESRCH : rc;
}

static int xencall_list(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **domains,
                        size_t *n)
{
	(void)returned; /* only the names tell, and asking for these is the caller's */
	return domains_list(x, xencall_query, x->finds_next, x->names, domains, n);
}

static int xencall_domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	return xenstore_name(x->names, domid, name, size);
}

static int xencall_kernel(struct hypervisor *x, uint32_t domid, char *path, size_t size)
{
	return xenstore_kernel(x->names, domid, path, size);
}

static uint32_t xencall_own_domid(struct hypervisor *x)
{
	return xenstore_own_domid(x->names);
}

static bool xencall_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error,
                            char *why, size_t size)
{
	if (operand)
		return hook_explain(x, operand, info, error, why, size);
	tried_explain(&x->tried, error, why, size);
	return true;
}

/* --- guests ------------------------------------------------------------------------------------------------------ */

static enum arch_id xencall_arch(const struct guest *g)
{
	return g->arch;
}

static int xencall_unpause(struct guest *g)
{
	domctl_fill(g->x, g->x->op, XEN_DOMCTL_unpausedomain, g->domid);
	return domctl_call(g->x, g->x->op);
}

/* Each guest's buffer has the memory for its own question. */
static int several(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	struct hypervisor *x = guests[0]->x;
	size_t now = n < BATCH ? n : BATCH;

	memset(x->batch, 0, now * sizeof(*x->batch));
	for (size_t i = 0; i < now; i++) {
		domctl_fill(x, &guests[i]->ops[0], XEN_DOMCTL_getdomaininfo, guests[i]->domid);
		domctl_enter(&x->batch[i], &guests[i]->ops[0]);
	}
	if (xencall2(x->call, __HYPERVISOR_multicall, (uintptr_t)x->batch, now) < 0)
		return tried(&x->tried, -errno, "multicall of domctls getdomaininfo, %zu domains", now);
	for (size_t i = 0; i < now; i++) {
		infos[i] = (struct guest_info){.domid = UINT32_MAX};
		if ((int)(long)x->batch[i].result == 0)
			abi_info(&guests[i]->ops[0].u.getdomaininfo, x->interface, &infos[i]);
	}
	return now < n ? several(guests + now, n - now, infos + now) : 0;
}

static int xencall_info(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	return n == 1 ? xencall_find(guests[0]->x, guests[0]->domid, infos) : several(guests, n, infos);
}

const struct hypervisor_ops hypervisor_backend = {
	.name = "libxencall",
	.prefix = "xen",
	.host = {.open = open_xencall,
                 .close = close_xencall,
                 .version = xencall_version,
                 .find = xencall_find,
                 .list = xencall_list,
                 .domain_name = xencall_domain_name,
                 .kernel = xencall_kernel,
                 .own_domid = xencall_own_domid,
                 .explain = xencall_explain},
	.guest = {.attach = domctl_attach,
                  .settle = hook_settle,
                  .detach = domctl_detach,
                  .arch = xencall_arch,
                  .info = xencall_info},
	.pause = {.mark_at = domctl_mark_at,
                  .prepare = domctl_prepare,
                  .run = hook_run,
                  .peek = domctl_peek,
                  .stop = domctl_stop,
                  .collect = domctl_collect,
                  .registers = domctl_registers,
                  .resume = domctl_resume},
	.memory = {.map = foreign_map, .unmap = foreign_unmap, .let_go = hook_let_go},
	.watch = {.is_marked = domctl_is_marked, .cancel_resume = domctl_cancel_resume, .unpause = xencall_unpause},
};
