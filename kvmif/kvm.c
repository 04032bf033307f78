/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM on x86, through the monitor's process: its threads are stopped by ptrace, its memory is read by
 * process_vm_readv(), its vCPUs' registers by a page that KVM shares with it (vcpu.h). Nothing is injected into the
 * monitor, and no cooperation of its is needed.
 *
 * A sample of one vCPU is five system calls, of two vCPUs nine: seize and interrupt each thread, wait for each, one
 * read of memory, detach from each. The kernel detaches from all threads when the recorder dies, at whatever
 * instant.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "guest/hypervisor.h"
#include "kvmif/layout.h"
#include "kvmif/remote.h"
#include "kvmif/vcpu.h"

#define SLOTS_NS 1000000000ull /* memory slots are looked at so often */

struct hypervisor {
	char version[160];
	struct iterator *it; /* opened when it is needed */
	char why[80];        /* "", or why it cannot be opened */
};

/* In a pause_mark. We write it ourselves, in time: before the first call of a stop and after its last. */
struct mark {
	uint64_t held;  /* threads are being stopped, or are */
	uint64_t armed; /* kvm_valid_regs may be set */
};

struct guest {
	struct hypervisor *x;
	struct machine machine;
	int pidfd;
	struct vcpu *vcpus; /* machine.vcpus of them */
	uint64_t wanted[MACHINE_VCPUS_MAX / 64], asleep[MACHINE_VCPUS_MAX / 64];
	struct layout layout;
	uint64_t slots_ns; /* when the slots were looked at */
	bool is_watched;   /* by attach_to_watch() */
	bool moved;        /* they are others than those that were mapped */
	struct pause_mark own;
	volatile struct mark *mark;
};

