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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xenif/abi.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <xen/version.h>
#include <xencall.h>
#include <xenforeignmemory.h>
#include <xentoollog.h>

#include "common/array.h"
#include "guest/hypervisor.h"
#include "xenif/domains.h"
#include "xenif/domctl_version.h"
#include "xenif/xenstore.h"

struct hypervisor {
	xencall_handle *call;
	xenforeignmemory_handle *memory;
	struct xenstore *names;
	struct xentoollog_logger logger;
	struct xen_domctl *op;    /* for single calls */
	multicall_entry_t *batch; /* for infos(): BATCH of them */
	uint32_t interface;       /* version of the domctl interface */
	bool finds_next;          /* struct domctl_version */
	char version[64];
};

#define BATCH 256u /* domains that one multicall asks about */

/*
 * Xen itself writes the two answers in the calls that pause and resume, and a process is neither killed nor stopped
 * inside a hypercall: so they are right whenever somebody looks.
 */
struct mark {
	struct xen_domctl paused;  /* a query behind the pause; answered: the pause is in force */
	multicall_entry_t resumed; /* the call that resumes; its result */
	struct xen_domctl unpause; /* what that call asks for; Xen reads it when it carries out the call */
};
_Static_assert(sizeof(struct mark) <= sizeof(struct pause_mark), "a mark fits");
#define UNANSWERED UINT32_MAX
#define PENDING ((xen_ulong_t)-EINPROGRESS)

/* Where each part of a guest's list begins. */
struct parts {
	size_t info, before, pause, contexts, after, end;
};

/* Pages mapped by one call, which only one call can unmap. */
struct region {
	uint8_t *begin;
	size_t pages;
	size_t left; /* of those that were mapped */
};

struct guest {
	struct hypervisor *x;
	uint32_t domid, vcpus, nwanted;
	uint32_t *wanted; /* vCPU numbers whose registers are read */
	enum guest_kind kind;
	enum arch_id arch;
	/* Parts of one buffer that never causes a page fault, as hypercalls need it: */
	void *buffer;
	multicall_entry_t *list;
	struct xen_domctl *ops; /* one for each entry of the list */
	uint8_t *contexts;      /* of the wanted vCPUs, abi_context_size each */
	struct mark *mark;
	uint64_t *asleep;       /* bits: not asked for registers this time */
	struct region *regions; /* of mapped pages, as they were mapped */
	size_t nregions, room;
	struct parts parts; /* of the list */
};

/* libxencall would print messages of its own; this program reports errors itself. */
static void quiet(struct xentoollog_logger *logger, xentoollog_level level, int error, const char *context,
                  const char *format, va_list args)
{
	(void)logger, (void)level, (void)error, (void)context, (void)format, (void)args;
}

static void fill(const struct hypervisor *x, struct xen_domctl *op, uint32_t cmd, uint32_t domid)
{
	memset(op, 0, sizeof(*op));
	op->cmd = cmd;
	op->interface_version = x->interface;
	op->domain = (domid_t)domid;
}

static int call(struct hypervisor *x, struct xen_domctl *op)
{
	return xencall1(x->call, __HYPERVISOR_domctl, (uintptr_t)op) < 0 ? -errno : 0;
}

/* --- connection -------------------------------------------------------------------------------------------------- */

static int try_version(void *ctx, uint32_t interface)
{
	struct hypervisor *x = ctx;

	x->interface = interface;
	fill(x, x->op, XEN_DOMCTL_getdomaininfo, 0);
	return call(x, x->op);
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

static void close_xen(struct hypervisor *x)
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

static struct hypervisor *open_xen(char *why, size_t size)
{
	struct hypervisor *x = calloc(1, sizeof(*x));
	int rc;

	if (!x) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	x->logger.vmessage = quiet;
	x->call = xencall_open(&x->logger, 0);
	x->memory = x->call ? xenforeignmemory_open(&x->logger, 0) : NULL;
	x->op = x->memory ? xencall_alloc_buffer(x->call, sizeof(*x->op)) : NULL;
	x->batch = x->op ? xencall_alloc_buffer(x->call, BATCH * sizeof(*x->batch)) : NULL;
	if (!x->batch) {
		abi_explain_open(errno, why, size);
		close_xen(x);
		return NULL;
	}
	read_version(x);
	rc = find_interface(x);
	if (rc != 0) {
		domctl_version_explain(x->version, rc, why, size);
		close_xen(x);
		return NULL;
	}
	snprintf(x->version + strlen(x->version), sizeof(x->version) - strlen(x->version), ", domctl 0x%x",
	         x->interface);
	x->names = xenstore_open();
	return x;
}

static const char *version(struct hypervisor *x)
{
	return x->version;
}

/* Answers with the next higher domain if this Xen does (struct domctl_version). */
static int query(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	int rc;

	if (domid >= DOMID_FIRST_RESERVED)
		return -ESRCH;
	fill(x, x->op, XEN_DOMCTL_getdomaininfo, domid);
	rc = call(x, x->op);
	if (rc == 0)
		abi_info(&x->op->u.getdomaininfo, x->interface, info);
	return rc;
}

static int find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	int rc = query(x, domid, info);

	return rc == 0 && info->domid != domid ? -ESRCH : rc;
}

