/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/sim.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/registers.h"
#include "guest/x86.h"
#include "tests/sim/clock.h"

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
	bool uncollected;
};

static struct hypervisor the_host;
static struct sim_domain *world;
static size_t world_size;

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Shared with processes forked later. */
static void *zeroed(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static uint64_t new_frame(struct sim_domain *d)
{
	if (!d->memory)
		d->memory = zeroed(SIM_FRAMES * sizeof(*d->memory));
	if (d->used + 1 >= SIM_FRAMES)
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
	if (d->memory)
		munmap(d->memory, SIM_FRAMES * sizeof(*d->memory));
	d->memory = NULL;
	d->used = 0;
}

/* --- the default world, for tests of the command line ------------------------------------------------------------ */

static bool is_simulated_time(void)
{
	return sim_clock_is_on && sim_clock_is_on();
}

/* "busy" alternates between two callees of one function: 2 rounds in 3 in the first. */
static void busy_tick(struct sim_domain *d, void *ctx)
{
	uint64_t n = d->stops, ns = is_simulated_time() ? 0 : 1000000;

	(void)ctx;
	d->vcpu[0].regs.ip = n % 3 ? 0x1000 + n % 16 : 0x2000 + n % 16;
	d->vcpu[0].cpu_ns += ns;
	d->info.cpu_ns += ns;
}

static void furnish(struct sim_domain *d, uint32_t domid, const char *name, uint32_t vcpus)
{
	static const uint64_t returns[] = {0x3010, 0x4020, 0x5030};

	d->name = name;
	d->info = (struct guest_info){.domid = domid, .vcpus = vcpus, .cpu_ns = 5000000, .kind = GUEST_PV};
	d->info.uuid[0] = (uint8_t)domid;
	d->info.uuid[15] = 0xaa;
	for (uint32_t v = 0; v < vcpus; v++) {
		uint64_t fp = 0x7ff000000000ull + v * 0x10000 + 0xfc0, root = sim_space(d);

		sim_stack(d, root, fp, returns, 3);
		d->vcpu[v] = (struct vcpu_stop){
			.regs = {.ip = 0x2800,
		                 .sp = fp - 32,
		                 .fp = fp,
		                 .root.cr3 = root << GUEST_PAGE_SHIFT,
		                 .valid = true,
		                 .all = {[6] = fp, [7] = fp - 32}},
			.online = true,
			.blocked = true,
		};
	}
	d->vcpu[0].cpu_ns = d->info.cpu_ns;
}

/* Each of eight vCPUs in a thousand functions, one after the other. */
static void eight_tick(struct sim_domain *d, void *ctx)
{
	(void)ctx;
	for (uint32_t v = 0; v < d->info.vcpus; v++) {
		d->vcpu[v].regs.ip = 0x100000 + (d->stops + v) % 1000 * 64;
		d->vcpu[v].cpu_ns += 1000000;
		d->info.cpu_ns += 1000000;
	}
}

static void make_eight(struct sim_domain *d)
{
	furnish(d, 12, "eight", 8);
	for (uint32_t v = 0; v < d->info.vcpus; v++) {
		d->vcpu[v].blocked = false;
		d->vcpu[v].running = true;
	}
	d->tick = eight_tick;
}

/* UNIPROF_SIM_RESET=N: from the Nth stop on its kernel lies elsewhere; for ten stops before it has none. */
static void reset_tick(struct sim_domain *d, void *ctx)
{
	const unsigned long at = strtoul(ctx, NULL, 10);

	if (d->stops + 10 == at)
		d->vcpu[0].regs.first_handler = 0;
	else if (d->stops == at)
		d->vcpu[0].regs.first_handler = 0xffffffff9a800b20;
}

/* Compiled without frame pointers: a number in the register, return addresses between the words of its stack. */
static void make_frameless(struct sim_domain *d)
{
	struct vcpu_regs *regs = &d->vcpu[0].regs;

	d->vcpu[0].blocked = false;
	d->vcpu[0].running = true;
	for (uint64_t at = regs->sp; at % GUEST_PAGE_SIZE; at += 8)
		sim_poke(d, regs->root.cr3 >> GUEST_PAGE_SHIFT, at, at % 24 ? at * 3 : 0x3000 + at / 24 % 0x1000);
	regs->fp = regs->all[6] = 77;
	regs->first_handler = 0xffffffff81800b20;
}

/* A build-id, of 0x11 bytes. */
static void put_note(struct sim_domain *d, uint64_t address)
{
	static const uint64_t note[] = {0x1400000004, 0x00554e4700000003, 0x1111111111111111, 0x1111111111111111,
	                                0x11111111};

	for (size_t i = 0; i < sizeof(note) / sizeof(note[0]); i++)
		sim_poke(d, d->vcpu[0].regs.root.cr3 >> GUEST_PAGE_SHIFT, address + 8 * i, note[i]);
}

static void default_world(void)
{
	const char *freeze = getenv("UNIPROF_SIM_FREEZE"), *idle = getenv("UNIPROF_SIM_IDLE");
	const char *born = getenv("UNIPROF_SIM_BORN"), *crashed = getenv("UNIPROF_SIM_CRASHED");
	size_t n = 9, more = idle ? strtoul(idle, NULL, 10) : 0;
	struct sim_domain *domains = zeroed((n + 5 + more) * sizeof(*domains));

	furnish(&domains[0], 0, "Domain-0", 1);
	furnish(&domains[1], 1, "busy", 2);
	domains[1].vcpu[0].blocked = false;
	domains[1].vcpu[0].running = true;
	domains[1].tick = busy_tick;
	domains[1].run_ns = domains[1].period_ns = 1000000;
	put_note(&domains[1], 0x2e00);
	domains[1].freeze = freeze ? strtoul(freeze, NULL, 10) : 0;
	furnish(&domains[2], 2, "idle", 1);
	domains[2].absent_until = getenv("UNIPROF_SIM_ALIVE");
	furnish(&domains[3], 3, "paused", 1);
	domains[3].info.paused = true;
	furnish(&domains[4], 4, "hvm", 1);
	domains[4].info.kind = GUEST_HVM;
	furnish(&domains[5], 5, "twins", 1);
	furnish(&domains[6], 6, "twins", 1);
	furnish(&domains[7], 7, "frameless", 1);
	make_frameless(&domains[7]);
	domains[7].ctx = getenv("UNIPROF_SIM_RESET");
	domains[7].tick = domains[7].ctx ? reset_tick : NULL;
	furnish(&domains[8], 8, "refused", 1);
	domains[8].unsupported = true;
	if (born) {
		furnish(&domains[n], 9, "born", 1);
		domains[n].vcpu[0].blocked = false;
		domains[n].vcpu[0].running = true;
		domains[n].foreign_pauses = 1;
		domains[n++].absent_until = born;
	}
	if (crashed) {
		furnish(&domains[n], 10, "crashed", 1);
		domains[n].info.shutdown = true;
		domains[n++].info.shutdown_code = 3;
	}
	if (getenv("UNIPROF_SIM_WIDE"))
		furnish(&domains[n++], 11, "wide", SIM_VCPUS);
	if (getenv("UNIPROF_SIM_EIGHT"))
		make_eight(&domains[n++]);
	if (getenv("UNIPROF_SIM_PULSE")) {
		furnish(&domains[n], 13, "pulse", 1);
		domains[n].run_ns = 30000000;
		domains[n++].period_ns = 100000000;
	}
	for (uint32_t i = 0; i < more; i++)
		furnish(&domains[n + i], 101 + i, NULL, 1);
	sim_world(domains, n + more);
}

struct hypervisor *sim_world(struct sim_domain *domains, size_t n)
{
	world = domains;
	world_size = n;
	return &the_host;
}

struct guest *sim_guest(struct sim_domain *d)
{
	d->info = (struct guest_info){.domid = 1, .vcpus = 1};
	return hypervisor_backend.guest.attach(sim_world(d, 1), &d->info, NULL, ATTACH_TO_SAMPLE);
}

/* --- the interface ----------------------------------------------------------------------------------------------- */

/* While we hold a guest paused, nothing but its resume may be called; other threads have no part in that. */
static _Thread_local const struct sim_domain *held;

static void call_outside_pause(void)
{
	if (held)
		atomic_fetch_add(&((struct sim_domain *)held)->broken, 1);
}

static bool is_paused(const struct sim_domain *d)
{
	return d->info.paused || d->our_pauses + d->foreign_pauses > 0;
}

static bool exists(const struct sim_domain *d)
{
	return !d->absent_until || access(d->absent_until, F_OK) == 0;
}

/* The part of a call that takes so long as the environment says. Of several numbers each call has the next one. */
static void spend(const char *variable, unsigned long call)
{
	const char *at = sim_clock_spend ? getenv(variable) : NULL;
	unsigned long n = 1;

	if (!at)
		return;
	for (const char *c = at; *c; c++)
		n += *c == ',';
	for (call %= n; call > 0; call--)
		at = strchr(at, ',') + 1;
	sim_clock_spend(strtoull(at, NULL, 10));
}

/* How long the first vCPU has run by @ns, had nobody paused it. */
static uint64_t running_by(const struct sim_domain *d, uint64_t ns)
{
	uint64_t part = ns % d->period_ns;

	return ns / d->period_ns * d->run_ns + (part < d->run_ns ? part : d->run_ns);
}

/* CPU time and run state are those of now. Call it before a pause begins and when it ends, too. */
static void follow_clock(struct sim_domain *d)
{
	const uint64_t now = clock_now(), since = d->followed_ns;

	if (!d->period_ns || !is_simulated_time())
		return;
	d->followed_ns = now;
	d->vcpu[0].running = now % d->period_ns < d->run_ns;
	d->vcpu[0].blocked = !d->vcpu[0].running;
	if (!since || is_paused(d))
		return;
	d->vcpu[0].cpu_ns += running_by(d, now) - running_by(d, since);
	d->info.cpu_ns = d->vcpu[0].cpu_ns;
}

static void describe(struct sim_domain *d, struct guest_info *info)
{
	follow_clock(d);
	*info = d->info;
	info->paused = is_paused(d);
}

static struct hypervisor *open_sim(char *why, size_t size)
{
	if (getenv("UNIPROF_SIM_NO_XEN")) {
		snprintf(why, size,
		         "this machine does not run on Xen: record in dom0 of a Xen host; "
		         "uniprof-report works anywhere");
		return NULL;
	}
	clock_now(); /* a simulated clock knows this thread from here on */
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

static struct sim_domain *domain_of(uint32_t domid)
{
	for (size_t i = 0; i < world_size; i++)
		if (world[i].info.domid == domid && exists(&world[i]))
			return &world[i];
	return NULL;
}

static int find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	struct sim_domain *d = domain_of(domid);

	(void)x;
	call_outside_pause();
	if (!d)
		return -ESRCH;
	describe(d, info);
	return 0;
}

static int list(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **domains, size_t *n)
{
	(void)x, (void)returned;
	call_outside_pause();
	*domains = calloc(world_size + 1, sizeof(**domains));
	if (!*domains)
		return -ENOMEM;
	*n = 0;
	for (size_t i = 0; i < world_size; i++) {
		if (!exists(&world[i]))
			continue;
		describe(&world[i], &(*domains)[(*n)++]);
	}
	return 0;
}

static int domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	const struct sim_domain *d = domain_of(domid);

	(void)x;
	if (!d || !d->name)
		return -ENOENT;
	snprintf(name, size, "%s", d->name);
	return 0;
}

