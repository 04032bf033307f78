/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Xen by libxenctrl, for hosts without the stable libraries (before 4.7): make XENIF=libxc. The library works with
 * exactly one version of Xen, and each query is a system call of its own: two for each vCPU inside the pause. It
 * records 64-bit PV guests only; xencall.c records the other kinds.
 */
#define XC_WANT_COMPAT_MAP_FOREIGN_API
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xenif/abi.h"

#include <xen/version.h>
#include <xenctrl.h>

#include "guest/hypervisor.h"
#include "guest/tried.h"
#include "xenif/domains.h"
#include "xenif/xenstore.h"

struct hypervisor {
	xc_interface *xc;
	struct xentoollog_logger logger;
	struct xenstore *names;
	char version[64];
	struct tried tried;
};

struct guest {
	struct hypervisor *x;
	uint32_t domid, vcpus;
	enum arch_id arch;
	struct guest_info info; /* before the last stop */
	struct vcpu_state {
		bool wanted, asleep, known;
		xc_vcpuinfo_t before, after;
		struct vcpu_regs regs;
	} * vcpu;
	vcpu_guest_context_any_t context;
	struct pause_mark own, *mark;
};

static void log_nothing(struct xentoollog_logger *logger, xentoollog_level level, int error, const char *context,
                        const char *format, va_list args)
{
	(void)logger, (void)level, (void)error, (void)context, (void)format, (void)args;
}

static void close_libxc(struct hypervisor *x)
{
	if (!x)
		return;
	xenstore_close(x->names);
	if (x->xc)
		xc_interface_close(x->xc);
	free(x);
}

/* Answers with the next higher domain if there is none of that number. */
static int libxc_query(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	xc_domaininfo_t list;
	int n = xc_domain_getinfolist(x->xc, domid, 1, &list);

	if (n < 0)
		return tried(&x->tried, -errno, "xc_domain_getinfolist of domain %u", (unsigned)domid);
	if (n == 0)
		return -ESRCH;
	abi_info(&list, XEN_DOMCTL_INTERFACE_VERSION, info);
	return 0;
}

static int libxc_find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	int rc = libxc_query(x, domid, info);

	return rc == 0 && info->domid != domid ? -ESRCH : rc;
}

static int libxc_list(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **domains,
                      size_t *n)
{
	(void)returned;
	return domains_list(x, libxc_query, true, x->names, domains, n);
}

/* Does this library fit the Xen that runs? 0 or a negative errno, with one line in @why. */
static int check_version(struct hypervisor *x, char *why, size_t size)
{
	int version = xc_version(x->xc, XENVER_version, NULL), rc;
	xen_extraversion_t extra = "";
	struct guest_info info;

	xc_version(x->xc, XENVER_extraversion, &extra);
	snprintf(x->version, sizeof(x->version), "Xen %d.%d%.*s, libxenctrl", version >> 16, version & 0xffff,
	         (int)sizeof(extra), extra);
	rc = libxc_query(x, 0, &info);
	if (rc == -EPERM)
		snprintf(why, size, "%s does not let this domain control others: run it in dom0", x->version);
	else if (rc != 0)
		snprintf(why, size,
		         "this build's libxenctrl (domctl 0x%x) does not fit %s: %s; build with XENIF=xencall",
		         XEN_DOMCTL_INTERFACE_VERSION, x->version, strerror(-rc));
	return rc;
}

static struct hypervisor *open_libxc(char *why, size_t size)
{
	struct hypervisor *x = calloc(1, sizeof(*x));

	if (!x) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	x->logger.vmessage = log_nothing;
	x->xc = xc_interface_open(&x->logger, &x->logger, 0);
	if (!x->xc) {
		abi_explain_open(errno, why, size);
	} else if (check_version(x, why, size) == 0) {
		x->names = xenstore_open();
		return x;
	}
	close_libxc(x);
	return NULL;
}

static const char *libxc_version(struct hypervisor *x)
{
	return x->version;
}

