/* SPDX-License-Identifier: BSD-2-Clause */
/* The backend on a Xen that fake_xen.h plays. */
#include "tests/unit/unit.h"

#define hypervisor_backend xen_backend
#include "xenif/xencall.c"
#undef hypervisor_backend
#include "xenif/domctl_guest.c"
#include "xenif/domctl_stop.c"

#include "guest/x86.h"
#include "record/sampling/finder.h"
#include "record/sampling/target.h"
#include "tests/unit/xenif/fake_xen.h"

static const struct hypervisor_ops *const ops = &xen_backend;

/* --- versions ---------------------------------------------------------------------------------------------------- */

static const uint32_t few[] = {0, 1, 7, 300};

TEST(every_version_is_found)
{
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		char why[256] = "", expected[16];
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = ops->host.open(why, sizeof(why));
		if (!x) {
			fail_msg("domctl 0x%x: %s", interface, why);
			return;
		}
		snprintf(expected, sizeof(expected), "0x%x", interface);
		assert_string_equal(strrchr(ops->host.version(x), ' ') + 1, expected);
		ops->host.close(x);
	}
}

TEST(other_versions_are_refused)
{
	static const uint32_t unknown[] = {0, 0xb, 0x19};

	for (size_t i = 0; i < COUNT(unknown); i++) {
		char why[256] = "";

		xen_of(unknown[i], few, COUNT(few));
		assert_null(ops->host.open(why, sizeof(why)));
		assert_non_null(strstr(why, "0xc to 0x18"));
	}
}

/* --- finding domains --------------------------------------------------------------------------------------------- */

static struct hypervisor *open_fake(void)
{
	char why[256];
	struct hypervisor *x = ops->host.open(why, sizeof(why));

	assert_non_null(x);
	xen.domctls = 0;
	return x;
}

/* On old and new releases; the search costs calls by the number of domains, not by the highest number there can be. */
TEST(a_name_is_found_by_few_calls)
{
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(target_find(ops, x, "guest300", &info), 0);
		assert_int_equal(info.domid, 300);
		assert_int_equal(target_find(ops, x, "guest301", &info), -ESRCH);
		assert_in_range(xen.domctls, 0, 4 * COUNT(few));
		ops->host.close(x);
	}
}

TEST(a_domain_that_is_gone_is_looked_for_by_few_calls)
{
	const struct domain_identity gone = {{8}, "guest8"}, renamed = {{7}, "other"};

	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(finder_search(ops, x, &gone, NULL, 0, &info), -ESRCH);
		assert_in_range(xen.domctls, 1, COUNT(few) + 1);
		assert_int_equal(finder_search(ops, x, &renamed, NULL, 0, &info), 0);
		assert_int_equal(info.domid, 7);
		ops->host.close(x);
	}
}

/* Where there is no xenstore, every number is asked for, and none is missed. */
TEST(without_xenstore_all_are_listed)
{
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		struct guest_info *domains;
		struct hypervisor *x;
		size_t n;

		xen_of(interface, few, COUNT(few));
		xen.xenstore = false;
		x = open_fake();
		assert_int_equal(ops->host.list(x, NULL, &domains, &n), 0);
		assert_int_equal(n, COUNT(few));
		for (size_t i = 0; i < n; i++)
			assert_int_equal(domains[i].domid, few[i]);
		free(domains);
		ops->host.close(x);
	}
}

TEST(a_number_is_found_by_one_call)
{
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
		ops->host.close(x);
	}
}

/* One call for each few hundred, and whoever is gone is not taken for another domain. */
TEST(many_domains_are_asked_about_by_few_calls)
{
	enum { MANY = 300 };
	uint32_t domids[MANY];
	struct guest *guests[MANY];
	struct guest_info infos[MANY];
	struct hypervisor *x;

	for (uint32_t i = 0; i < MANY; i++)
		domids[i] = i + 1;
	for (uint32_t interface = 0x15; interface <= 0x16; interface++) {
		xen_of(interface, domids, MANY);
		x = open_fake();
		for (uint32_t i = 0; i < MANY; i++)
			guests[i] = ops->guest.attach(x, &(struct guest_info){.domid = i + 1, .vcpus = 1}, NULL,
			                              ATTACH_TO_SAMPLE);
		xen.ndomids--; /* the last one ends */
		assert_int_equal(ops->guest.info(guests, MANY, infos), 0);
		assert_int_equal(xen.multicalls, 2);
		for (uint32_t i = 0; i < MANY - 1; i++) {
			assert_int_equal(infos[i].domid, i + 1);
			assert_int_equal(infos[i].uuid[0], (uint8_t)(i + 1));
		}
		assert_int_not_equal(infos[MANY - 1].domid, MANY);
		for (uint32_t i = 0; i < MANY; i++)
			ops->guest.detach(guests[i]);
		ops->host.close(x);
	}
}

