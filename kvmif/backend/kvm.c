/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM, through the monitor's process: its threads are stopped by ptrace, its memory is read by process_vm_readv(), its
 * vCPUs' registers by a page that KVM shares with it (vcpu.h) or, on ARM64, by a program in the kernel (live.h).
 * Nothing is injected into the monitor, and no cooperation of its is needed.
 *
 * A sample of one vCPU is seven system calls, of two vCPUs twelve: seize and interrupt each thread, a timer, wait for
 * each and read what the scheduler has counted of it, one read of memory, detach from each; one less where all memory
 * is shared (shared.h). The kernel detaches from all threads when the recorder dies, at whatever instant, and from one
 * that does not stop when the thread that traces it ends (tracer.h).
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/array.h"
#include "kvmif/backend/kvm_guest.h"
#include "kvmif/memory/remote.h"

#define HELD_NS 100000000ull /* a guest whose monitor holds all vCPUs for so long is paused */
#define HELD_LOOK_NS 1000000 /* between two looks whether it does */
#define OTHERS_NS 100000     /* that vCPUs stand still for one that does not stop, */
#define ALONE_NS 900000      /* and that is waited for a single one: with the copy it is a pause of a millisecond */
#define SHUTDOWN_CRASH 3     /* Xen's number, as the trace has it */
/* A tracer that refuses us for so long, at so many stops in a row, is a debugger, not another recorder. */
#define REFUSED_NS 5000000000ull
#define REFUSED_STOPS 10

/* --- connection -------------------------------------------------------------------------------------------------- */

static struct hypervisor *open_kvm(char *why, size_t size)
{
	struct hypervisor *x;
	struct utsname host;

	if (access("/dev/kvm", F_OK) != 0) {
		snprintf(why, size, "this machine does not run KVM: there is no /dev/kvm");
		return NULL;
	}
	if (!machine_proc_is_ours()) {
		snprintf(why, size,
		         "/proc is not of this PID namespace: mount one that is, as unshare --mount-proc does");
		return NULL;
	}
	if (syscall(SYS_pidfd_getfd, -1, 0, 0) < 0 && errno == ENOSYS) {
		snprintf(why, size, "KVM guests need pidfd_getfd(2): Linux 5.6, and a container that allows it");
		return NULL;
	}
	x = calloc(1, sizeof(*x));
	if (!x || !(x->tracer = tracer_new())) {
		snprintf(why, size, "out of memory");
		free(x);
		return NULL;
	}
	if (uname(&host) != 0)
		host.release[0] = '\0';
	x->ops = &hypervisor_kvm;
	snprintf(x->version, sizeof(x->version), "KVM, Linux %s", host.release);
	return x;
}

static void close_kvm(struct hypervisor *x)
{
	iterator_close(x->it);
	tracer_free(x->tracer);
	host_stacks_close(x->host);
	free(x);
}

static const char *kvm_version(struct hypervisor *x)
{
	return x->version;
}

/* --- finding ----------------------------------------------------------------------------------------------------- */

static int kvm_find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	struct machine m;
	int rc = domid > INT32_MAX ? -ESRCH : machine_find((pid_t)domid, &m);

	(void)x;
	if (rc == 0)
		kvm_describe(&m, info);
	return rc;
}

struct machines {
	struct guest_info *info;
	size_t n, room;
};

static int add_machine(void *ctx, const struct machine *m)
{
	struct machines *all = ctx;
	struct guest_info info;

	kvm_describe(m, &info);
	machine_command(m->pid, info.monitor, sizeof(info.monitor));
	return array_add(all->info, all->room, all->n, info);
}

static int kvm_list(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **domains,
                    size_t *n)
{
	struct machines all = {calloc(1, sizeof(*all.info)), 0, 1};
	int rc = all.info ? tried(&x->tried, machine_each(returned, add_machine, &all), "the processes in /proc")
	                  : -ENOMEM;

	*domains = all.info;
	*n = all.n;
	if (rc != 0)
		free(all.info);
	return rc;
}

static int kvm_domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	(void)x;
	return machine_name((pid_t)domid, name, size) == 0 ? 0 : -ENOENT;
}

static int kvm_kernel(struct hypervisor *x, uint32_t domid, char *path, size_t size)
{
	(void)x;
	return machine_kernel((pid_t)domid, path, size);
}

static uint32_t kvm_own_domid(struct hypervisor *x)
{
	(void)x;
	return UINT32_MAX;
}

static enum arch_id arch(const struct guest *g)
{
	(void)g;
	return VCPU_STATE_ARCH;
}

