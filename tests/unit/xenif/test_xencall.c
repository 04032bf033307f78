/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend on a Xen that this file plays: libxencall, libxenforeignmemory and xenstore are replaced. It can be of
 * any release, counts the calls, and keeps the pause count as Xen does.
 */
#include "tests/unit/unit.h"

#define hypervisor_backend xen_backend
#include "xenif/xencall.c"
#undef hypervisor_backend

#include "record/sampling/target.h"

static const struct hypervisor_ops *const ops = &xen_backend;

/* --- Xen --------------------------------------------------------------------------------------------------------- */

static struct {
	uint32_t interface;
	bool finds_next; /* getdomaininfo on a missing domain answers with the next one, as Xen up to 4.17 does */
	const uint32_t *domids;
	size_t ndomids;
	unsigned pauses; /* of the only guest that is paused in these tests */
	bool xenstore;   /* is there one */
	unsigned long domctls, directories, names;
} xen;

static void xen_of(uint32_t interface, const uint32_t *domids, size_t n)
{
	memset(&xen, 0, sizeof(xen));
	xen.interface = interface;
	xen.finds_next = interface <= 0x15;
	xen.domids = domids;
	xen.ndomids = n;
	xen.xenstore = true;
}

static bool exists(uint32_t domid)
{
	for (size_t i = 0; i < xen.ndomids; i++)
		if (xen.domids[i] == domid)
			return true;
	return false;
}

static int get_info(struct xen_domctl *op)
{
	uint32_t domid = op->domain;

	while (xen.finds_next && !exists(domid) && domid < DOMID_FIRST_RESERVED)
		domid++;
	if (!exists(domid))
		return -ESRCH;
	memset(&op->u, 0, sizeof(op->u));
	op->u.getdomaininfo.domain = (domid_t)domid;
	op->u.getdomaininfo.flags = xen.pauses ? XEN_DOMINF_paused : 0;
	op->u.getdomaininfo.handle[0] = (uint8_t)domid;
	return 0;
}

static int domctl(struct xen_domctl *op)
{
	xen.domctls++;
	if (op->interface_version != xen.interface)
		return -EACCES;
	if (op->cmd == XEN_DOMCTL_getdomaininfo)
		return get_info(op);
	if (!exists(op->domain))
		return -ESRCH;
	switch (op->cmd) {
	case XEN_DOMCTL_get_address_size:
		op->u.address_size.size = 64;
		return 0;
	case XEN_DOMCTL_pausedomain:
		xen.pauses++;
		return 0;
	case XEN_DOMCTL_unpausedomain:
		if (xen.pauses == 0)
			return -EINVAL;
		xen.pauses--;
		return 0;
	case XEN_DOMCTL_getvcpuinfo:
		op->u.getvcpuinfo.online = 1;
		op->u.getvcpuinfo.cpu = 1;
		return 0;
	case XEN_DOMCTL_getvcpucontext:
		return 0;
	default:
		return -ENOSYS;
	}
}

/* --- the libraries ----------------------------------------------------------------------------------------------- */

xencall_handle *xencall_open(struct xentoollog_logger *logger, unsigned flags)
{
	(void)logger, (void)flags;
	return (xencall_handle *)&xen;
}

int xencall_close(xencall_handle *x)
{
	(void)x;
	return 0;
}

void *xencall_alloc_buffer(xencall_handle *x, size_t size)
{
	(void)x;
	return calloc(1, size);
}

void xencall_free_buffer(xencall_handle *x, void *p)
{
	(void)x;
	free(p);
}

static int answer(int rc)
{
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

int xencall1(xencall_handle *x, unsigned op, uint64_t argument)
{
	(void)x;
	return answer(op == __HYPERVISOR_domctl ? domctl((void *)(uintptr_t)argument) : -ENOSYS);
}

int xencall2(xencall_handle *x, unsigned op, uint64_t first, uint64_t second)
{
	multicall_entry_t *list = (void *)(uintptr_t)first;

	(void)x;
	if (op == __HYPERVISOR_xen_version)
		return first == XENVER_version ? 4 << 16 | 17 : 0;
	if (op != __HYPERVISOR_multicall)
		return answer(-ENOSYS);
	for (uint64_t i = 0; i < second; i++)
		list[i].result = (xen_ulong_t)(long)domctl((void *)(uintptr_t)list[i].args[0]);
	return 0;
}

xenforeignmemory_handle *xenforeignmemory_open(struct xentoollog_logger *logger, unsigned flags)
{
	(void)logger, (void)flags;
	return (xenforeignmemory_handle *)&xen;
}

int xenforeignmemory_close(xenforeignmemory_handle *m)
{
	(void)m;
	return 0;
}

void *xenforeignmemory_map(xenforeignmemory_handle *m, uint32_t domid, int prot, size_t n, const xen_pfn_t *frames,
                           int *errors)
{
	(void)m, (void)domid, (void)prot, (void)n, (void)frames, (void)errors;
	return NULL;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *m, void *p, size_t n)
{
	(void)m, (void)p, (void)n;
	return 0;
}

struct xenstore *xenstore_open(void)
{
	return xen.xenstore ? (struct xenstore *)&xen : NULL;
}

void xenstore_close(struct xenstore *s)
{
	(void)s;
}

int xenstore_of(struct xenstore *s, uint32_t domid, char *name, size_t size)
{
	if (!s || !exists(domid))
		return -ENOENT;
	xen.names++;
	snprintf(name, size, "guest%u", domid);
	return 0;
}

uint32_t xenstore_own_domid(struct xenstore *s)
{
	(void)s;
	return 0;
}

/* --- versions ---------------------------------------------------------------------------------------------------- */

static const uint32_t few[] = {0, 1, 7, 300};

static void every_version_is_found(void **state)
{
	(void)state;
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		char why[256] = "", expected[16];
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = ops->open(why, sizeof(why));
		if (!x) {
			fail_msg("domctl 0x%x: %s", interface, why);
			return;
		}
		snprintf(expected, sizeof(expected), "0x%x", interface);
		assert_string_equal(strrchr(ops->version(x), ' ') + 1, expected);
		ops->close(x);
	}
}

static void other_versions_are_refused(void **state)
{
	static const uint32_t unknown[] = {0, 0xb, 0x19};

	(void)state;
	for (size_t i = 0; i < COUNT(unknown); i++) {
		char why[256] = "";

		xen_of(unknown[i], few, COUNT(few));
		assert_null(ops->open(why, sizeof(why)));
		assert_non_null(strstr(why, "0xc to 0x18"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_is_found),
		cmocka_unit_test(other_versions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
