/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample's two system calls: one multicall that pauses a guest and reads its registers, and one that resumes it. */
#include "xenif/domctl.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define UNANSWERED UINT32_MAX
#define PENDING ((xen_ulong_t)-EINPROGRESS)

/* Adds a domctl to the list. */
static void append_domctl(struct guest *g, size_t *n, struct xen_domctl *op)
{
	memset(&g->list[*n], 0, sizeof(*g->list));
	domctl_enter(&g->list[*n], op);
	++*n;
}

static struct xen_domctl *add_domctl(struct guest *g, size_t *n, struct xen_domctl *op, uint32_t cmd)
{
	domctl_fill(g->x, op, cmd, g->domid);
	append_domctl(g, n, op);
	return op;
}

/* What vCPU @v is asked after the pause. The first of these follows the pause at once: its answer is the mark. */
static struct xen_domctl *after(const struct guest *g, const struct parts *p, uint32_t v)
{
	return v == 0 ? &g->mark->paused : &g->ops[p->after + v];
}

/* Of a vCPU that is asleep only what tells whether it still is. */
static struct parts build(struct guest *g)
{
	struct parts p = {0};
	size_t n = 0;

	add_domctl(g, &n, &g->ops[n], XEN_DOMCTL_getdomaininfo);
	p.before = n;
	for (uint32_t v = 0; v < g->vcpus; v++)
		if (!vcpu_is_in(g->asleep, v))
			add_domctl(g, &n, &g->ops[n], XEN_DOMCTL_getvcpuinfo)->u.getvcpuinfo.vcpu = v;
	p.pause = n;
	add_domctl(g, &n, &g->ops[n], XEN_DOMCTL_pausedomain);
	p.after = n;
	for (uint32_t v = 0; v < g->vcpus; v++)
		add_domctl(g, &n, after(g, &p, v), XEN_DOMCTL_getvcpuinfo)->u.getvcpuinfo.vcpu = v;
	p.contexts = n;
	for (uint32_t i = 0; i < g->nwanted; i++) {
		if (vcpu_is_in(g->asleep, g->wanted[i]))
			continue;
		domctl_ask_context(g, &g->ops[n], g->wanted[i], i);
		append_domctl(g, &n, &g->ops[n]);
	}
	p.end = n;
	return p;
}

static int result(const struct guest *g, size_t entry)
{
	return (int)(long)g->list[entry].result;
}

void domctl_collect(struct guest *g, struct guest_info *info, struct vcpu_stop *vcpus)
{
	const struct parts *p = &g->parts;
	size_t before = p->before, context = p->contexts;

	*info = (struct guest_info){.domid = UINT32_MAX};
	if (result(g, p->info) == 0)
		abi_info(&g->ops[p->info].u.getdomaininfo, g->x->interface, info);
	for (uint32_t v = 0; v < g->vcpus; v++) {
		const struct xen_domctl_getvcpuinfo *earlier =
			vcpu_is_in(g->asleep, v) ? NULL : &g->ops[before++].u.getvcpuinfo;

		vcpus[v].online = vcpus[v].blocked = vcpus[v].running = false;
		vcpus[v].cpu_ns = 0;
		if (result(g, p->after + v) == 0)
			abi_vcpu(earlier, &after(g, p, v)->u.getvcpuinfo, &vcpus[v]);
	}
	for (uint32_t i = 0; i < g->nwanted; i++) {
		struct vcpu_regs *regs = &vcpus[g->wanted[i]].regs;

		if (vcpu_is_in(g->asleep, g->wanted[i]))
			continue;
		if (result(g, context++) == 0)
			abi_regs(g->kind, g->arch, g->contexts + i * abi_context_size, regs);
		else
			memset(regs, 0, sizeof(*regs));
	}
}

/* The place of a vCPU's registers; -1: they are not read. */
static int registers_place(const struct guest *g, uint32_t vcpu)
{
	for (uint32_t i = 0; i < g->nwanted; i++)
		if (g->wanted[i] == vcpu)
			return (int)i;
	return -1;
}