static bool is_set(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* --- connection -------------------------------------------------------------------------------------------------- */

static struct hypervisor *open_kvm(char *why, size_t size)
{
	struct hypervisor *x;
	struct utsname host;

	if (access("/dev/kvm", F_OK) != 0) {
		snprintf(why, size, "this machine does not run KVM: there is no /dev/kvm");
		return NULL;
	}
	x = calloc(1, sizeof(*x));
	if (!x) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	if (uname(&host) != 0)
		host.release[0] = '\0';
	snprintf(x->version, sizeof(x->version), "KVM, Linux %s", host.release);
	return x;
}

static void close_kvm(struct hypervisor *x)
{
	iterator_close(x->it);
	free(x);
}

static const char *version(struct hypervisor *x)
{
	return x->version;
}

/* --- finding ----------------------------------------------------------------------------------------------------- */

static void describe(const struct machine *m, struct guest_info *info)
{
	*info = (struct guest_info){.domid = (uint32_t)m->pid, .vcpus = m->vcpus, .kind = GUEST_KVM};
	/* A process's number may be used again; with its start, it is the identity. */
	memcpy(info->uuid, &m->start, sizeof(m->start));
	memcpy(info->uuid + 8, &m->pid, sizeof(m->pid));
	memcpy(info->uuid + 12, "KVM", 4);
}

static int find(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	struct machine m;
	int rc = domid > INT32_MAX ? -ESRCH : machine_find((pid_t)domid, &m);

	(void)x;
	if (rc == 0)
		describe(&m, info);
	return rc;
}

struct machines {
	struct guest_info *info;
	size_t n;
};

static int add_machine(void *ctx, const struct machine *m)
{
	struct machines *all = ctx;
	struct guest_info *more = realloc(all->info, (all->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	all->info = more;
	describe(m, &more[all->n++]);
	return 0;
}

static int list(struct hypervisor *x, struct guest_info **domains, size_t *n)
{
	struct machines all = {calloc(1, sizeof(*all.info)), 0};
	int rc = all.info ? machine_each(add_machine, &all) : -ENOMEM;

	(void)x;
	*domains = all.info;
	*n = all.n;
	if (rc != 0)
		free(all.info);
	return rc;
}

static int domain_name(struct hypervisor *x, uint32_t domid, char *name, size_t size)
{
	(void)x;
	return machine_name((pid_t)domid, name, size) == 0 ? 0 : -ENOENT;
}

static uint32_t own_domid(struct hypervisor *x)
{
	(void)x;
	return UINT32_MAX;
}

/* --- attaching --------------------------------------------------------------------------------------------------- */

static void detach(struct guest *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; g->vcpus && i < g->machine.vcpus; i++)
		vcpu_detach(&g->vcpus[i]);
	free(g->vcpus);
	layout_free(&g->layout);
	if (g->pidfd >= 0)
		close(g->pidfd);
	free(g);
}

/* The threads as the layout tells them. */
static int set_threads(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		int rc = g->vcpus[i].run ? vcpu_set_thread(&g->vcpus[i], g->machine.pid, g->layout.threads[i]) : 0;

		if (rc != 0 && rc != -ESRCH)
			return rc;
	}
	return 0;
}

static struct iterator *iterator_of(struct hypervisor *x)
{
	if (!x->it && !x->why[0])
		x->it = iterator_open(x->why, sizeof(x->why));
	return x->it;
}

static int attach_vcpus(struct guest *g)
{
	int rc = 0;

	g->vcpus = calloc(g->machine.vcpus, sizeof(*g->vcpus));
	if (!g->vcpus)
		return -ENOMEM;
	for (uint32_t i = 0; rc == 0 && i < g->machine.vcpus; i++) {
		g->vcpus[i].cpu_time = g->vcpus[i].call = -1;
		if (g->machine.fds[i] >= 0)
			rc = vcpu_attach(&g->vcpus[i], g->pidfd, g->machine.fds[i]);
	}
	return rc;
}

static int find_again(struct guest *g, const struct guest_info *info)
{
	struct guest_info now;
	int rc = machine_find((pid_t)info->domid, &g->machine);

	if (rc != 0)
		return rc;
	describe(&g->machine, &now);
	return memcmp(now.uuid, info->uuid, sizeof(now.uuid)) == 0 ? 0 : -ESRCH;
}

/* Nothing of a protected guest is touched: with registers asked for, its KVM_RUN would fail. */
static int check(struct guest *g)
{
	int rc;

	if (machine_tracing_forbidden())
		return -EPERM;
	if (!iterator_of(g->x))
		return -ENOSYS;
	rc = layout_read(&g->layout, g->x->it, g->machine.pid);
	if (rc != 0)
		return rc;
	if (g->layout.is_protected || machine_asks_protection(g->machine.pid) || g->machine.machines > 1)
		return -ENOTSUP;
	return g->layout.has_slots ? 0 : -ENOSYS;
}

/* Of the threads, who traces one? 0: nobody. */
static pid_t tracer_of(const struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		pid_t by = g->vcpus[i].tid ? machine_tracer(g->machine.pid, g->vcpus[i].tid) : 0;

		if (by > 0)
			return by;
	}
	return 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* NULL: errno. */
static struct guest *open_guest(struct hypervisor *x, const struct guest_info *info)
{
	struct guest *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return NULL;
	g->x = x;
	g->mark = (struct mark *)&g->own;
	g->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)info->domid, 0);
	rc = g->pidfd < 0 ? -errno : find_again(g, info);
	if (rc == 0)
		return g;
	detach(g);
	errno = -rc;
	return NULL;
}

static struct guest *attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted)
{
	struct guest *g = open_guest(x, info);
	int rc = g ? check(g) : -errno;

	if (rc == 0)
		rc = attach_vcpus(g);
	if (rc == 0)
		rc = set_threads(g);
	if (rc == 0 && tracer_of(g) != 0)
		rc = -EBUSY;
	if (rc != 0) {
		detach(g);
		errno = -rc;
		return NULL;
	}
	memset(g->wanted, wanted ? 0 : 0xff, sizeof(g->wanted));
	if (wanted)
		memcpy(g->wanted, wanted, (g->machine.vcpus + 63) / 64 * sizeof(*wanted));
	g->slots_ns = now();
	return g;
}

/* No memory and no threads. */
static struct guest *attach_to_watch(struct hypervisor *x, const struct guest_info *info)
{
	struct guest *g = open_guest(x, info);
	int rc = g ? attach_vcpus(g) : 0;

	if (g)
		g->is_watched = true;
	if (rc == 0)
		return g;
	detach(g);
	errno = -rc;
	return NULL;
}

