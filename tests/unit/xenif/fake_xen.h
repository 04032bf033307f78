/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_xen.h - a Xen that a test plays: libxencall, libxenforeignmemory and xenstore are replaced. It can be of any
 * release, counts the calls, and keeps the pause count as Xen does. Include it after the backend's own source.
 */
#ifndef TESTS_UNIT_XENIF_FAKE_XEN_H
#define TESTS_UNIT_XENIF_FAKE_XEN_H

static struct {
	uint32_t interface;
	bool finds_next; /* getdomaininfo on a missing domain answers with the next one, as Xen up to 4.17 does */
	const uint32_t *domids;
	size_t ndomids;
	unsigned pauses;    /* of the only guest that is paused in these tests */
	uint32_t word_size; /* of a PV guest, in bits */
	uint16_t cs;        /* of a 32-bit one */
	bool hvm;
	uint32_t emulated; /* devices of an HVM guest, XEN_X86_EMU_* */
	bool xenstore;     /* is there one */
	/* Called for each entry that reads registers: between pause and resume, inside one hypercall. */
	void (*inside)(void);
	unsigned long domctls, multicalls, maps, mapped;
} xen;
#define REFUSED 0xffu /* a frame that cannot be mapped */

static void xen_of(uint32_t interface, const uint32_t *domids, size_t n)
{
	memset(&xen, 0, sizeof(xen));
	xen.interface = interface;
	xen.finds_next = interface <= 0x15;
	xen.domids = domids;
	xen.ndomids = n;
	xen.xenstore = true;
	xen.word_size = 64;
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
	op->u.getdomaininfo.max_vcpu_id = 1;
	if (xen.hvm) {
		/* Of 128 bytes; the place by the public headers of these releases. */
		uint8_t *at = (uint8_t *)&op->u + (xen.interface >= 0x14 ? 104 : 96);

		op->u.getdomaininfo.flags |= XEN_DOMINF_hvm_guest;
		if (xen.interface >= 0xe)
			memcpy(at, &xen.emulated, sizeof(xen.emulated));
	}
	return 0;
}

/* Of vCPU 0, in 64-bit user mode; vCPU 1 is down. Before 4.10 there is no size in the call. */
static int get_hvm_context(const struct xen_domctl *op)
{
	const struct hvm_hw_cpu cpu = {
		.rip = 0x1234,
		.rsp = 0x7000,
		.rbp = 0x7010,
		.r15 = 15,
		.cr0 = 0x80000001,
		.cr3 = 0x5018,
		.cr4 = 0x20,
		.msr_efer = 0x500,
		.cs_arbytes = 0xafb,
		.ss_arbytes = 0xcf3,
	};
	const uint8_t *u = (const uint8_t *)&op->u;
	uint64_t size = sizeof(cpu), to;
	uint32_t type, instance;

	memcpy(&type, u, 4);
	memcpy(&instance, u + 4, 4);
	if (xen.interface >= 0xe)
		memcpy(&size, u + 8, 8);
	memcpy(&to, u + (xen.interface >= 0xe ? 16 : 8), 8);
	if (!xen.hvm || type != 2 || size != 1032)
		return -EINVAL;
	if (instance != 0)
		return -ENODATA;
	memcpy((void *)(uintptr_t)to, &cpu, sizeof(cpu));
	return 0;
}

/* As it is for a 32-bit guest (xen/include/public/arch-x86/xen-x86_32.h), 2800 bytes and none more. */
static void get_context_32(const struct xen_domctl *op)
{
	static const struct {
		uint16_t at;
		uint32_t value;
	} words[] = {
		{516, 0x0b},
		{520, 0x0c},
		{524, 0x0d},
		{528, 0x51},
		{532, 0xd1},
		{536, 0xc0007010},
		{540, 0x0a},
		{548, 0xc0101234},
		{556, 0x202},
		{560, 0xc0007000},
		{588, 0xc0100040},                         /* trap_ctxt[0].address */
		{2728, 0x123456u << 12 | 0x123456u >> 20}, /* ctrlreg[3]: the frame's high bits are the low ones */
	};
	uint8_t *to;

	memcpy(&to, &op->u.vcpucontext.ctxt, sizeof(to));
	memset(to, 0, 2800);
	for (size_t i = 0; i < COUNT(words); i++)
		memcpy(to + words[i].at, &words[i].value, 4);
	memcpy(to + 552, &xen.cs, 2);
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
		op->u.address_size.size = xen.word_size;
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
	case XEN_DOMCTL_gethvmcontext_partial:
		return get_hvm_context(op);
	case XEN_DOMCTL_getvcpucontext:
		if (xen.inside)
			xen.inside();
		if (xen.word_size == 32)
			get_context_32(op);
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
	xen.multicalls++;
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
	uint8_t *pages = aligned_alloc(GUEST_PAGE_SIZE, n * GUEST_PAGE_SIZE);

	(void)m, (void)domid;
	assert_int_equal(prot, PROT_READ);
	xen.maps++;
	for (size_t i = 0; i < n; i++) {
		errors[i] = frames[i] == REFUSED ? -EINVAL : 0;
		pages[i * GUEST_PAGE_SIZE] = (uint8_t)frames[i];
	}
	xen.mapped += n;
	return pages;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *m, void *p, size_t n)
{
	(void)m;
	xen.mapped -= n;
	free(p);
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

int xenstore_name(struct xenstore *s, uint32_t domid, char *name, size_t size)
{
	if (!s || !exists(domid))
		return -ENOENT;
	snprintf(name, size, "guest%u", domid);
	return 0;
}

int xenstore_kernel(struct xenstore *s, uint32_t domid, char *path, size_t size)
{
	(void)s, (void)domid, (void)path, (void)size;
	return -ENOENT;
}

int xenstore_domids(struct xenstore *s, uint32_t **domids, size_t *n)
{
	if (!s)
		return -ENOENT;
	*domids = malloc(sizeof(**domids) * (xen.ndomids + 1));
	memcpy(*domids, xen.domids, sizeof(**domids) * xen.ndomids);
	(*domids)[xen.ndomids] = 5; /* one that has ended since */
	*n = xen.ndomids + 1;
	return 0;
}

uint32_t xenstore_own_domid(struct xenstore *s)
{
	(void)s;
	return 0;
}

#endif
