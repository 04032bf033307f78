/* SPDX-License-Identifier: BSD-2-Clause */
/* What a guest consists of: its monitor's process, the descriptors and threads of its vCPUs, its memory. */
#include "kvmif/backend/kvm_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "kvmif/vcpus/threads.h"

#define SETTLE_LOOKS 5000       /* for threads, which can be outside KVM_RUN most of the time, before it is given up */
#define SETTLE_STOPS 50         /* of vCPUs whose registers fit nothing, likewise */
#define SETTLE_ASLEEP 20        /* looks before threads are stopped to learn what they run */
#define SETTLE_WAIT_NS 200000u  /* between two */
#define LAYOUT_READS 100        /* of memory while the monitor changes it, */
#define LAYOUT_WAIT_NS 1000000u /* and between two */
#define TRACER_NS 1000000000u   /* until somebody who traces a thread is no other recorder */

void kvm_describe(const struct machine *m, struct guest_info *info)
{
	*info = (struct guest_info){.domid = (uint32_t)m->pid, .vcpus = m->vcpus, .kind = GUEST_KVM};
	/* A process's number may be used again; with its start, it is the identity. */
	memcpy(info->uuid, &m->start, sizeof(m->start));
	memcpy(info->uuid + 8, &m->pid, sizeof(m->pid));
	memcpy(info->uuid + 12, "KVM", 4);
}

void kvm_detach(struct guest *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; g->vcpus && i < g->machine.vcpus; i++)
		vcpu_detach(&g->vcpus[i]);
	free(g->vcpus);
	live_close(g->live);
	free(g->plans);
	layout_free(&g->layout);
	shared_unmap(&g->shared);
	search_free(g->search);
	if (g->pidfd >= 0)
		close(g->pidfd);
	free(g);
}

/* --- vCPUs ------------------------------------------------------------------------------------------------------- */

/* The threads as the layout tells them. */
static int set_threads(struct guest *g)
{
	int result = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		const pid_t tid = g->layout.threads[i];
		int rc = g->vcpus[i].run ? vcpu_set_thread(&g->vcpus[i], g->machine.pid, tid) : 0;

		if (rc != 0 && rc != -ESRCH)
			result = tried(&g->x->tried, rc, "/proc/%d/task/%d: schedstat, syscall", g->machine.pid, tid);
	}
	return result;
}

/* Attaches to all vCPUs that it can. */
static int attach_vcpus(struct guest *g)
{
	int result = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		int rc = g->machine.fds[i] >= 0 && !g->vcpus[i].run
		                 ? vcpu_attach(&g->vcpus[i], i, g->pidfd, g->machine.fds[i])
		                 : 0;

		if (rc != 0)
			result = tried(&g->x->tried, rc, "the page of vCPU %u (pidfd_getfd, mmap)", i);
	}
	return result;
}

/* Each vCPU takes several descriptors, and the soft limit is for programs that use select(). Best effort. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* None of which is attached. */
static int make_vcpus(struct guest *g)
{
	g->vcpus = calloc(g->machine.vcpus, sizeof(*g->vcpus));
	if (!g->vcpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		g->vcpus[i].cpu_time = g->vcpus[i].call = g->vcpus[i].sched = -1;
	return 0;
}

/* Those that are there now. The number of those that can be plugged in has been made room for (struct machine). */
static void attach_new_vcpus(struct guest *g)
{
	struct machine now;

	if (machine_find(g->machine.pid, &now) != 0 || now.start != g->machine.start)
		return;
	memcpy(g->machine.fds, now.fds, sizeof(now.fds));
	attach_vcpus(g);
}

/* Is there a vCPU that has a thread, but whose page is not mapped here? */
static bool has_new_vcpu(const struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (!g->vcpus[i].run && (g->search || g->layout.threads[i]))
			return true;
	return false;
}

/* --- attaching --------------------------------------------------------------------------------------------------- */

static struct iterator *iterator_of(struct hypervisor *x)
{
	if (!x->it && !x->why[0])
		x->it = iterator_open(x->why, sizeof(x->why));
	return x->it;
}

/* The layout is of this moment: an unstarted vCPU that uses CPU time from now on has been started. */
static void note_looked(struct guest *g)
{
	g->slots_ns = clock_now();
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		/* A thread that is new to us has used some before. */
		if (g->vcpus[i].cpu_ns == 0)
			vcpu_look(&g->vcpus[i]);
		g->vcpus[i].looked_ns = g->vcpus[i].cpu_ns;
	}
}