/* Of "busy", the file that the tests name. */
static int domain_kernel(struct hypervisor *x, uint32_t domid, char *path, size_t size)
{
	const char *kernel = getenv("UNIPROF_SIM_KERNEL");

	(void)x;
	return kernel && domid == 1 && snprintf(path, size, "%s", kernel) < (int)size ? 0 : -ENOENT;
}

static uint32_t own_domid(struct hypervisor *x)
{
	(void)x;
	return 0;
}

static struct guest *attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                            enum attach_purpose purpose)
{
	struct sim_domain *d = domain_of(info->domid);
	struct guest *g;

	(void)x, (void)wanted, (void)purpose;
	if (d->unsupported) {
		errno = ENOTSUP;
		return NULL;
	}
	g = calloc(1, sizeof(*g));
	if (g) {
		g->d = d;
		g->mark = &g->own;
	}
	return g;
}

static void detach(struct guest *g)
{
	free(g);
}

static enum arch_id guest_arch(const struct guest *g)
{
	(void)g;
	return ARCH_X86_64;
}

static int info(struct guest *const *guests, size_t n, struct guest_info *infos)
{
	call_outside_pause();
	guests[0]->d->batches += n > 1;
	guests[0]->d->infos += n == 1;
	spend("UNIPROF_SIM_ASK_NS", 0);
	for (size_t i = 0; i < n; i++) {
		describe(guests[i]->d, &infos[i]);
		if (!exists(guests[i]->d))
			infos[i].domid = UINT32_MAX;
	}
	return n == 1 && !exists(guests[0]->d) ? -ESRCH : 0;
}

