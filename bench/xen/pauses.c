/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pauses.c - what the recorder's pause is measured against, for bench/pause. Runs in the lab's dom0.
 *
 *   pauses floor DOMAIN ROUNDS     the recorder's own two calls, and no stack at all between them
 *   pauses uniprof DOMAIN ROUNDS   what uniprof 1.2 does by libxencall: pause, for each vCPU its context and a walk by
 *                                  frame pointers that prints each frame, unpause; guest pages stay mapped
 *
 * Prints the median time from before the call that pauses to after the one that resumes, in ns, and the frames of the
 * last round.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xenif/abi.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <xencall.h>
#include <xenforeignmemory.h>

#include "common/clock.h"
#include "record/sampling/target.h"

#define ROUNDS_MAX 10000
#define PAGES_MAX 64

static const struct hypervisor_ops *const ops = &hypervisor_backend;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* --- the floor --------------------------------------------------------------------------------------------------- */

static uint64_t floor_round(struct guest *g)
{
	uint64_t start;

	ops->pause.prepare(g, NULL);
	start = clock_now();
	if (ops->pause.stop(g, &(struct pause_span){0}) != 0 || ops->pause.resume(g) != 0)
		fail("stop");
	return clock_now() - start;
}

/* --- uniprof 1.2's sequence -------------------------------------------------------------------------------------- */

struct uniprof {
	xencall_handle *call;
	xenforeignmemory_handle *memory;
	struct xen_domctl *op;
	vcpu_guest_context_t *context;
	uint32_t domid, vcpus, frames;
	struct {
		uint64_t address;
		const uint8_t *bytes;
	} pages[PAGES_MAX]; /* by virtual address */
	size_t npages;
	FILE *out;
};

static void domctl(struct uniprof *u, uint32_t cmd)
{
	u->op->cmd = cmd;
	u->op->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
	u->op->domain = (domid_t)u->domid;
	if (xencall1(u->call, __HYPERVISOR_domctl, (uintptr_t)u->op) < 0)
		fail("domctl");
}

static const uint8_t *map_frame(struct uniprof *u, uint64_t frame)
{
	xen_pfn_t pfn = frame;
	int error = 0;
	void *page = xenforeignmemory_map(u->memory, u->domid, PROT_READ, 1, &pfn, &error);

	if (!page || error)
		fail("map");
	return page;
}

/* Walks the page tables once for each page, then keeps it mapped. */
static const uint8_t *at(struct uniprof *u, uint64_t address)
{
	uint64_t page = address & ~4095ull, frame = xen_cr3_to_pfn(u->context->ctrlreg[3]);

	for (size_t i = 0; i < u->npages; i++)
		if (u->pages[i].address == page)
			return u->pages[i].bytes + (address & 4095);
	for (int shift = 39; shift >= 12; shift -= 9) {
		const uint8_t *table = map_frame(u, frame);
		uint64_t entry;

		memcpy(&entry, table + (address >> shift & 511) * 8, 8);
		xenforeignmemory_unmap(u->memory, (void *)(uintptr_t)table, 1);
		frame = (entry & 0x000ffffffffff000ull) >> 12;
	}
	if (u->npages == PAGES_MAX)
		fail("pages");
	u->pages[u->npages].address = page;
	u->pages[u->npages].bytes = map_frame(u, frame);
	return u->pages[u->npages++].bytes + (address & 4095);
}

static void walk(struct uniprof *u, uint32_t vcpu)
{
	uint64_t fp, address;

	u->op->u.vcpucontext.vcpu = vcpu;
	set_xen_guest_handle(u->op->u.vcpucontext.ctxt, u->context);
	domctl(u, XEN_DOMCTL_getvcpucontext);
	address = u->context->user_regs.rip;
	for (fp = u->context->user_regs.rbp; fp != 0; u->frames++) {
		const uint8_t *frame = at(u, fp), *caller;

		fprintf(u->out, "%#llx\n", (unsigned long long)address);
		caller = (fp & ~4095ull) == ((fp + 8) & ~4095ull) ? frame + 8 : at(u, fp + 8);
		memcpy(&fp, frame, 8);
		memcpy(&address, caller, 8);
	}
	fprintf(u->out, "1\n\n");
}

static uint64_t uniprof_round(struct uniprof *u)
{
	uint64_t start;

	u->frames = 0;
	memset(u->op, 0, sizeof(*u->op));
	start = clock_now();
	domctl(u, XEN_DOMCTL_pausedomain);
	for (uint32_t v = 0; v < u->vcpus; v++)
		walk(u, v);
	domctl(u, XEN_DOMCTL_unpausedomain);
	return clock_now() - start;
}

static struct uniprof uniprof_open(const struct guest_info *info)
{
	struct uniprof u = {.call = xencall_open(NULL, 0), .domid = info->domid, .vcpus = info->vcpus};

	u.memory = u.call ? xenforeignmemory_open(NULL, 0) : NULL;
	u.op = u.memory ? xencall_alloc_buffer(u.call, sizeof(*u.op)) : NULL;
	u.context = u.op ? xencall_alloc_buffer(u.call, sizeof(*u.context)) : NULL;
	u.out = fopen("/dev/null", "w");
	if (!u.context || !u.out)
		fail("open");
	return u;
}

/* ----------------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static uint64_t times[ROUNDS_MAX];
	int rounds = argc == 4 ? atoi(argv[3]) : 0;
	bool floor = rounds > 0 && strcmp(argv[1], "floor") == 0;
	struct uniprof u = {.frames = 0};
	struct guest *g = NULL;
	struct guest_info info;
	char why[1024] = "";
	struct hypervisor *x = ops->host.open(why, sizeof(why));

	if (rounds < 1 || rounds > ROUNDS_MAX || (!floor && strcmp(argv[1], "uniprof") != 0)) {
		fprintf(stderr, "Usage: pauses floor|uniprof DOMAIN ROUNDS\n");
		return 2;
	}
	if (!x || target_find(ops, x, argv[2], &info) != 0)
		fail(*why ? why : argv[2]);
	if (floor)
		g = ops->guest.attach(x, &info, NULL, ATTACH_TO_SAMPLE);
	else
		u = uniprof_open(&info);
	if (floor && !g)
		fail("attach");
	for (int i = 0; i < rounds; i++) {
		sigset_t none;

		times[i] = floor ? floor_round(g) : uniprof_round(&u);
		sigemptyset(&none);
		clock_wait(clock_now() + 5000000, &none);
	}
	qsort(times, (size_t)rounds, sizeof(*times), compare);
	printf("%llu %u\n", (unsigned long long)times[rounds / 2], u.frames);
	return 0;
}