static int list(struct hypervisor *x, struct guest_info **domains, size_t *n)
{
	return domains_list(x, query, x->finds_next, x->names, domains, n);
}

static int domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	return xenstore_name(x->names, domid, name, size);
}

static uint32_t own_domid(struct hypervisor *x)
{
	return xenstore_own_domid(x->names);
}

/* --- guest ------------------------------------------------------------------------------------------------------- */

static size_t align(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

/* Where in the buffer each part begins; the list is first. */
struct layout {
	size_t ops, mark, contexts, size;
};

static struct layout lay_out(const struct guest *g)
{
	size_t entries = 2 + 2 * (size_t)g->vcpus + g->nwanted;
	struct layout l;

	l.ops = align(entries * sizeof(*g->list));
	l.mark = l.ops + align(entries * sizeof(*g->ops));
	l.contexts = l.mark + align(sizeof(*g->mark));
	l.size = l.contexts + g->nwanted * abi_context_size;
	return l;
}

static int make_buffer(struct guest *g)
{
	struct layout l = lay_out(g);
	uint8_t *buffer = xencall_alloc_buffer(g->x->call, l.size);

	if (!buffer)
		return -ENOMEM;
	g->buffer = buffer;
	g->list = (void *)buffer;
	g->ops = (void *)(buffer + l.ops);
	g->mark = (void *)(buffer + l.mark);
	g->contexts = buffer + l.contexts;
	memset(g->mark, 0, sizeof(*g->mark));
	return 0;
}

static int choose(struct guest *g, const uint64_t *wanted)
{
	g->wanted = calloc(g->vcpus, sizeof(*g->wanted));
	g->asleep = calloc(g->vcpus / 64 + 1, sizeof(*g->asleep));
	if (!g->wanted || !g->asleep)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vcpus; v++)
		if (!wanted || (wanted[v / 64] >> v % 64 & 1))
			g->wanted[g->nwanted++] = v;
	return 0;
}

static void detach(struct guest *g)
{
	if (!g)
		return;
	if (g->buffer)
		xencall_free_buffer(g->x->call, g->buffer);
	free(g->wanted);
	free(g->asleep);
	free(g->regions);
	free(g);
}

/* Asks for the registers of @vcpu, to be written to the place of the @i-th wanted one. */
static void ask_context(const struct guest *g, struct xen_domctl *op, uint32_t vcpu, uint32_t i)
{
	fill(g->x, op, 0, g->domid);
	abi_ask(op, g->kind, vcpu, g->contexts + i * abi_context_size);
}

/* Of a PV guest, Xen tells the word size, which never changes; of other ones the registers tell. */
static int find_arch(struct guest *g)
{
	struct xen_domctl *op = g->x->op;
	int rc;

	if (g->kind != GUEST_PV) {
		ask_context(g, op, 0, 0);
		g->arch = abi_arch(g->kind, 0, call(g->x, op) == 0 ? g->contexts : NULL);
		return 0;
	}
	fill(g->x, op, XEN_DOMCTL_get_address_size, g->domid);
	rc = call(g->x, op);
	if (rc == 0)
		g->arch = abi_arch(g->kind, op->u.address_size.size, NULL);
	return rc;
}

static struct guest *attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted)
{
	struct guest *g = calloc(1, sizeof(*g));
	int rc = -ENOMEM;

	if (g) {
		g->x = x;
		g->domid = info->domid;
		g->vcpus = info->vcpus;
		g->kind = info->kind;
		rc = choose(g, wanted);
	}
	if (rc == 0)
		rc = make_buffer(g);
	if (rc == 0)
		rc = find_arch(g);
	if (rc != 0) {
		detach(g);
		errno = -rc;
		return NULL;
	}
	return g;
}

static enum arch_id guest_arch(const struct guest *g)
{
	return g->arch;
}

static int info(struct guest *g, struct guest_info *info)
{
	return find(g->x, g->domid, info);
}

/* Fills in an entry but for its result: a debug build of Xen overwrites entries that it has carried out. */
static void enter(multicall_entry_t *entry, struct xen_domctl *op)
{
	entry->op = __HYPERVISOR_domctl;
	entry->args[0] = (uintptr_t)op;
}