/* Values of the mark's first word. A compare-and-swap stands for what the hypervisor does in one call. */
enum { NOT_PAUSED, PAUSED, CANCELLED };

static _Atomic uint64_t *mark_of(const struct pause_mark *m)
{
	return (_Atomic uint64_t *)(uintptr_t)&m->words[0];
}

static void prepare(struct guest *g, const uint64_t *asleep)
{
	call_outside_pause();
	g->asleep = asleep ? asleep[0] : 0;
}

static int stop(struct guest *g, struct pause_span *span)
{
	struct sim_domain *d = g->d;

	call_outside_pause();
	*span = (struct pause_span){0};
	if (!exists(d))
		return -ESRCH;
	if (d->stop_error < 0) {
		span->until_ns = clock_now() + d->held_ns;
		return d->stop_error;
	}
	spend("UNIPROF_SIM_STOP_NS", 0);
	span->until_ns = UINT64_MAX;
	d->stops++;
	follow_clock(d);
	if (d->tick)
		d->tick(d, d->ctx);
	g->uncollected = true;
	g->before = d->info;
	g->before.paused = is_paused(d);
	atomic_fetch_add(&d->our_pauses, 1);
	atomic_store(mark_of(g->mark), PAUSED);
	held = d;
	if (d->stops == d->freeze)
		raise(SIGSTOP);
	spend("UNIPROF_SIM_READ_NS", d->stops - 1);
	if (d->stop_error == 0)
		memcpy(g->vcpu, d->vcpu, sizeof(g->vcpu));
	return d->stop_error;
}