/* --- between stops ----------------------------------------------------------------------------------------------- */

static bool is_alive(const struct guest *g)
{
	struct pollfd p = {.fd = g->pidfd, .events = POLLIN};

	return poll(&p, 1, 0) != 1; /* not -1, EINTR: the watchdog signals us */
}

/* What only the monitor's process as a whole tells; not too often. */
static void look_closely(struct guest *g)
{
	const uint64_t now = clock_now();

	if (g->closely_ns && now - g->closely_ns < HELD_NS)
		return;
	g->closely_ns = now;
	g->is_stopped = machine_is_suspended(g->machine.pid);
	g->is_dumping = machine_is_dumping(g->machine.pid);
}

/* Where every vCPU is; and whether the guest is paused, which its monitor does by holding the threads. */
static void look_at_guest(struct guest *g)
{
	const bool is_told = kvm_is_live(g) && live_look(g->live, 0, g->machine.vcpus, VCPU_TAKEN_NS) == 0;
	bool any = false, held = true, used = false;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];
		uint64_t cpu_ns = v->cpu_ns;

		if (is_told)
			kvm_set_look(g, i);
		else
			vcpu_look(v);
		if (!v->tid)
			continue;
		any = true;
		used |= v->cpu_ns != cpu_ns;
		held &= vcpu_is_held(v) && v->cpu_ns == cpu_ns;
	}
	if (!any || !held)
		g->held_ns = 0;
	else if (!g->held_ns)
		g->held_ns = clock_now();
	if (used)
		g->is_stopped = g->is_dumping = false;
	else
		look_closely(g);
}

static bool is_held(const struct guest *g)
{
	return g->held_ns && clock_now() - g->held_ns >= HELD_NS;
}

/* What its monitor has stopped for: the guest cannot go on. */
static bool has_crashed(const struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].run && vcpu_has_failed(&g->vcpus[i]))
			return true;
	return false;
}

static void tell_state(const struct guest *g, struct guest_info *info)
{
	info->paused = is_held(g) || g->is_stopped;
	info->dying = g->is_dumping;
	info->shutdown = is_held(g) && has_crashed(g);
	info->shutdown_code = info->shutdown ? SHUTDOWN_CRASH : 0;
}

/* The first time nothing is known of how long it has been held. */
static void wait_for_state(struct guest *g)
{
	look_at_guest(g);
	while (!g->was_asked && g->held_ns && !is_held(g)) {
		clock_sleep(HELD_LOOK_NS);
		look_at_guest(g);
	}
	g->was_asked = true;
}

static int kvm_info(struct guest *const *guests, size_t n, struct guest_info *info)
{
	struct guest *g = guests[0];
	bool knows_thread = false;

	if (n > 1)
		return -ENOTSUP;
	if (!is_alive(g))
		return -ESRCH;
	kvm_describe(&g->machine, info);
	info->pages = layout_size(&g->layout) >> GUEST_PAGE_SHIFT;
	wait_for_state(g);
	tell_state(g, info);
	if (g->is_watched)
		info->paused = machine_is_stopped(g->machine.pid);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		knows_thread |= g->vcpus[i].tid != 0;
		info->cpu_ns += g->vcpus[i].cpu_ns;
	}
	if (!knows_thread) /* whose threads would take stops to be found */
		info->cpu_ns = machine_cpu_ns(g->machine.pid);
	return 0;
}

static void bound_to(const struct guest *g, cpu_set_t *cpus)
{
	cpu_set_t its;

	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (vcpu_is_in(g->wanted, i) && g->vcpus[i].tid &&
		    sched_getaffinity(g->vcpus[i].tid, sizeof(its), &its) == 0 && CPU_COUNT(&its) == 1)
			CPU_OR(cpus, cpus, &its);
}

/* It sleeps until another vCPU starts it, and has not run since it was known to. */
static bool is_unstarted(const struct guest *g, uint32_t i)
{
	const struct vcpu *v = &g->vcpus[i];

	return g->layout.unstarted[i] && v->place == VCPU_HALTED && v->cpu_ns == v->looked_ns;
}

/* Is this vCPU to be sampled? One that waits for a CPU would not stop in time. */
static bool is_due(const struct guest *g, uint32_t i)
{
	const struct vcpu *v = &g->vcpus[i];

	return v->run && v->tid && vcpu_is_in(g->wanted, i) && !vcpu_is_in(g->asleep, i) && !is_unstarted(g, i) &&
	       !v->is_still && (v->on_cpu || v->place == VCPU_HALTED || (v->place == VCPU_RUNNING && kvm_is_live(g)));
}