/* Adds a domctl to the list. */
static void append(struct guest *g, size_t *n, struct xen_domctl *op)
{
	memset(&g->list[*n], 0, sizeof(*g->list));
	enter(&g->list[*n], op);
	++*n;
}

static struct xen_domctl *add(struct guest *g, size_t *n, struct xen_domctl *op, uint32_t cmd)
{
	fill(g->x, op, cmd, g->domid);
	append(g, n, op);
	return op;
}

static bool is_asleep(const struct guest *g, uint32_t vcpu)
{
	return g->asleep[vcpu / 64] >> vcpu % 64 & 1;
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

	add(g, &n, &g->ops[n], XEN_DOMCTL_getdomaininfo);
	p.before = n;
	for (uint32_t v = 0; v < g->vcpus; v++)
		if (!is_asleep(g, v))
			add(g, &n, &g->ops[n], XEN_DOMCTL_getvcpuinfo)->u.getvcpuinfo.vcpu = v;
	p.pause = n;
	add(g, &n, &g->ops[n], XEN_DOMCTL_pausedomain);
	p.after = n;
	for (uint32_t v = 0; v < g->vcpus; v++)
		add(g, &n, after(g, &p, v), XEN_DOMCTL_getvcpuinfo)->u.getvcpuinfo.vcpu = v;
	p.contexts = n;
	for (uint32_t i = 0; i < g->nwanted; i++) {
		if (is_asleep(g, g->wanted[i]))
			continue;
		ask_context(g, &g->ops[n], g->wanted[i], i);
		append(g, &n, &g->ops[n]);
	}
	p.end = n;
	return p;
}

static int result(const struct guest *g, size_t entry)
{
	return (int)(long)g->list[entry].result;
}

static void collect(struct guest *g, struct guest_info *info, struct vcpu_stop *vcpus)
{
	const struct parts *p = &g->parts;
	size_t before = p->before, context = p->contexts;

	*info = (struct guest_info){.domid = UINT32_MAX};
	if (result(g, p->info) == 0)
		abi_info(&g->ops[p->info].u.getdomaininfo, g->x->interface, info);
	for (uint32_t v = 0; v < g->vcpus; v++) {
		const struct xen_domctl_getvcpuinfo *earlier =
			is_asleep(g, v) ? NULL : &g->ops[before++].u.getvcpuinfo;

		vcpus[v].online = vcpus[v].blocked = vcpus[v].running = false;
		vcpus[v].cpu_ns = 0;
		if (result(g, p->after + v) == 0)
			abi_vcpu(earlier, &after(g, p, v)->u.getvcpuinfo, &vcpus[v]);
	}
	for (uint32_t i = 0; i < g->nwanted; i++) {
		struct vcpu_regs *regs = &vcpus[g->wanted[i]].regs;

		if (is_asleep(g, g->wanted[i]))
			continue;
		if (result(g, context++) == 0)
			abi_regs(g->kind, g->arch, g->contexts + i * abi_context_size, regs);
		else
			memset(regs, 0, sizeof(*regs));
	}
}

/* The place of a vCPU's registers; -1: they are not read. */
static int place_of(const struct guest *g, uint32_t vcpu)
{
	for (uint32_t i = 0; i < g->nwanted; i++)
		if (g->wanted[i] == vcpu)
			return (int)i;
	return -1;
}

static void registers(struct guest *g, uint32_t vcpu, struct register_set *set)
{
	int i = place_of(g, vcpu);

	if (i >= 0)
		abi_registers(g->kind, g->arch, g->contexts + (size_t)i * abi_context_size, set);
}

static void prepare_resume(struct guest *g)
{
	fill(g->x, &g->mark->unpause, XEN_DOMCTL_unpausedomain, g->domid);
	enter(&g->mark->resumed, &g->mark->unpause);
}

/* From prepare() on nothing but spoil() writes what this call asks for. */
static int resume(struct guest *g)
{
	multicall_entry_t *entry = &g->mark->resumed;
	int rc;

	if (xencall2(g->x->call, __HYPERVISOR_multicall, (uintptr_t)entry, 1) < 0)
		return -errno;
	rc = (int)(long)entry->result;
	return rc == -EACCES ? -ECANCELED : rc;
}

/* The mark says that nothing is paused, until Xen answers what is asked of it here. */
static void prepare(struct guest *g, const uint64_t *asleep)
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

static int stop(struct guest *g)
{
	const struct parts *p = &g->parts;
	int rc = xencall2(g->x->call, __HYPERVISOR_multicall, (uintptr_t)g->list, p->end) < 0 ? -errno : 0;

	if (result(g, p->pause) != 0) {
		g->mark->resumed.result = 0;
		return rc ? rc : result(g, p->pause);
	}
	if (g->mark->paused.u.getvcpuinfo.cpu == UNANSWERED)
		g->mark->paused.u.getvcpuinfo.cpu = 0;
	return -rc;
}