/* Without the kernel's word for it, a sign of a protected guest is enough. */
static int begin_search(struct guest *g)
{
	if (g->machine.may_be_protected)
		return -ENOTSUP;
	g->search = search_new(&g->x->ops->memory, g, g->machine.pid);
	if (!g->search)
		return errno == ENOENT ? -ENOSYS : tried(&g->x->tried, -errno, "/proc/%d/maps", g->machine.pid);
	threads_look(&g->machine, g->layout.threads);
	return 0;
}

static int read_layout(struct guest *g)
{
	int rc = layout_read(&g->layout, g->x->it, g->machine.pid);

	for (int i = 1; rc == -EINPROGRESS && i < LAYOUT_READS; i++) {
		clock_sleep(LAYOUT_WAIT_NS);
		rc = layout_read(&g->layout, g->x->it, g->machine.pid);
	}
	return tried(&g->x->tried, rc, "its memory slots (BPF iterator)");
}

/* Nothing of a protected guest is touched: with registers asked for, its KVM_RUN would fail. */
static int check_unprotected(struct guest *g)
{
	int rc;

	if (machine_tracing_forbidden())
		return -EPERM;
	if (machine_asks_protection(g->machine.pid) || g->machine.encrypts || g->machine.machines > 1 ||
	    g->machine.has_more)
		return -ENOTSUP;
	if (!iterator_of(g->x))
		return begin_search(g);
	rc = read_layout(g);
	if (rc != 0)
		return rc;
	if (g->layout.is_protected)
		return -ENOTSUP;
	if (g->layout.has_slots)
		return 0;
	snprintf(g->x->why, sizeof(g->x->why), "this kernel is older than Linux 5.17");
	return begin_search(g);
}

/* Another recorder traces a thread only for as long as a stop takes, a debugger all the time. */
static int check_tracer(const struct guest *g)
{
	const uint64_t until_ns = clock_now() + TRACER_NS;
	pid_t by;

	while ((by = threads_tracer(g->machine.pid)) > 0 && clock_now() < until_ns)
		clock_sleep(1000000);
	return by > 0 ? -EBUSY : tried(&g->x->tried, by, "/proc/%d/task: status", g->machine.pid);
}

/*
 * The caller has room for the vCPUs of @info. A monitor makes them one after the other: one that has more by now was
 * not complete when it was looked at, and is to be looked at again.
 */
static int find_again(struct guest *g, const struct guest_info *info)
{
	struct guest_info now;
	int rc = machine_find((pid_t)info->domid, &g->machine);

	if (rc != 0)
		return tried(&g->x->tried, rc, "/proc/%u: stat, fd", info->domid);
	kvm_describe(&g->machine, &now);
	if (memcmp(now.uuid, info->uuid, sizeof(now.uuid)) != 0 || now.vcpus > info->vcpus)
		return -ESRCH;
	g->machine.vcpus = info->vcpus;
	return 0;
}

static int attach_to_sample(struct guest *g, const uint64_t *wanted)
{
	int rc = check_unprotected(g);

	memset(g->wanted, wanted ? 0 : 0xff, sizeof(g->wanted));
	if (wanted)
		memcpy(g->wanted, wanted, (g->machine.vcpus + 63) / 64 * sizeof(*wanted));
	allow_descriptors();
	if (rc == 0)
		rc = make_vcpus(g);
	if (rc == 0)
		rc = attach_vcpus(g);
	if (rc == 0)
		rc = kvm_open_live(g);
	if (rc == 0)
		rc = set_threads(g);
	if (rc == 0)
		rc = check_tracer(g);
	if (rc != 0)
		return rc;
	note_looked(g);
	g->to_share = g->layout.nslots > 0;
	return 0;
}

/*
 * The watchdog has no memory, no threads and no pages of vCPUs: it outlives the guest, and a mapping would keep that.
 */
struct guest *kvm_attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                         enum attach_purpose purpose)
{
	struct guest *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return NULL;
	x->tried.error = 0;
	g->x = x;
	g->mark = (struct mark *)&g->own;
	g->is_watched = purpose == ATTACH_TO_WATCH;
	g->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)info->domid, 0);
	rc = g->pidfd < 0 ? tried(&x->tried, -errno, "pidfd_open") : find_again(g, info);
	if (rc == 0)
		rc = g->is_watched ? make_vcpus(g) : attach_to_sample(g, wanted);
	if (rc == 0)
		return g;
	kvm_detach(g);
	errno = -rc;
	return NULL;
}