/* What a user can do about it. */
static void explain(struct hypervisor *x, const struct guest_info *info, int error, char *why, size_t size)
{
	struct layout l = {0};
	bool is_protected = x->it && layout_read(&l, x->it, (pid_t)info->domid) == 0 && l.is_protected;

	layout_free(&l);
	if (error == EBUSY)
		snprintf(why, size, "another program traces it, such as gdb or strace: end that first");
	else if (error == ENOTSUP && (is_protected || machine_asks_protection((pid_t)info->domid)))
		snprintf(why, size, "its memory and registers are protected from the host (SEV, TDX)");
	else if (error == ENOTSUP)
		snprintf(why, size, "its process runs several virtual machines");
	else if (error == ENOSYS)
		snprintf(why, size, "cannot find its memory: %s",
		         x->it ? "this kernel is older than Linux 5.17" : x->why);
	else if ((error == EPERM || error == EACCES) && machine_tracing_forbidden())
		snprintf(why, size, "this host forbids ptrace to everybody: kernel.yama.ptrace_scope is 3");
	else if (error == EPERM || error == EACCES)
		snprintf(why, size,
		         "not permitted: run as root, or with CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, "
		         "CAP_BPF and CAP_PERFMON");
	else
		snprintf(why, size, "%s", strerror(error));
}

static enum arch_id arch(const struct guest *g)
{
	(void)g;
	return ARCH_X86_64;
}

/* --- between stops ----------------------------------------------------------------------------------------------- */

static bool is_alive(const struct guest *g)
{
	struct pollfd p = {.fd = g->pidfd, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

static int info(struct guest *g, struct guest_info *info)
{
	if (!is_alive(g))
		return -ESRCH;
	describe(&g->machine, info);
	if (g->is_watched)
		info->paused = machine_is_stopped(g->machine.pid);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		vcpu_look(&g->vcpus[i]);
		info->cpu_ns += g->vcpus[i].cpu_ns;
	}
	return 0;
}

/* vCPUs and memory come and go. */
static void look_again(struct guest *g)
{
	struct layout next = {0};

	g->slots_ns = now();
	if (layout_read(&next, g->x->it, g->machine.pid) != 0)
		return;
	g->moved |= !layout_same_slots(&g->layout, &next);
	layout_free(&g->layout);
	g->layout = next;
	set_threads(g);
}

/* Is this vCPU to be stopped? */
static bool is_due(const struct guest *g, uint32_t i)
{
	const struct vcpu *v = &g->vcpus[i];

	return v->run && v->tid && is_set(g->wanted, i) && !is_set(g->asleep, i) &&
	       (v->place == VCPU_RUNNING || v->place == VCPU_HALTED);
}

static void prepare(struct guest *g, const uint64_t *asleep)
{
	memset(g->asleep, 0, sizeof(g->asleep));
	if (asleep)
		memcpy(g->asleep, asleep, (g->machine.vcpus + 63) / 64 * sizeof(*asleep));
	if (now() - g->slots_ns > SLOTS_NS)
		look_again(g);
	g->mark->armed = 1;
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		vcpu_look(&g->vcpus[i]);
		g->vcpus[i].is_inside = false;
		if (is_due(g, i))
			vcpu_arm(&g->vcpus[i]);
	}
}

/* --- a stop ------------------------------------------------------------------------------------------------------ */

/* Detaches from all threads that were stopped, and from the others once they are. */
static int release_all(struct guest *g)
{
	int result = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];
		int rc;

		if (!v->held || !v->was_stopped)
			continue;
		rc = vcpu_release(v);
		if (rc != 0 && rc != -ESRCH)
			result = rc;
	}
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];

		while (v->held && vcpu_await(v) == -EINTR)
			;
		if (v->held)
			vcpu_release(v);
	}
	g->mark->held = 0;
	return result;
}

static void disarm_all(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].armed)
			vcpu_disarm(&g->vcpus[i]);
	g->mark->armed = 0;
}

/* A thread that is gone is no error as long as its process is there: vCPUs can be unplugged. */
static int stop(struct guest *g)
{
	int rc = 0;

	g->mark->held = 1;
	for (uint32_t i = 0; rc == 0 && i < g->machine.vcpus; i++)
		if (g->vcpus[i].armed)
			rc = vcpu_interrupt(&g->vcpus[i]);
	for (uint32_t i = 0; rc == 0 && i < g->machine.vcpus; i++)
		if (g->vcpus[i].held)
			rc = vcpu_await(&g->vcpus[i]);
	disarm_all(g);
	if (rc == 0)
		return 0;
	release_all(g);
	if (rc == -ESRCH && is_alive(g))
		look_again(g);
	/* A signal came while a thread was slow to stop: the watchdog wants the pause to end. */
	return rc == -EINTR || (rc == -ESRCH && is_alive(g)) ? -EAGAIN : rc;
}