/* --- PVH and HVM guests ------------------------------------------------------------------------------------------ */

/* By the devices that Xen emulates; before 4.10 it does not tell. */
TEST(kinds)
{
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		struct guest_info info;
		struct hypervisor *x;

		xen_of(interface, few, COUNT(few));
		x = open_fake();
		assert_int_equal(ops->host.find(x, 7, &info), 0);
		assert_int_equal(info.kind, GUEST_PV);
		xen.hvm = true;
		xen.emulated = 1;
		assert_int_equal(ops->host.find(x, 7, &info), 0);
		assert_int_equal(info.kind, interface < 0xe ? GUEST_HVM : GUEST_PVH);
		xen.emulated = 0x3ff;
		assert_int_equal(ops->host.find(x, 7, &info), 0);
		assert_int_equal(info.kind, GUEST_HVM);
		ops->host.close(x);
	}
}

static struct hypervisor *attach_hvm(uint32_t interface, struct guest **g)
{
	struct guest_info info;
	struct hypervisor *x;

	xen_of(interface, few, COUNT(few));
	xen.hvm = true;
	x = open_fake();
	assert_int_equal(ops->host.find(x, 7, &info), 0);
	*g = ops->guest.attach(x, &info, NULL, ATTACH_TO_SAMPLE);
	assert_non_null(*g);
	return x;
}

/* In every layout of the call; a vCPU that is down has none. */
TEST(registers_of_hvm_guests)
{
	for (uint32_t interface = 0xc; interface <= 0x18; interface++) {
		struct vcpu_stop vcpus[2];
		struct guest_info before;
		struct guest *g;
		struct hypervisor *x = attach_hvm(interface, &g);

		assert_int_equal(ops->guest.arch(g), ARCH_X86_64);
		memset(vcpus, 0xff, sizeof(vcpus));
		ops->pause.prepare(g, NULL);
		assert_int_equal(ops->pause.stop(g, &(struct pause_span){0}), 0);
		assert_int_equal(ops->pause.resume(g), 0);
		ops->pause.collect(g, &before, vcpus);
		assert_int_equal(before.domid, 7);
		assert_true(vcpus[0].regs.valid && vcpus[0].regs.user);
		assert_int_equal(vcpus[0].regs.ip, 0x1234);
		assert_int_equal(vcpus[0].regs.sp, 0x7000);
		assert_int_equal(vcpus[0].regs.fp, 0x7010);
		assert_int_equal(vcpus[0].regs.all[15], 15);
		assert_int_equal(vcpus[0].regs.root.cr3, 0x5000);
		assert_int_equal(vcpus[0].regs.arch->id, ARCH_X86_64);
		assert_false(vcpus[1].regs.valid);
		assert_int_equal(ops->pause.peek(g, 1, &vcpus[1].regs), -ENODATA);
		ops->guest.detach(g);
		ops->host.close(x);
	}
}

/* --- 32-bit PV guests -------------------------------------------------------------------------------------------- */