/* This unmaps what was shared before, and pages mapped until now may be part of that. */
static void kvm_share(struct guest *g)
{
	shared_map(&g->shared, &g->layout, g->pidfd, g->machine.pid);
	g->to_share = false;
	g->moved |= g->mapped > 0;
}

/* Before Linux 6.1 a look costs the more, the more files are open on this host (iterator.h). */
static bool is_look_due(const struct guest *g)
{
	const uint64_t wait_ns = LOOK_SHARE * g->look_cost_ns;

	return clock_now() - g->slots_ns >= (wait_ns > SLOTS_NS ? wait_ns : SLOTS_NS);
}

static void kvm_prepare(struct guest *g, const uint64_t *asleep)
{
	if (kvm_is_live(g))
		kvm_check_again(g);
	memset(g->asleep, 0, sizeof(g->asleep));
	memset(g->due, 0, sizeof(g->due));
	g->is_taken = false;
	if (asleep)
		memcpy(g->asleep, asleep, (g->machine.vcpus + 63) / 64 * sizeof(*asleep));
	if (is_look_due(g))
		kvm_look_again(g);
	if (g->to_share && !kvm_has_live(g))
		kvm_share(g);
	g->mark->armed = !kvm_is_live(g);
	g->was_asked = true; /* kvm_info() is not to take its time any more */
	look_at_guest(g);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		if (!is_due(g, i))
			continue;
		g->due[i / 64] |= 1ull << i % 64;
		g->is_taken |= !kvm_is_live(g) && vcpu_is_taken(&g->vcpus[i]);
	}
	if (kvm_is_live(g))
		kvm_plan_nothing(g);
}

static void kvm_wait_until(struct guest *g, uint64_t ns)
{
	g->until_ns = ns;
}

/* --- a stop ------------------------------------------------------------------------------------------------------ */

/* Those that have not stopped in time. */
static void give_up_late(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		if (!g->vcpus[i].is_late)
			continue;
		vcpu_give_up(&g->vcpus[i]);
		tracer_give_up(g->x->tracer);
	}
}

static int release_all(struct guest *g)
{
	int result = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];
		int rc = v->held && !v->is_late ? vcpu_release(v) : 0;

		if (rc != 0 && rc != -ESRCH)
			result = tried(&g->x->tried, rc, "ptrace(PTRACE_DETACH) of thread %d", v->tid);
	}
	give_up_late(g);
	return result;
}

static void disarm_all(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].armed)
			vcpu_disarm(&g->vcpus[i]);
	g->mark->armed = 0;
}

/* What -EPERM means: another program traces the thread, or just did, or the thread is ending. */
static int refusal(struct guest *g, const struct vcpu *v)
{
	pid_t by = machine_tracer(g->machine.pid, v->tid);

	if (by < 0)
		return -ESRCH;
	if (g->refused++ == 0)
		g->refused_ns = clock_now();
	if (g->refused < REFUSED_STOPS || clock_now() - g->refused_ns < REFUSED_NS)
		return -EAGAIN;
	return by > 0 ? -EBUSY : -EPERM;
}

static int interrupt_vcpu(struct guest *g, struct vcpu *v)
{
	int rc = tried(&g->x->tried, vcpu_interrupt(v), "ptrace(PTRACE_SEIZE) of thread %d", v->tid);

	return rc == -EPERM ? refusal(g, v) : rc;
}

static int await_vcpu(struct guest *g, struct vcpu *v, uint64_t deadline_ns)
{
	int rc = vcpu_await(v, deadline_ns);

	v->is_late = rc == -EBUSY;
	return v->is_late ? 0 : tried(&g->x->tried, rc, "waitid of thread %d", v->tid);
}

static uint32_t first_preempted(const struct guest *g)
{
	uint32_t i = 0;

	while (i < g->machine.vcpus && !(vcpu_is_in(g->due, i) && g->vcpus[i].is_preempted))
		i++;
	return i;
}

/*
 * One that we took the processor from stops when it gets that back, behind whoever else waits for it. So it is waited
 * for while nothing else stands still.
 */
static int stop_preempted(struct guest *g, struct pause_span *span)
{
	const uint64_t least_ns = clock_now() + OTHERS_NS;
	uint32_t i = first_preempted(g);
	int rc;

	if (i == g->machine.vcpus)
		return 0;
	rc = interrupt_vcpu(g, &g->vcpus[i]);
	if (rc == 0)
		rc = await_vcpu(g, &g->vcpus[i], g->until_ns > least_ns ? g->until_ns : least_ns);
	span->from_ns = clock_now();
	return rc;
}