static int copy(struct guest *g, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom)
{
	return g->moved ? -ESTALE : remote_read(g->machine.pid, to, nto, from, nfrom);
}

static int resume(struct guest *g)
{
	return release_all(g);
}

static void collect_vcpu(struct guest *g, uint32_t i, struct vcpu_stop *stop)
{
	struct vcpu *v = &g->vcpus[i];

	stop->online = v->tid != 0 && v->place != VCPU_GONE;
	stop->blocked = v->place == VCPU_HALTED || v->place == VCPU_OUTSIDE;
	stop->running = v->place == VCPU_RUNNING;
	stop->in_vmm = stop->running && v->was_stopped && !v->is_inside;
	/* One that sleeps has used none since it was looked at but for our stop. */
	stop->cpu_ns = stop->running ? vcpu_cpu_ns(v) : v->cpu_ns;
	if (!is_set(g->asleep, i) && is_set(g->wanted, i) && v->run)
		vcpu_registers(v, &stop->regs);
}

static void collect(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus)
{
	describe(&g->machine, before);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		collect_vcpu(g, i, &vcpus[i]);
		before->cpu_ns += vcpus[i].cpu_ns;
	}
}

static void registers(struct guest *g, uint32_t vcpu, struct register_set *set)
{
	vcpu_all_registers(&g->vcpus[vcpu], set);
}

static int peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs)
{
	struct vcpu *v = &g->vcpus[vcpu];
	uint64_t all[MACHINE_VCPUS_MAX / 64];
	int rc;

	memset(all, 0xff, sizeof(all));
	all[vcpu / 64] &= ~(1ull << vcpu % 64);
	prepare(g, all);
	rc = stop(g);
	if (rc == 0)
		rc = resume(g);
	if (rc == 0 && v->run)
		vcpu_registers(v, regs);
	return rc != 0 ? rc : v->run && regs->valid ? 0 : -ENODATA;
}

/* --- the watchdog's ---------------------------------------------------------------------------------------------- */

static void mark_at(struct guest *g, struct pause_mark *m)
{
	memset(m, 0, sizeof(*m));
	g->mark = (struct mark *)m;
}

static bool is_marked(const struct pause_mark *m, bool dead)
{
	const volatile struct mark *mark = (const volatile struct mark *)m;

	return dead ? mark->armed : mark->held;
}

static void clean_up(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].run)
			vcpu_disarm(&g->vcpus[i]);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* The addresses are the monitor's, for copy(). */
static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	bool missing = false;

	g->moved = false;
	for (int again = 0; again < 2; again++) {
		missing = false;
		for (size_t i = 0; i < n; i++) {
			uint64_t at = frames[i] >> (64 - GUEST_PAGE_SHIFT)
			                      ? 0
			                      : layout_host_address(&g->layout, frames[i] << GUEST_PAGE_SHIFT);

			pages[i] = (const void *)(uintptr_t)at;
			missing |= at == 0;
		}
		if (!missing || now() - g->slots_ns < SLOTS_NS)
			break;
		look_again(g);
		g->moved = false;
	}
	return 0;
}

static void unmap(struct guest *g, const void *page)
{
	(void)g, (void)page;
}

const struct hypervisor_ops hypervisor_kvm = {
	.name = "ptrace",
	.prefix = "kvm",
	.capabilities = 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH,
	.open = open_kvm,
	.close = close_kvm,
	.version = version,
	.find = find,
	.list = list,
	.domain_name = domain_name,
	.own_domid = own_domid,
	.attach = attach,
	.attach_to_watch = attach_to_watch,
	.detach = detach,
	.explain = explain,
	.arch = arch,
	.info = info,
	.prepare = prepare,
	.stop = stop,
	.copy = copy,
	.collect = collect,
	.registers = registers,
	.resume = resume,
	.mark_at = mark_at,
	.peek = peek,
	.is_marked = is_marked,
	.clean_up = clean_up,
	.map = map,
	.unmap = unmap,
};