/* What Xen is asked once, at the beginning, decides how every context is read. */
TEST(registers_of_32_bit_pv_guests)
{
	static const uint64_t i386[] = {0x0a, 0x0c, 0x0d, 0x0b, 0xc0007000, 0xc0007010, 0x51, 0xd1};
	const struct guest_info info = {.domid = 7, .vcpus = 1, .kind = GUEST_PV};
	struct vcpu_stop vcpu;
	struct guest_info before;
	struct hypervisor *x;
	struct guest *g;

	xen_of(0x15, few, COUNT(few));
	xen.word_size = 32;
	x = open_fake();
	g = ops->guest.attach(x, &info, NULL, ATTACH_TO_SAMPLE);
	assert_non_null(g);
	assert_int_equal(xen.domctls, 1);
	assert_int_equal(ops->guest.arch(g), ARCH_X86_32);
	for (unsigned ring = 0; ring < 4; ring++) {
		xen.cs = (uint16_t)(0xe018 | ring);
		memset(&vcpu, 0xff, sizeof(vcpu));
		ops->pause.prepare(g, NULL);
		assert_int_equal(ops->pause.stop(g, &(struct pause_span){0}), 0);
		assert_int_equal(ops->pause.resume(g), 0);
		ops->pause.collect(g, &before, &vcpu);
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
	assert_int_equal(ops->pause.peek(g, 0, &vcpu.regs), 0);
	assert_int_equal(vcpu.regs.ip, 0xc0101234);
	ops->guest.detach(g);
	ops->host.close(x);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Pages are mapped by one call for many, and each call's are unmapped together, whatever the order. */
TEST(pages_are_mapped_together)
{
	const uint64_t frames[] = {1, 2, REFUSED, 4};
	const void *first[COUNT(frames)], *second[COUNT(frames)], *none[1];
	struct guest *g;
	struct hypervisor *x = attach_hvm(0x15, &g);

	assert_int_equal(ops->memory.map(g, frames, COUNT(frames), first), 0);
	assert_int_equal(ops->memory.map(g, frames, COUNT(frames), second), 0);
	assert_int_equal(xen.maps, 2);
	assert_null(first[2]);
	assert_int_equal(*(const uint8_t *)first[3], 4);
	assert_int_equal(ops->memory.map(g, &frames[2], 1, none), 0);
	assert_null(none[0]);
	assert_int_equal(xen.mapped, 2 * COUNT(frames));
	for (size_t i = COUNT(frames); i-- > 0;)
		if (second[i])
			ops->memory.unmap(g, second[i]);
	assert_int_equal(xen.mapped, COUNT(frames));
	for (size_t i = 0; i < COUNT(frames); i++)
		if (first[i])
			ops->memory.unmap(g, first[i]);
	assert_int_equal(xen.mapped, 0);
	ops->guest.detach(g);
	ops->host.close(x);
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
	sampled = ops->guest.attach(x, &info, NULL, ATTACH_TO_SAMPLE);
	watching = ops->guest.attach(x, &info, NULL, ATTACH_TO_SAMPLE);
	assert_true(sampled && watching);
	ops->pause.mark_at(sampled, &mark, NULL);
	return x;
}

static void detach_both(struct hypervisor *x)
{
	ops->guest.detach(sampled);
	ops->guest.detach(watching);
	ops->host.close(x);
}

static void pause_sampled(void)
{
	ops->pause.prepare(sampled, NULL);
	assert_int_equal(ops->pause.stop(sampled, &(struct pause_span){0}), 0);
}

static bool is_marked_now(void)
{
	assert_int_equal(ops->watch.is_marked(&mark, false), ops->watch.is_marked(&mark, true));
	return ops->watch.is_marked(&mark, false);
}

static void see_the_mark(void)
{
	assert_int_equal(xen.pauses, 1);
	assert_true(is_marked_now());
}

/* From the pause on, within the call that pauses, until the call that resumes. */
TEST(a_pause_is_marked_while_it_is_in_force)
{
	struct hypervisor *x = attach_both();

	assert_false(is_marked_now());
	for (int i = 0; i < 2; i++) {
		xen.inside = see_the_mark;
		pause_sampled();
		xen.inside = NULL;
		assert_true(is_marked_now());
		assert_int_equal(ops->pause.resume(sampled), 0);
		assert_false(is_marked_now());
		assert_int_equal(xen.pauses, 0);
	}
	detach_both(x);
}

TEST(a_cancelled_resume_does_nothing)
{
	struct hypervisor *x = attach_both();

	pause_sampled();
	xen.pauses++; /* somebody else's */
	assert_true(ops->watch.cancel_resume(&mark));
	assert_int_equal(ops->pause.resume(sampled), -ECANCELED);
	assert_int_equal(xen.pauses, 2);
	assert_true(is_marked_now());
	assert_int_equal(ops->watch.unpause(watching), 0);
	assert_int_equal(xen.pauses, 1);
	/* The next pause is as any. */
	ops->pause.mark_at(sampled, &mark, NULL);
	pause_sampled();
	assert_int_equal(ops->pause.resume(sampled), 0);
	assert_int_equal(xen.pauses, 1);
	detach_both(x);
}

TEST(somebody_else_undoes_it)
{
	struct hypervisor *x = attach_both();

	pause_sampled();
	xen.pauses = 0;
	assert_int_equal(ops->pause.resume(sampled), -EINVAL);
	assert_false(is_marked_now());
	assert_int_equal(ops->watch.unpause(watching), -EINVAL);
	detach_both(x);
}