static unsigned count_traced(const struct guest *g)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		n += g->vcpus[i].held;
	return n;
}

static bool is_any_stopped(const struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].held && !g->vcpus[i].is_late)
			return true;
	return false;
}

/* Of those that run, each stands still until the last one has stopped. @rc: of what came before. */
static int stop_others(struct guest *g, int rc)
{
	const unsigned before = count_traced(g);
	uint64_t deadline_ns;

	for (uint32_t i = 0; rc == 0 && i < g->machine.vcpus; i++)
		if (vcpu_is_in(g->due, i) && !g->vcpus[i].held)
			rc = interrupt_vcpu(g, &g->vcpus[i]);
	deadline_ns = clock_now() + (count_traced(g) == 1 && !before ? ALONE_NS : OTHERS_NS);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];
		int gone = v->held && !v->was_stopped && !v->is_late ? await_vcpu(g, v, deadline_ns) : 0;

		rc = rc != 0 ? rc : gone;
	}
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].is_late)
			await_vcpu(g, &g->vcpus[i], 0);
	return rc;
}

/* A thread that is gone is no error as long as its process is there: vCPUs can be unplugged. */
static int kvm_stop(struct guest *g, struct pause_span *span)
{
	int rc;

	*span = (struct pause_span){0};
	if (g->refused_live)
		return g->refused_live;
	if (kvm_is_live(g)) {
		kvm_ask(g, span);
		return 0;
	}
	g->mark->held = 1;
	rc = stop_others(g, g->is_taken ? -EALREADY : stop_preempted(g, span));
	if (is_any_stopped(g))
		kvm_peek_stopped(g);
	disarm_all(g);
	span->until_ns = is_any_stopped(g) ? UINT64_MAX : 0;
	if (rc == 0) {
		g->refused = 0;
		return 0;
	}
	release_all(g);
	if (span->until_ns)
		span->until_ns = clock_now();
	if (rc != -ESRCH || !is_alive(g))
		return rc;
	kvm_look_again(g);
	return -EAGAIN;
}

static int kvm_run(struct guest *g, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns)
{
	int rc;

	if (kvm_is_live(g)) {
		work(ctx);
		return 0;
	}
	rc = tracer_run(g->x->tracer, work, ctx, cpu_ns);
	g->mark->held = 0;
	return rc;
}

static int kvm_copy(struct guest *g, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom)
{
	if (g->moved)
		return -ESTALE;
	return nto && kvm_is_planned(g, from) ? kvm_copy_planned(g)
	                                      : remote_read(g->machine.pid, to, nto, from, nfrom);
}

static int kvm_resume(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].is_still && !kvm_is_copied(g, i))
			vcpu_check_still(&g->vcpus[i]);
	return release_all(g);
}

static void collect_vcpu(struct guest *g, uint32_t i, struct vcpu_stop *stop)
{
	struct vcpu *v = &g->vcpus[i];

	stop->online = v->tid != 0 && v->place != VCPU_GONE && !is_unstarted(g, i);
	stop->blocked = v->place != VCPU_RUNNING;
	stop->running = v->on_cpu;
	stop->in_vmm = stop->running && (v->is_away || (v->was_stopped && !v->is_inside));
	stop->exit = stop->running ? v->exit : GUEST_EXIT_NONE;
	stop->host = stop->running ? v->host : NULL;
	/* One that sleeps has used none since it was looked at but for our stop. */
	stop->cpu_ns = stop->blocked || kvm_is_live(g) ? v->cpu_ns : vcpu_cpu_ns(v);
	vcpu_look_behind(v);
	if (!vcpu_is_in(g->asleep, i) && vcpu_is_in(g->wanted, i) && v->run)
		vcpu_registers(v, &stop->regs);
}

static void kvm_collect(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus)
{
	kvm_describe(&g->machine, before);
	tell_state(g, before);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		collect_vcpu(g, i, &vcpus[i]);
		before->cpu_ns += vcpus[i].cpu_ns;
	}
}

static void registers(struct guest *g, uint32_t vcpu, struct register_set *set)
{
	vcpu_all_registers(&g->vcpus[vcpu], set);
}

static void stop_shortly(void *guest)
{
	struct guest *g = guest;
	struct pause_span span;

	g->stopped = kvm_stop(g, &span);
	if (g->stopped == 0)
		g->stopped = kvm_resume(g);
}