/* Takes one off, as the hypervisor does: it cannot tell whose it is. */
static int unpause(struct guest *g)
{
	struct sim_domain *d = g->d;
	unsigned ours = atomic_load(&d->our_pauses);

	while (ours > 0)
		if (atomic_compare_exchange_weak(&d->our_pauses, &ours, ours - 1))
			return 0;
	if (atomic_load(&d->foreign_pauses) == 0)
		return -EINVAL;
	atomic_fetch_sub(&d->foreign_pauses, 1);
	atomic_fetch_add(&d->broken, 1);
	return 0;
}

/* A test names a mode only if it is about modes. */
static struct vcpu_regs with_mode(struct vcpu_regs regs)
{
	if (!regs.arch)
		regs.arch = &arch_x86_64_pv;
	return regs;
}

static void collect(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus)
{
	g->uncollected = false;
	*before = g->before;
	for (uint32_t v = 0; v < g->before.vcpus; v++) {
		const struct vcpu_regs kept = vcpus[v].regs;
		bool asleep = g->asleep >> v & 1;

		vcpus[v] = g->vcpu[v];
		vcpus[v].regs = asleep ? kept : with_mode(vcpus[v].regs);
		g->d->contexts += !asleep;
	}
}

/* Of a kernel that handles interrupts. */
static void registers(struct guest *g, uint32_t vcpu, struct register_set *set)
{
	const struct vcpu_regs *regs = &g->vcpu[vcpu].regs;

	upf_registers_add(set, REGISTER_RIP, regs->ip);
	upf_registers_add(set, REGISTER_RFLAGS, 0x246);
	upf_registers_add(set, REGISTER_CS, regs->user ? 0x33 : 0x10);
	upf_registers_add(set, REGISTER_SS, regs->user ? 0x2b : 0x18);
	upf_registers_add(set, REGISTER_GS_BASE, 0xffff888000000000 + vcpu * 0x10000);
	upf_registers_add(set, REGISTER_CR0, 0x80050033);
	upf_registers_add(set, REGISTER_CR0 + 2, 0);
	upf_registers_add(set, REGISTER_CR0 + 3, regs->root.cr3);
	upf_registers_add(set, REGISTER_CR0 + 4, 0x6f0);
	upf_registers_add(set, REGISTER_EFER, 0xd01);
}