void kvm_clean_up(struct guest *g)
{
	attach_new_vcpus(g);
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].run)
			vcpu_disarm(&g->vcpus[i]);
}

/* --- without the kernel's word ----------------------------------------------------------------------------------- */

/* One stop of each vCPU whose thread is known. True: its registers said where memory is, or is not. Counts *stops. */
static bool narrow_by_stops(struct guest *g, unsigned *stops)
{
	struct vcpu_regs regs;
	bool told = false;

	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (g->vcpus[i].tid && g->x->ops->pause.peek(g, i, &regs) == 0) {
			told |= search_narrow(g->search, &g->layout, &regs);
			(*stops)++;
		}
	return told;
}

static void stop_threads(void *guest)
{
	struct guest *g = guest;
	bool late;

	g->mark->held = 1;
	g->stopped = threads_stop(&g->machine, g->layout.threads, &late);
	if (late)
		tracer_give_up(g->x->tracer);
}

/* How many vCPUs are without a thread, or a negative errno. */
static int find_threads(struct guest *g, bool by_stops)
{
	int missing = threads_look(&g->machine, g->layout.threads), rc = 0;

	if (missing > 0 && by_stops)
		rc = kvm_stop_by(g, stop_threads);
	if (rc == 0)
		rc = set_threads(g);
	return rc < 0 ? rc : missing;
}

static int settle_layout(struct guest *g)
{
	unsigned stops = 0;
	bool told = false;
	int missing = 0;

	if (!g->search)
		return 0;
	for (int i = 0; missing >= 0 && i < SETTLE_LOOKS && stops < SETTLE_STOPS; i++) {
		if (told && search_is_settled(g->search) && (missing == 0 || i > 2 * SETTLE_ASLEEP))
			break;
		if (i > 0)
			clock_sleep(SETTLE_WAIT_NS);
		g->slots_ns = clock_now(); /* nobody looks again meanwhile */
		missing = find_threads(g, i >= SETTLE_ASLEEP);
		if (missing >= 0 && !(told && search_is_settled(g->search)))
			told |= narrow_by_stops(g, &stops);
	}
	if (missing < 0)
		return missing;
	g->to_share = true;
	return told ? search_layout(g->search, &g->layout) : -ENOSYS;
}

/* A guest that is given up may end: its pages, still mapped, would keep its memory. */
int kvm_settle(struct guest *g, char *how, size_t size)
{
	int rc = settle_layout(g), used;

	if (rc == 0 && kvm_has_live(g))
		rc = kvm_check_live(g);
	if (g->search)
		used = snprintf(how, size,
		                "%s: found by the process's mappings, checked by the guest's page tables and stack",
		                g->x->why);
	else
		used = snprintf(how, size, "found by the kernel's memory slots (BPF iterator)");
	if (g->why_not_live[0] && (size_t)used < size)
		snprintf(how + used, size - (size_t)used, "; sampled by stops: %s", g->why_not_live);
	/* The sampling thread's priority and capabilities are others. */
	tracer_end(g->x->tracer);
	for (uint32_t i = 0; rc != 0 && i < g->machine.vcpus; i++)
		vcpu_detach(&g->vcpus[i]);
	return rc;
}

/* With the registers that the last stops have left. */
static void search_again(struct guest *g)
{
	struct layout next = {0};
	struct vcpu_regs regs;
	bool told = false;

	threads_look(&g->machine, g->layout.threads);
	if (search_is_settled(g->search) && !search_has_changed(g->search))
		return;
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		if (!g->vcpus[i].tid || !g->vcpus[i].is_inside)
			continue;
		vcpu_registers(&g->vcpus[i], &regs);
		told |= search_narrow(g->search, &g->layout, &regs);
	}
	if (!told || search_layout(g->search, &next) != 0)
		return;
	g->moved |= !layout_same_slots(&g->layout, &next);
	layout_take_slots(&g->layout, &next);
}

void kvm_look_again(struct guest *g)
{
	const uint64_t before_ns = clock_cpu();
	struct layout next = {0};

	g->slots_ns = clock_now();
	if (g->search) {
		search_again(g);
	} else if (layout_read(&next, g->x->it, g->machine.pid) == 0) {
		g->moved |= !layout_same_slots(&g->layout, &next);
		layout_free(&g->layout);
		g->layout = next;
	}
	g->to_share |= g->moved;
	if (has_new_vcpu(g))
		attach_new_vcpus(g);
	set_threads(g);
	g->no_timers = -kvm_set_timers(g);
	note_looked(g);
	g->look_cost_ns = clock_cpu() - before_ns;
}