static void mark_at(struct guest *g, struct pause_mark *m)
{
	memset(m, 0, sizeof(*m));
	g->mark = (struct mark *)m;
}

/* In force from Xen's answer until the pause is undone, by us or by somebody else, or gone with its domain. */
static bool is_marked(const struct pause_mark *m, bool dead)
{
	const volatile struct mark *mark = (const volatile struct mark *)m;
	long resumed = (long)mark->resumed.result;

	(void)dead;                                /* it is exact */
	atomic_thread_fence(memory_order_acquire); /* pairs with prepare() */
	return mark->paused.u.getvcpuinfo.cpu != UNANSWERED && resumed != 0 && resumed != -EINVAL && resumed != -ESRCH;
}

/* Xen refuses a call with a wrong version before it does anything. */
static bool spoil(struct pause_mark *m)
{
	volatile struct mark *mark = (volatile struct mark *)m;

	mark->unpause.interface_version = 0;
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

static int unpause(struct guest *g)
{
	fill(g->x, g->x->op, XEN_DOMCTL_unpausedomain, g->domid);
	return call(g->x, g->x->op);
}

/* Each guest's buffer has the memory for its own question. */
static int several(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	struct hypervisor *x = guests[0]->x;
	size_t now = n < BATCH ? n : BATCH;

	memset(x->batch, 0, now * sizeof(*x->batch));
	for (size_t i = 0; i < now; i++) {
		fill(x, &guests[i]->ops[0], XEN_DOMCTL_getdomaininfo, guests[i]->domid);
		enter(&x->batch[i], &guests[i]->ops[0]);
	}
	if (xencall2(x->call, __HYPERVISOR_multicall, (uintptr_t)x->batch, now) < 0)
		return -errno;
	for (size_t i = 0; i < now; i++) {
		infos[i] = (struct guest_info){.domid = UINT32_MAX};
		if ((int)(long)x->batch[i].result == 0)
			abi_info(&guests[i]->ops[0].u.getdomaininfo, x->interface, &infos[i]);
	}
	return now < n ? several(guests + now, n - now, infos + now) : 0;
}

static int peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	int rc;

	ask_context(g, g->x->op, vcpu, 0);
	rc = call(g->x, g->x->op);
	if (rc == 0)
		abi_regs(g->kind, g->arch, g->contexts, regs);
	return rc;
}

/*
 * All by one call, which costs more than the pages do. Each has its own error; the call may succeed with none
 * mapped.
 */
static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	xen_pfn_t pfns[GUEST_MAP_MAX] = {0};
	int errors[GUEST_MAP_MAX] = {0}, rc = array_room(&g->regions, &g->room, g->nregions, sizeof(*g->regions));
	struct region r = {.pages = n};

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		pfns[i] = frames[i];
	r.begin = xenforeignmemory_map(g->x->memory, g->domid, PROT_READ, n, pfns, errors);
	for (size_t i = 0; i < n; i++) {
		pages[i] = r.begin && errors[i] == 0 ? r.begin + i * GUEST_PAGE_SIZE : NULL;
		r.left += pages[i] != NULL;
	}
	if (r.left > 0)
		g->regions[g->nregions++] = r;
	else if (r.begin)
		xenforeignmemory_unmap(g->x->memory, r.begin, n);
	return 0;
}

/* Pages are unmapped in the order in which they were mapped, if all are, so the search ends at once. */
static void unmap(struct guest *g, const void *page)
{
	size_t at = (uintptr_t)page, i = 0;
	struct region *r;

	while (i < g->nregions && at - (uintptr_t)g->regions[i].begin >= g->regions[i].pages * GUEST_PAGE_SIZE)
		i++;
	if (i == g->nregions || --g->regions[i].left > 0)
		return;
	r = &g->regions[i];
	xenforeignmemory_unmap(g->x->memory, r->begin, r->pages);
	memmove(r, r + 1, (--g->nregions - i) * sizeof(*r));
}

const struct hypervisor_ops hypervisor_backend = {
	.name = "libxencall",
	.prefix = "xen",
	.open = open_xen,
	.close = close_xen,
	.version = version,
	.find = find,
	.list = list,
	.domain_name = domain_name,
	.own_domid = own_domid,
	.attach = attach,
	.detach = detach,
	.arch = guest_arch,
	.info = info,
	.infos = several,
	.prepare = prepare,
	.stop = stop,
	.collect = collect,
	.registers = registers,
	.resume = resume,
	.mark_at = mark_at,
	.peek = peek,
	.is_marked = is_marked,
	.spoil = spoil,
	.unpause = unpause,
	.map = map,
	.unmap = unmap,
};