void domctl_registers(struct guest *g, uint32_t vcpu, struct register_set *set)
{
	int i = registers_place(g, vcpu);

	if (i >= 0)
		abi_registers(g->kind, g->arch, g->contexts + (size_t)i * abi_context_size, set);
}

static void prepare_resume(struct guest *g)
{
	domctl_fill(g->x, &g->mark->unpause, XEN_DOMCTL_unpausedomain, g->domid);
	domctl_enter(&g->mark->resumed, &g->mark->unpause);
}

/* From prepare() on nothing but cancel_resume() writes what this call asks for. */
int domctl_resume(struct guest *g)
{
	multicall_entry_t *entry = &g->mark->resumed;
	int rc = xencall2(g->x->call, __HYPERVISOR_multicall, (uintptr_t)entry, 1) < 0 ? -errno
	                                                                               : (int)(long)entry->result;

	return rc == -EACCES ? -ECANCELED : domctl_tried(g->x, rc, &g->mark->unpause);
}

/* The mark says that nothing is paused, until Xen answers what is asked of it here. */
void domctl_prepare(struct guest *g, const uint64_t *asleep)
{
	memset(g->asleep, 0, (g->vcpus / 64 + 1) * sizeof(*g->asleep));
	if (asleep)
		memcpy(g->asleep, asleep, (g->vcpus + 63) / 64 * sizeof(*g->asleep));
	g->mark->resumed.result = 0;
	atomic_thread_fence(memory_order_release);
	g->parts = build(g);
	g->mark->paused.u.getvcpuinfo.cpu = UNANSWERED;
	/* The list may fail as a whole after its pause was carried out; the pause must then be undone. */
	g->list[g->parts.pause].result = (xen_ulong_t)-ECANCELED;
	prepare_resume(g);
	atomic_thread_fence(memory_order_release);
	g->mark->resumed.result = PENDING;
}

int domctl_stop(struct guest *g, struct pause_span *span)
{
	const struct parts *p = &g->parts;
	int rc = xencall2(g->x->call, __HYPERVISOR_multicall, (uintptr_t)g->list, p->end) < 0 ? -errno : 0;

	*span = (struct pause_span){0};
	if (result(g, p->pause) != 0) {
		g->mark->resumed.result = 0;
		if (rc == 0)
			return domctl_tried(g->x, result(g, p->pause), &g->ops[p->pause]);
		return tried(&g->x->tried, rc, "multicall that pauses domain %u", (unsigned)g->domid);
	}
	if (g->mark->paused.u.getvcpuinfo.cpu == UNANSWERED)
		g->mark->paused.u.getvcpuinfo.cpu = 0;
	span->until_ns = UINT64_MAX;
	return -rc;
}

void domctl_mark_at(struct guest *g, struct pause_mark *m, const struct stop_guard *guard)
{
	(void)guard;
	memset(m, 0, sizeof(*m));
	g->mark = (struct mark *)m;
}

/* In force from Xen's answer until the pause is undone, by us or by somebody else, or gone with its domain. */
bool domctl_is_marked(const struct pause_mark *m, bool dead)
{
	const volatile struct mark *mark = (const volatile struct mark *)m;
	long resumed = (long)mark->resumed.result;

	(void)dead;                                /* it is exact */
	atomic_thread_fence(memory_order_acquire); /* pairs with prepare() */
	return mark->paused.u.getvcpuinfo.cpu != UNANSWERED && resumed != 0 && resumed != -EINVAL && resumed != -ESRCH;
}

/* Xen refuses a call with a wrong version before it does anything. */
bool domctl_cancel_resume(struct pause_mark *m)
{
	volatile struct mark *mark = (volatile struct mark *)m;

	mark->unpause.interface_version = 0;
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

int domctl_peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	int rc;

	domctl_ask_context(g, g->x->op, vcpu, 0);
	rc = domctl_call(g->x, g->x->op);
	if (rc == 0)
		abi_regs(g->kind, g->arch, g->contexts, regs);
	return rc;
}