static int resume(struct guest *g)
{
	struct sim_domain *d = g->d;
	uint64_t paused = PAUSED;

	d->resumes++;
	held = NULL;
	if (d->on_resume)
		d->on_resume(d, d->ctx);
	spend("UNIPROF_SIM_RESUME_NS", 0);
	follow_clock(d);
	if (!atomic_compare_exchange_strong(mark_of(g->mark), &paused, NOT_PAUSED))
		return -ECANCELED;
	if (d->steal_pause) {
		d->steal_pause = false;
		d->our_pauses = 0;
		return -EINVAL;
	}
	return unpause(g);
}

static void mark_at(struct guest *g, struct pause_mark *m, const struct stop_guard *guard)
{
	(void)guard;
	g->d->broken += g->uncollected;
	memset(m, 0, sizeof(*m));
	g->mark = m;
	held = NULL;
}

static bool is_marked(const struct pause_mark *m, bool dead)
{
	(void)dead;
	return atomic_load(mark_of(m)) != NOT_PAUSED;
}

static bool cancel_resume(struct pause_mark *m)
{
	uint64_t paused = PAUSED;

	atomic_compare_exchange_strong(mark_of(m), &paused, CANCELLED);
	return true;
}

static int peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	call_outside_pause();
	*regs = with_mode(g->d->vcpu[vcpu].regs);
	return 0;
}

static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	struct sim_domain *d = g->d;

	call_outside_pause();
	d->maps++;
	for (size_t i = 0; i < n; i++) {
		uint64_t frame = frames[i] && frames[i] == d->moved ? d->moved_to : frames[i];
		bool there = frame > 0 && frame <= d->used && frame != d->refused;

		pages[i] = there ? d->memory[frame] : NULL;
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
	.prefix = "sim",
	.host = {.open = open_sim,
                 .close = close_sim,
                 .version = version,
                 .find = find,
                 .list = list,
                 .domain_name = domain_name,
                 .kernel = domain_kernel,
                 .own_domid = own_domid,
                 .explain = hook_explain},
	.guest = {.attach = attach, .settle = hook_settle, .detach = detach, .arch = guest_arch, .info = info},
	.pause = {.mark_at = mark_at,
                  .prepare = prepare,
                  .run = hook_run,
                  .peek = peek,
                  .stop = stop,
                  .collect = collect,
                  .registers = registers,
                  .resume = resume},
	.memory = {.map = map, .unmap = unmap, .let_go = hook_let_go},
	.watch = {.is_marked = is_marked, .cancel_resume = cancel_resume, .unpause = unpause},
};

const struct hypervisor_ops *const hypervisors[] = {&hypervisor_backend, NULL};
