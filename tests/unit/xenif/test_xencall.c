/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend on a Xen that this file plays: libxencall, libxenforeignmemory and xenstore are replaced. It can be of
 * any release, counts the calls, and keeps the pause count as Xen does.
 */
#include "tests/unit/unit.h"

#define hypervisor_backend xen_backend
#include "xenif/xencall.c"
#undef hypervisor_backend
#include "xenif/domctl_guest.c"
#include "xenif/domctl_stop.c"
#include "xenif/foreign_pages.c"

#include "guest/x86.h"
#include "record/sampling/finder.h"
#include "record/sampling/target.h"

static const struct hypervisor_ops *const ops = &xen_backend;

/* --- Xen --------------------------------------------------------------------------------------------------------- */

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

/* --- finding domains --------------------------------------------------------------------------------------------- */

static struct hypervisor *open_fake(void)
{
	char why[256];
	struct hypervisor *x = ops->open(why, sizeof(why));

	assert_non_null(x);
	xen.domctls = 0;
	return x;
}

/* On old and new releases; the search costs calls by the number of domains, not by the highest number there can be. */
static void a_name_is_found_by_few_calls(void **state)
{
	(void)state;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(target_find(ops, x, "guest300", &info), 0);
		assert_int_equal(info.domid, 300);
		assert_int_equal(target_find(ops, x, "guest301", &info), -ESRCH);
		assert_in_range(xen.domctls, 0, 4 * COUNT(few));
		ops->close(x);
	}
}

static void a_domain_that_is_gone_is_looked_for_by_few_calls(void **state)
{
	const struct domain_identity gone = {{8}, "guest8"}, renamed = {{7}, "other"};

	(void)state;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(finder_search(ops, x, &gone, NULL, 0, &info), -ESRCH);
		assert_in_range(xen.domctls, 1, COUNT(few) + 1);
		assert_int_equal(finder_search(ops, x, &renamed, NULL, 0, &info), 0);
		assert_int_equal(info.domid, 7);
		ops->close(x);
	}
}

/* Where there is no xenstore, every number is asked for, and none is missed. */
static void without_xenstore_all_are_listed(void **state)
{
	(void)state;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info *domains;
		struct hypervisor *x;
		size_t n;

		xen_of(interface, few, COUNT(few));
		xen.xenstore = false;
		x = open_fake();
		assert_int_equal(ops->list(x, &domains, &n), 0);
		assert_int_equal(n, COUNT(few));
		for (size_t i = 0; i < n; i++)
			assert_int_equal(domains[i].domid, few[i]);
		free(domains);
		ops->close(x);
	}
}

static void a_number_is_found_by_one_call(void **state)
{
	(void)state;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(target_find(ops, x, "7", &info), 0);
		assert_int_equal(info.domid, 7);
		assert_int_equal(target_find(ops, x, "8", &info), -ESRCH);
		assert_int_equal(target_find(ops, x, "40000", &info), -ESRCH);
		assert_int_equal(xen.domctls, 2); /* the last is no domain number */
		ops->close(x);
	}
}

/* One call for each few hundred, and whoever is gone is not taken for another domain. */
static void many_domains_are_asked_about_by_few_calls(void **state)
{
	enum { MANY = 300 };
	uint32_t domids[MANY];
	struct guest *guests[MANY];
	struct guest_info infos[MANY];
	struct hypervisor *x;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		domids[i] = i + 1;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		xen_of(interface, domids, MANY);
		x = open_fake();
		for (uint32_t i = 0; i < MANY; i++)
			guests[i] = ops->attach(x, &(struct guest_info){.domid = i + 1, .vcpus = 1}, NULL);
		xen.ndomids--; /* the last one ends */
		assert_int_equal(ops->infos(guests, MANY, infos), 0);
		assert_int_equal(xen.multicalls, 2);
		for (uint32_t i = 0; i < MANY - 1; i++) {
			assert_int_equal(infos[i].domid, i + 1);
			assert_int_equal(infos[i].uuid[0], (uint8_t)(i + 1));
		}
		assert_int_not_equal(infos[MANY - 1].domid, MANY);
		for (uint32_t i = 0; i < MANY; i++)
			ops->detach(guests[i]);
		ops->close(x);
	}
}

/* --- PVH and HVM guests ------------------------------------------------------------------------------------------ */

/* By the devices that Xen emulates; before 4.10 it does not tell. */
static void kinds(void **state)
{
	(void)state;
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(ops->find(x, 7, &info), 0);
		assert_int_equal(info.kind, GUEST_PV);
		xen.hvm = true;
		xen.emulated = 1;
		assert_int_equal(ops->find(x, 7, &info), 0);
		assert_int_equal(info.kind, interface < 0xe ? GUEST_HVM : GUEST_PVH);
		xen.emulated = 0x3ff;
		assert_int_equal(ops->find(x, 7, &info), 0);
		assert_int_equal(info.kind, GUEST_HVM);
		ops->close(x);
	}
}