static int kvm_peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	struct vcpu *v = &g->vcpus[vcpu];
	uint64_t all[MACHINE_VCPUS_MAX / 64];
	int rc;

	memset(all, 0xff, sizeof(all));
	all[vcpu / 64] &= ~(1ull << vcpu % 64);
	kvm_prepare(g, all);
	rc = kvm_stop_by(g, stop_shortly);
	if (rc == 0 && v->run)
		vcpu_registers(v, regs);
	return rc != 0 ? rc : v->run && regs->valid ? 0 : -ENODATA;
}

/* --- the watchdog's ---------------------------------------------------------------------------------------------- */

static void kvm_mark_at(struct guest *g, struct pause_mark *m, const struct stop_guard *guard)
{
	memset(m, 0, sizeof(*m));
	g->guard = guard ? *guard : (struct stop_guard){0};
	g->mark = (struct mark *)m;
}

static bool kvm_is_marked(const struct pause_mark *m, bool dead)
{
	const volatile struct mark *mark = (const volatile struct mark *)m;

	return dead ? mark->armed : mark->held;
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* For kvm_copy(): an address in the monitor or, where memory is mapped here, our own. */
static const void *page_at(const struct guest *g, uint64_t frame)
{
	uint64_t at =
		frame >> (64 - GUEST_PAGE_SHIFT) ? 0 : layout_host_address(&g->layout, frame << GUEST_PAGE_SHIFT);
	const void *here = at && !kvm_has_live(g) ? shared_page(&g->shared, g->machine.pid, at) : NULL;

	/* The program of live samples would also read a device's registers. */
	if (at && kvm_has_live(g) && !remote_is_readable(g->machine.pid, at))
		return NULL;
	return (const void *)(here ? (uintptr_t)here | REMOTE_IS_HERE : (uintptr_t)at);
}

/* Not too often, and not in the middle of a search. */
static bool can_look_again(const struct guest *g)
{
	return is_look_due(g) && !(g->search && search_is_trying(g->search));
}

static int kvm_map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	bool missing = false;

	/* Once those of before are unmapped, none is where it was. */
	if (g->mapped == 0)
		g->moved = false;
	for (int again = 0; again < 2; again++) {
		missing = false;
		for (size_t i = 0; i < n; i++) {
			pages[i] = page_at(g, frames[i]);
			missing |= !pages[i];
		}
		if (!missing || !can_look_again(g))
			break;
		kvm_look_again(g);
	}
	for (size_t i = 0; i < n; i++)
		g->mapped += pages[i] != NULL;
	return 0;
}

static void kvm_unmap(struct guest *g, const void *page)
{
	(void)page;
	g->mapped--;
}

/* The next look attaches to the vCPUs that are there then. */
static void let_go(struct guest *g)
{
	shared_unmap(&g->shared);
	g->to_share = true;
	g->slots_ns = 0;
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		vcpu_detach(&g->vcpus[i]);
}

const struct hypervisor_ops hypervisor_kvm = {
	.name = "ptrace",
	.prefix = "kvm",
	.capabilities = 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH,
	.live_capabilities = 1ull << CAP_BPF | 1ull << CAP_PERFMON,
	.host = {.open = open_kvm,
                 .close = close_kvm,
                 .version = kvm_version,
                 .find = kvm_find,
                 .list = kvm_list,
                 .sample_live = kvm_sample_live,
                 .record_host = kvm_record_host,
                 .domain_name = kvm_domain_name,
                 .kernel = kvm_kernel,
                 .own_domid = kvm_own_domid,
                 .explain = kvm_explain},
	.guest = {.attach = kvm_attach,
                  .settle = kvm_settle,
                  .detach = kvm_detach,
                  .arch = arch,
                  .is_live = kvm_is_live,
                  .stop_instead = kvm_stop_instead,
                  .bound_to = bound_to,
                  .info = kvm_info},
	.pause = {.mark_at = kvm_mark_at,
                  .prepare = kvm_prepare,
                  .wait_until = kvm_wait_until,
                  .run = kvm_run,
                  .peek = kvm_peek,
                  .stop = kvm_stop,
                  .collect = kvm_collect,
                  .registers = registers,
                  .resume = kvm_resume},
	.memory = {.map = kvm_map, .unmap = kvm_unmap, .copy = kvm_copy, .plan = kvm_plan, .let_go = let_go},
	.watch = {.ends_with_recorder = true, .is_marked = kvm_is_marked, .clean_up = kvm_clean_up},
};
