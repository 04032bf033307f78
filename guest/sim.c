/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/arch.h"

struct hypervisor {
	int unused;
};

struct guest {
	struct sim_domain *d;
	struct pause_mark own, *mark;
	/* of the last stop: */
	uint64_t asleep;
	struct guest_info before;
	struct vcpu_stop vcpu[SIM_VCPUS];
};

static struct hypervisor the_host;
static struct sim_domain *world;
static size_t world_size;

/* --- memory ------------------------------------------------------------------------------------------------------ */

static uint64_t new_frame(struct sim_domain *d)
{
	if (!d->memory)
		d->memory = calloc(SIM_FRAMES, sizeof(*d->memory));
	if (!d->memory || d->used + 1 >= SIM_FRAMES)
		abort();
	return ++d->used;
}

uint64_t sim_space(struct sim_domain *d)
{
	return new_frame(d);
}

uint64_t sim_page(struct sim_domain *d, uint64_t root, uint64_t address)
{
	uint64_t frame = root;

	for (int shift = 39; shift >= 12; shift -= 9) {
		uint8_t *at = d->memory[frame] + (address >> shift & 0x1ff) * 8;
		uint64_t entry;

		memcpy(&entry, at, sizeof(entry));
		if (!(entry & 1)) {
			/* Present, and the software and NX bits that Linux leaves in real entries. */
			entry = new_frame(d) << GUEST_PAGE_SHIFT | 0x8000000000000067ull | 1ull << 58;
			memcpy(at, &entry, sizeof(entry));
		}
		frame = (entry & 0x000ffffffffff000ull) >> GUEST_PAGE_SHIFT;
	}
	return frame;
}

void sim_poke(struct sim_domain *d, uint64_t root, uint64_t address, uint64_t word)
{
	memcpy(d->memory[sim_page(d, root, address)] + address % GUEST_PAGE_SIZE, &word, sizeof(word));
}

void sim_stack(struct sim_domain *d, uint64_t root, uint64_t fp, const uint64_t *returns, size_t n)
{
	for (size_t i = 0; i < n; i++, fp += 32) {
		sim_poke(d, root, fp, i + 1 < n ? fp + 32 : 0);
		sim_poke(d, root, fp + 8, returns[i]);
	}
}

void sim_free(struct sim_domain *d)
{
	free(d->memory);
	d->memory = NULL;
	d->used = 0;
}

/* --- the default world, for tests of the command line ------------------------------------------------------------ */

/* "busy" alternates between two callees of one function: 2 rounds in 3 in the first. */
static void busy_tick(struct sim_domain *d, void *ctx)
{
	uint64_t n = d->stops;

	(void)ctx;
	d->vcpu[0].regs.ip = n % 3 ? 0x1000 + n % 16 : 0x2000 + n % 16;
	d->vcpu[0].cpu_ns += 1000000;
	d->info.cpu_ns += 1000000;
}

static void furnish(struct sim_domain *d, uint32_t domid, const char *name, uint32_t vcpus)
{
	static const uint64_t returns[] = {0x3010, 0x4020, 0x5030};
	uint64_t root = sim_space(d);

	d->name = name;
	d->info = (struct guest_info){.domid = domid, .vcpus = vcpus, .cpu_ns = 5000000};
	d->info.uuid[0] = (uint8_t)domid;
	d->info.uuid[15] = 0xaa;
	for (uint32_t v = 0; v < vcpus; v++) {
		uint64_t fp = 0x7ff000000000ull + v * 0x10000 + 0xfc0;

		sim_stack(d, root, fp, returns, 3);
		d->vcpu[v] = (struct vcpu_stop){
			.regs = {.ip = 0x2800,
		                 .sp = fp - 32,
		                 .fp = fp,
		                 .root = root,
		                 .valid = true,
		                 .all = {[6] = fp, [7] = fp - 32}},
			.online = true,
			.blocked = true,
		};
	}
	d->vcpu[0].cpu_ns = d->info.cpu_ns;
}

static void default_world(void)
{
	static struct sim_domain domains[7];

	if (domains[0].name)
		return;
	furnish(&domains[0], 0, "Domain-0", 1);
	furnish(&domains[1], 1, "busy", 2);
	domains[1].vcpu[0].blocked = false;
	domains[1].vcpu[0].running = true;
	domains[1].tick = busy_tick;
	furnish(&domains[2], 2, "idle", 1);
	furnish(&domains[3], 3, "paused", 1);
	domains[3].info.paused = true;
	furnish(&domains[4], 4, "hvm", 1);
	domains[4].info.hvm = true;
	furnish(&domains[5], 5, "twins", 1);
	furnish(&domains[6], 6, "twins", 1);
	sim_world(domains, 7);
}

void sim_world(struct sim_domain *domains, size_t n)
{
	world = domains;
	world_size = n;
}

/* --- the interface ----------------------------------------------------------------------------------------------- */