static int libxc_domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	return xenstore_name(x->names, domid, name, size);
}

static int libxc_kernel(struct hypervisor *x, uint32_t domid, char *path, size_t size)
{
	return xenstore_kernel(x->names, domid, path, size);
}

static uint32_t libxc_own_domid(struct hypervisor *x)
{
	return xenstore_own_domid(x->names);
}

static bool libxc_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error,
                          char *why, size_t size)
{
	if (operand || error == ENOTSUP)
		return hook_explain(x, operand, info, error, why, size);
	tried_explain(&x->tried, error, why, size);
	return true;
}

static void detach(struct guest *g)
{
	if (!g)
		return;
	free(g->vcpu);
	free(g);
}

static struct guest *attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                            enum attach_purpose purpose)
{
	struct guest *g = calloc(1, sizeof(*g));
	unsigned width = 0;
	int rc = 0;

	(void)purpose;
	if (!g)
		return NULL;
	x->tried.error = 0;
	g->x = x;
	g->mark = &g->own;
	g->domid = info->domid;
	g->vcpus = info->vcpus;
	g->vcpu = calloc(g->vcpus, sizeof(*g->vcpu));
	if (!g->vcpu)
		rc = ENOMEM;
	else if (info->kind != GUEST_PV)
		rc = ENOTSUP;
	else if (xc_domain_get_guest_width(x->xc, g->domid, &width) != 0)
		rc = -tried(&x->tried, -errno, "xc_domain_get_guest_width of domain %u", (unsigned)g->domid);
	else
		g->arch = abi_arch(GUEST_PV, width * 8, NULL);
	if (rc != 0) {
		detach(g);
		errno = rc;
		return NULL;
	}
	for (uint32_t v = 0; v < g->vcpus; v++)
		g->vcpu[v].wanted = vcpu_is_in(wanted, v);
	return g;
}

static enum arch_id libxc_arch(const struct guest *g)
{
	return g->arch;
}

static int libxc_info(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	return n == 1 ? libxc_find(guests[0]->x, guests[0]->domid, infos) : -ENOTSUP;
}

static int libxc_peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	if (xc_vcpu_getcontext(g->x->xc, g->domid, vcpu, &g->context) != 0)
		return tried(&g->x->tried, -errno, "xc_vcpu_getcontext of domain %u", (unsigned)g->domid);
	abi_regs(GUEST_PV, g->arch, &g->context, regs);
	return 0;
}

/* Words of the mark: a pause may be in force, around both calls; it surely is, between them. */
enum { MAYBE, SURELY };

static void set_mark(struct guest *g, int word, bool marked)
{
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&g->mark->words[word] = marked;
	atomic_signal_fence(memory_order_seq_cst);
}

static void libxc_prepare(struct guest *g, const uint64_t *asleep)
{
	for (uint32_t v = 0; v < g->vcpus; v++)
		g->vcpu[v].asleep = asleep && vcpu_is_in(asleep, v);
}

static void read_vcpu(struct guest *g, uint32_t v)
{
	struct vcpu_state *s = &g->vcpu[v];

	s->known = xc_vcpu_getinfo(g->x->xc, g->domid, v, &s->after) == 0;
	if (s->known && s->wanted && !s->asleep && libxc_peek(g, v, &s->regs) != 0)
		memset(&s->regs, 0, sizeof(s->regs));
}

static int libxc_stop(struct guest *g, struct pause_span *span)
{
	int rc = libxc_find(g->x, g->domid, &g->info);

	*span = (struct pause_span){0};
	if (rc != 0)
		return rc;
	for (uint32_t v = 0; v < g->vcpus; v++) {
		memset(&g->vcpu[v].before, 0, sizeof(g->vcpu[v].before));
		if (!g->vcpu[v].asleep)
			xc_vcpu_getinfo(g->x->xc, g->domid, v, &g->vcpu[v].before);
	}
	set_mark(g, MAYBE, true);
	if (xc_domain_pause(g->x->xc, g->domid) != 0) {
		rc = tried(&g->x->tried, -errno, "xc_domain_pause of domain %u", (unsigned)g->domid);
		set_mark(g, MAYBE, false);
		return rc;
	}
	span->until_ns = UINT64_MAX;
	set_mark(g, SURELY, true);
	for (uint32_t v = 0; v < g->vcpus; v++)
		read_vcpu(g, v);
	return 0;
}