static struct hypervisor *attach_hvm(uint32_t interface, struct guest **g)
{
	struct guest_info info;
	struct hypervisor *x;

	xen_of(interface, few, COUNT(few));
	xen.hvm = true;
	x = open_fake();
	assert_int_equal(ops->find(x, 7, &info), 0);
	*g = ops->attach(x, &info, NULL);
	assert_non_null(*g);
	return x;
}

/* In every layout of the call; a vCPU that is down has none. */
static void registers_of_hvm_guests(void **state)
{
	(void)state;
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		struct vcpu_stop vcpus[2];
		struct guest_info before;
		struct guest *g;
		struct hypervisor *x = attach_hvm(interface, &g);

		assert_int_equal(ops->arch(g), ARCH_X86_64);
		memset(vcpus, 0xff, sizeof(vcpus));
		ops->prepare(g, NULL);
		assert_int_equal(ops->stop(g), 0);
		assert_int_equal(ops->resume(g), 0);
		ops->collect(g, &before, vcpus);
		assert_int_equal(before.domid, 7);
		assert_true(vcpus[0].regs.valid && vcpus[0].regs.user);
		assert_int_equal(vcpus[0].regs.ip, 0x1234);
		assert_int_equal(vcpus[0].regs.sp, 0x7000);
		assert_int_equal(vcpus[0].regs.fp, 0x7010);
		assert_int_equal(vcpus[0].regs.all[15], 15);
		assert_int_equal(vcpus[0].regs.root.cr3, 0x5000);
		assert_int_equal(vcpus[0].regs.arch->id, ARCH_X86_64);
		assert_false(vcpus[1].regs.valid);
		assert_int_equal(ops->peek(g, 1, &vcpus[1].regs), -ENODATA);
		ops->detach(g);
		ops->close(x);
	}
}

/* --- 32-bit PV guests -------------------------------------------------------------------------------------------- */