/* While a guest of ours stands still, nothing but its resume may be asked. */
static void call_outside_pause(void)
{
	for (size_t i = 0; i < world_size; i++)
		world[i].broken += world[i].our_pauses;
}

static struct hypervisor *open_sim(char *why, size_t size)
{
	if (getenv("UNIPROF_SIM_NO_XEN")) {
		snprintf(
			why, size,
			"this machine does not run on Xen: record in dom0 of a Xen host; uniprof-report works anywhere");
		return NULL;
	}
	if (!world)
		default_world();
	return &the_host;
}

static void close_sim(struct hypervisor *x)
{
	(void)x;
}

static const char *version(struct hypervisor *x)
{
	(void)x;
	return "Xen 4.17-simulated, domctl 0x15";
}

static int next(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	(void)x;
	call_outside_pause();
	for (size_t i = 0; i < world_size; i++)
		if (world[i].info.domid >= domid) {
			*info = world[i].info;
			return 0;
		}
	return -ESRCH;
}

static struct sim_domain *find(uint32_t domid)
{
	for (size_t i = 0; i < world_size; i++)
		if (world[i].info.domid == domid)
			return &world[i];
	return NULL;
}

static int domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	const struct sim_domain *d = find(domid);

	(void)x;
	if (!d || !d->name)
		return -ENOENT;
	snprintf(name, size, "%s", d->name);
	return 0;
}

static uint32_t own_domid(struct hypervisor *x)
{
	(void)x;
	return 0;
}

static struct guest *attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted)
{
	struct guest *g;

	(void)x, (void)wanted;
	if (info->hvm) {
		errno = ENOTSUP;
		return NULL;
	}
	g = calloc(1, sizeof(*g));
	if (g) {
		g->d = find(info->domid);
		g->mark = &g->own;
	}
	return g;
}

static void detach(struct guest *g)
{
	free(g);
}

static const struct arch *guest_arch(const struct guest *g)
{
	(void)g;
	return &arch_x86_64_pv;
}

static int info(struct guest *g, struct guest_info *info)
{
	call_outside_pause();
	g->d->infos++;
	*info = g->d->info;
	return 0;
}

static void prepare(struct guest *g, const uint64_t *asleep)
{
	call_outside_pause();
	g->asleep = asleep ? asleep[0] : 0;
}

static int stop(struct guest *g)
{
	struct sim_domain *d = g->d;

	call_outside_pause();
	if (d->stop_error)
		return d->stop_error;
	d->stops++;
	if (d->tick)
		d->tick(d, d->ctx);
	d->our_pauses++;
	g->mark->words[0] = 1;
	g->before = d->info;
	memcpy(g->vcpu, d->vcpu, sizeof(g->vcpu));
	return 0;
}

static void collect(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus)
{
	*before = g->before;
	for (uint32_t v = 0; v < g->before.vcpus; v++) {
		const struct vcpu_regs kept = vcpus[v].regs;
		bool asleep = g->asleep >> v & 1;

		vcpus[v] = g->vcpu[v];
		if (asleep)
			vcpus[v].regs = kept;
		else
			g->d->contexts++;
	}
}

static int resume(struct guest *g)
{
	struct sim_domain *d = g->d;

	d->resumes++;
	d->broken += d->our_pauses != 1;
	d->our_pauses = 0;
	g->mark->words[0] = 0;
	if (!d->steal_pause)
		return 0;
	d->steal_pause = false;
	return -EINVAL;
}

static void mark_at(struct guest *g, struct pause_mark *m)
{
	memset(m, 0, sizeof(*m));
	g->mark = m;
}

static bool is_marked(const struct pause_mark *m)
{
	return m->words[0];
}

static int peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	call_outside_pause();
	*regs = g->d->vcpu[vcpu].regs;
	return 0;
}

static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	struct sim_domain *d = g->d;

	call_outside_pause();
	d->maps++;
	for (size_t i = 0; i < n; i++) {
		bool there = frames[i] > 0 && frames[i] <= d->used && frames[i] != d->refused;

		pages[i] = there ? d->memory[frames[i]] : NULL;
		d->mapped += there;
	}
	return 0;
}

static void unmap(struct guest *g, const void *page)
{
	(void)page;
	call_outside_pause();
	g->d->unmaps++;
	g->d->mapped--;
}

const struct hypervisor_ops hypervisor_backend = {
	.name = "simulation",
	.open = open_sim,
	.close = close_sim,
	.version = version,
	.next = next,
	.domain_name = domain_name,
	.own_domid = own_domid,
	.attach = attach,
	.detach = detach,
	.arch = guest_arch,
	.info = info,
	.prepare = prepare,
	.stop = stop,
	.collect = collect,
	.resume = resume,
	.mark_at = mark_at,
	.is_marked = is_marked,
	.peek = peek,
	.map = map,
	.unmap = unmap,
};