static void libxc_collect(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus)
{
	*before = g->info;
	for (uint32_t v = 0; v < g->vcpus; v++) {
		const struct vcpu_state *s = &g->vcpu[v];

		vcpus[v].online = vcpus[v].blocked = vcpus[v].running = false;
		vcpus[v].cpu_ns = 0;
		if (s->known)
			abi_vcpu(&s->before, &s->after, &vcpus[v]);
		if (s->wanted && !s->asleep)
			vcpus[v].regs = s->known ? s->regs : (struct vcpu_regs){.valid = false};
	}
}

static int libxc_unpause(struct guest *g)
{
	if (xc_domain_unpause(g->x->xc, g->domid) == 0)
		return 0;
	return tried(&g->x->tried, -errno, "xc_domain_unpause of domain %u", (unsigned)g->domid);
}

static int libxc_resume(struct guest *g)
{
	int rc;

	set_mark(g, SURELY, false);
	rc = libxc_unpause(g);
	if (rc == 0 || rc == -EINVAL || rc == -ESRCH)
		set_mark(g, MAYBE, false);
	return rc;
}

static void libxc_mark_at(struct guest *g, struct pause_mark *m, const struct stop_guard *guard)
{
	(void)guard;
	memset(m, 0, sizeof(*m));
	g->mark = m;
}

static bool libxc_is_marked(const struct pause_mark *m, bool dead)
{
	return *(const volatile uint64_t *)&m->words[dead ? MAYBE : SURELY];
}

/*
 * libxenctrl keeps what a call asks for to itself. A recorder that is stopped in the few instructions next to one of
 * the two calls holds the guest until it goes on.
 */
static bool cancel_resume(struct pause_mark *m)
{
	(void)m;
	return false;
}

static int libxc_map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	for (size_t i = 0; i < n; i++) {
		xen_pfn_t pfn = frames[i];
		int error = 0;
		void *page = xc_map_foreign_bulk(g->x->xc, g->domid, PROT_READ, &pfn, &error, 1);

		if (page && error != 0) {
			munmap(page, GUEST_PAGE_SIZE);
			page = NULL;
		}
		pages[i] = page;
	}
	return 0;
}

static void libxc_unmap(struct guest *g, const void *page)
{
	(void)g;
	munmap((void *)(uintptr_t)page, GUEST_PAGE_SIZE);
}

const struct hypervisor_ops hypervisor_backend = {
	.name = "libxenctrl",
	.prefix = "xen",
	.host = {.open = open_libxc,
                 .close = close_libxc,
                 .version = libxc_version,
                 .find = libxc_find,
                 .list = libxc_list,
                 .domain_name = libxc_domain_name,
                 .kernel = libxc_kernel,
                 .own_domid = libxc_own_domid,
                 .explain = libxc_explain},
	.guest = {.attach = attach, .settle = hook_settle, .detach = detach, .arch = libxc_arch, .info = libxc_info},
	.pause = {.mark_at = libxc_mark_at,
                  .prepare = libxc_prepare,
                  .run = hook_run,
                  .peek = libxc_peek,
                  .stop = libxc_stop,
                  .collect = libxc_collect,
                  .resume = libxc_resume},
	.memory = {.map = libxc_map, .unmap = libxc_unmap, .let_go = hook_let_go},
	.watch = {.is_marked = libxc_is_marked, .cancel_resume = cancel_resume, .unpause = libxc_unpause},
};