/* What Xen is asked once, at the beginning, decides how every context is read. */
static void registers_of_32_bit_pv_guests(void **state)
{
	static const uint64_t i386[] = {0x0a, 0x0c, 0x0d, 0x0b, 0xc0007000, 0xc0007010, 0x51, 0xd1};
	const struct guest_info info = {.domid = 7, .vcpus = 1, .kind = GUEST_PV};
	struct vcpu_stop vcpu;
	struct guest_info before;
	struct hypervisor *x;
	struct guest *g;

	(void)state;
	xen_of(0x15, few, COUNT(few));
	xen.word_size = 32;
	x = open_fake();
	g = ops->attach(x, &info, NULL);
	assert_non_null(g);
	assert_int_equal(xen.domctls, 1);
	assert_int_equal(ops->arch(g), ARCH_X86_32);
	for (unsigned ring = 0; ring < 4; ring++) {
		xen.cs = (uint16_t)(0xe018 | ring);
		memset(&vcpu, 0xff, sizeof(vcpu));
		ops->prepare(g, NULL);
		assert_int_equal(ops->stop(g), 0);
		assert_int_equal(ops->resume(g), 0);
		ops->collect(g, &before, &vcpu);
		assert_true(vcpu.regs.valid);
		assert_ptr_equal(vcpu.regs.arch, &arch_x86_32_pv);
		assert_int_equal(vcpu.regs.ip, 0xc0101234);
		assert_int_equal(vcpu.regs.sp, 0xc0007000);
		assert_int_equal(vcpu.regs.fp, 0xc0007010);
		assert_memory_equal(vcpu.regs.all, i386, sizeof(i386));
		assert_int_equal(vcpu.regs.root.cr3, 0x123456000);
		assert_int_equal(vcpu.regs.first_handler, 0xc0100040);
		assert_int_equal(vcpu.regs.interrupt_table, 0);
		assert_int_equal(vcpu.regs.user, ring == 3);
	}
	assert_int_equal(ops->peek(g, 0, &vcpu.regs), 0);
	assert_int_equal(vcpu.regs.ip, 0xc0101234);
	ops->detach(g);
	ops->close(x);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Pages are mapped by one call for many, and each call's are unmapped together, whatever the order. */
static void pages_are_mapped_together(void **state)
{
	const uint64_t frames[] = {1, 2, REFUSED, 4};
	const void *first[COUNT(frames)], *second[COUNT(frames)], *none[1];
	struct guest *g;
	struct hypervisor *x = attach_hvm(0x15, &g);

	(void)state;
	assert_int_equal(ops->map(g, frames, COUNT(frames), first), 0);
	assert_int_equal(ops->map(g, frames, COUNT(frames), second), 0);
	assert_int_equal(xen.maps, 2);
	assert_null(first[2]);
	assert_int_equal(*(const uint8_t *)first[3], 4);
	assert_int_equal(ops->map(g, &frames[2], 1, none), 0);
	assert_null(none[0]);
	assert_int_equal(xen.mapped, 2 * COUNT(frames));
	for (size_t i = COUNT(frames); i-- > 0;)
		if (second[i])
			ops->unmap(g, second[i]);
	assert_int_equal(xen.mapped, COUNT(frames));
	for (size_t i = 0; i < COUNT(frames); i++)
		if (first[i])
			ops->unmap(g, first[i]);
	assert_int_equal(xen.mapped, 0);
	ops->detach(g);
	ops->close(x);
}

/* --- pauses ------------------------------------------------------------------------------------------------------ */

static struct pause_mark mark;
static struct guest *sampled, *watching;

static struct hypervisor *attach_both(void)
{
	const struct guest_info info = {.domid = 7, .vcpus = 2, .kind = GUEST_PV};
	struct hypervisor *x;

	xen_of(0x15, few, COUNT(few));
	x = open_fake();
	sampled = ops->attach(x, &info, NULL);
	watching = ops->attach(x, &info, NULL);
	assert_true(sampled && watching);
	ops->mark_at(sampled, &mark);
	return x;
}

static void detach_both(struct hypervisor *x)
{
	ops->detach(sampled);
	ops->detach(watching);
	ops->close(x);
}

static void pause_sampled(void)
{
	ops->prepare(sampled, NULL);
	assert_int_equal(ops->stop(sampled), 0);
}

static bool is_marked_now(void)
{
	assert_int_equal(ops->is_marked(&mark, false), ops->is_marked(&mark, true));
	return ops->is_marked(&mark, false);
}

static void see_the_mark(void)
{
	assert_int_equal(xen.pauses, 1);
	assert_true(is_marked_now());
}

/* From the pause on, within the call that pauses, until the call that resumes. */
static void a_pause_is_marked_while_it_is_in_force(void **state)
{
	struct hypervisor *x = attach_both();

	(void)state;
	assert_false(is_marked_now());
	for (int i = 0; i < 2; i++) {
		xen.inside = see_the_mark;
		pause_sampled();
		xen.inside = NULL;
		assert_true(is_marked_now());
		assert_int_equal(ops->resume(sampled), 0);
		assert_false(is_marked_now());
		assert_int_equal(xen.pauses, 0);
	}
	detach_both(x);
}

static void a_spoilt_resume_does_nothing(void **state)
{
	struct hypervisor *x = attach_both();

	(void)state;
	pause_sampled();
	xen.pauses++; /* somebody else's */
	assert_true(ops->spoil(&mark));
	assert_int_equal(ops->resume(sampled), -ECANCELED);
	assert_int_equal(xen.pauses, 2);
	assert_true(is_marked_now());
	assert_int_equal(ops->unpause(watching), 0);
	assert_int_equal(xen.pauses, 1);
	/* The next pause is as any. */
	ops->mark_at(sampled, &mark);
	pause_sampled();
	assert_int_equal(ops->resume(sampled), 0);
	assert_int_equal(xen.pauses, 1);
	detach_both(x);
}

static void somebody_else_undoes_it(void **state)
{
	struct hypervisor *x = attach_both();

	(void)state;
	pause_sampled();
	xen.pauses = 0;
	assert_int_equal(ops->resume(sampled), -EINVAL);
	assert_false(is_marked_now());
	assert_int_equal(ops->unpause(watching), -EINVAL);
	detach_both(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_is_found),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(a_name_is_found_by_few_calls),
		cmocka_unit_test(a_domain_that_is_gone_is_looked_for_by_few_calls),
		cmocka_unit_test(without_xenstore_all_are_listed),
		cmocka_unit_test(a_number_is_found_by_one_call),
		cmocka_unit_test(many_domains_are_asked_about_by_few_calls),
		cmocka_unit_test(kinds),
		cmocka_unit_test(registers_of_hvm_guests),
		cmocka_unit_test(registers_of_32_bit_pv_guests),
		cmocka_unit_test(pages_are_mapped_together),
		cmocka_unit_test(a_pause_is_marked_while_it_is_in_force),
		cmocka_unit_test(a_spoilt_resume_does_nothing),
		cmocka_unit_test(somebody_else_undoes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
