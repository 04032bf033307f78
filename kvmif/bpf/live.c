/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/bpf/live.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kvmif/bpf/live.skel.h"
#include "kvmif/bpf/live_arch.h"

#define RUN_NS 1 /* that the thread runs before it is interrupted; the kernel makes 10 us of it, its least */
#define PSTATE_TRIES 100
#define PSTATE_CALLS 10000

struct timer {
	int event; /* -1: none */
	int rip;   /* Intel: the event that has perf ask for it; -1: none */
	struct bpf_link *link;
	pid_t tid;
	bool is_owed; /* the interrupt of a question that was withdrawn: it would come with the next one's */
};

struct live {
	struct live_bpf *program;
	struct live_slot *slots;
	size_t size;
	uint32_t vcpus;
	struct timer *timers;
	struct live_places places;
	bool lacks_space, knows_space;
};

static const char *reason_of(int error)
{
	if (error == EPERM || error == EACCES)
		return "needs CAP_BPF and CAP_PERFMON, or root";
	if (error == ENOENT || error == ESRCH || error == EINVAL)
		return "no BTF of KVM's module, or a kernel before Linux 5.17";
	return strerror(error);
}

/* --- the program ------------------------------------------------------------------------------------------------- */

static int map_slots(struct live *l)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	l->size = ((l->vcpus + 1) * sizeof(*l->slots) + page - 1) / page * page;
	at = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(l->program->maps.slots), 0);
	if (at == MAP_FAILED)
		return -errno;
	l->slots = at;
	return 0;
}

static int load(struct live *l)
{
	int rc;

	libbpf_set_print(NULL);
	l->timers = calloc(l->vcpus + 1, sizeof(*l->timers));
	if (!l->timers)
		return -ENOMEM;
	for (uint32_t i = 0; i <= l->vcpus; i++)
		l->timers[i].event = l->timers[i].rip = -1;
	rc = live_find_places(&l->places);
	if (rc != 0)
		return rc;
	l->program = live_bpf__open();
	if (!l->program)
		return -errno;
	*(struct live_places *)&l->program->rodata->places = l->places;
	if (bpf_map__set_max_entries(l->program->maps.slots, l->vcpus + 1) != 0 ||
	    bpf_map__set_max_entries(l->program->maps.rips, l->vcpus + 1) != 0 || live_bpf__load(l->program) != 0)
		return -errno;
	return map_slots(l);
}

struct live *live_open(uint32_t vcpus, bool needs_sp, char *why, size_t size)
{
	struct live_places places = {0};
	struct live *l;
	int rc;

	/* To find that out by loading the program takes 10 MB. */
	if (!live_is_possible(&places, needs_sp, why, size))
		return NULL;
	l = calloc(1, sizeof(*l));
	if (!l) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	l->vcpus = vcpus;
	l->places = places;
	rc = load(l);
	if (rc == 0)
		return l;
	snprintf(why, size, "%s", reason_of(-rc));
	live_close(l);
	return NULL;
}

void live_read_host(struct live *l)
{
	for (uint32_t i = 0; i < l->vcpus; i++)
		l->slots[i].wants_host = 1;
}

static void end_timer(struct timer *t)
{
	bpf_link__destroy(t->link);
	if (t->event >= 0)
		close(t->event);
	if (t->rip >= 0)
		close(t->rip);
	*t = (struct timer){.event = -1, .rip = -1};
}

void live_close(struct live *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; l->timers && i <= l->vcpus; i++)
		end_timer(&l->timers[i]);
	if (l->slots)
		munmap(l->slots, l->size);
	live_bpf__destroy(l->program);
	free(l->timers);
	free(l);
}

static int open_event(struct perf_event_attr *attr, pid_t tid)
{
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What is written to it is nowhere kept, but perf looks at the guest's rip first. */
static int open_rip(struct live *l, uint32_t vcpu, pid_t tid)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_IP,
	};
	struct timer *t = &l->timers[vcpu];

	t->rip = l->places.is_intel ? open_event(&attr, tid) : -1;
	if (!l->places.is_intel)
		return 0;
	if (t->rip < 0 || bpf_map_update_elem(bpf_map__fd(l->program->maps.rips), &vcpu, &t->rip, BPF_ANY) != 0)
		return -errno;
	return 0;
}

int live_set_vcpu(struct live *l, uint32_t vcpu, uint64_t address, pid_t tid)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = RUN_NS,
		.disabled = 1,
	};
	struct bpf_perf_event_opts options;
	struct timer *t = &l->timers[vcpu];
	int rc;

	l->slots[vcpu].vcpu = address;
	if (t->tid == tid)
		return 0;
	end_timer(t);
	if (tid == 0)
		return 0;
	/* The padding, too: libbpf checks it. */
	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.bpf_cookie = vcpu;
	t->event = open_event(&attr, tid);
	if (t->event < 0)
		return -errno;
	rc = open_rip(l, vcpu, tid);
	t->link = rc == 0 ? bpf_program__attach_perf_event_opts(l->program->progs.interrupted, t->event, &options)
	                  : NULL;
	if (rc == 0 && !t->link)
		rc = -errno;
	/* libbpf starts it. */
	if (rc == 0 && ioctl(t->event, PERF_EVENT_IOC_DISABLE, 0) != 0)
		rc = -errno;
	if (rc != 0)
		end_timer(t);
	else
		t->tid = tid;
	return rc;
}

bool live_plan(struct live *l, uint32_t vcpu, const struct iovec *from, size_t nfrom)
{
	struct live_slot *s = &l->slots[vcpu];
	size_t at = 0;

	s->nruns = 0;
	for (size_t i = 0; i < nfrom; i++) {
		if (i == LIVE_RUNS || at >= LIVE_DATA || from[i].iov_len > LIVE_RUN_MAX)
			return false;
		s->runs[i].from = (uintptr_t)from[i].iov_base;
		s->runs[i].at = (unsigned)at;
		s->runs[i].size = (unsigned)from[i].iov_len;
		at += from[i].iov_len;
	}
	s->nruns = (unsigned)nfrom;
	return true;
}

int live_ask(struct live *l, uint32_t vcpu)
{
	struct live_slot *s = &l->slots[vcpu];
	struct timer *t = &l->timers[vcpu];

	if (t->event < 0)
		return -ESRCH;
	__atomic_store_n(&s->wanted, s->wanted + 1, __ATOMIC_RELEASE);
	if (ioctl(t->event, t->is_owed ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_REFRESH, t->is_owed ? 0 : 1) != 0)
		return -errno;
	t->is_owed = false;
	return 0;
}

bool live_is_answered(const struct live *l, uint32_t vcpu)
{
	const struct live_slot *s = &l->slots[vcpu];

	return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE) == s->wanted;
}

void live_cancel(struct live *l, uint32_t vcpu)
{
	struct timer *t = &l->timers[vcpu];

	if (t->event < 0)
		return;
	ioctl(t->event, PERF_EVENT_IOC_DISABLE, 0);
	t->is_owed = !live_is_answered(l, vcpu);
}

static int run_look(struct live *l, struct live_look_args args)
{
	struct bpf_test_run_opts options;

	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.ctx_in = &args;
	options.ctx_size_in = sizeof(args);
	return bpf_prog_test_run_opts(bpf_program__fd(l->program->progs.look), &options) == 0 ? 0 : -EIO;
}

int live_peek(struct live *l, uint32_t first, uint32_t n)
{
	return run_look(l, (struct live_look_args){.first = first, .vcpus = n, .stopped = 1});
}

int live_look(struct live *l, uint32_t first, uint32_t n, uint32_t taken_ns)
{
	if (run_look(l, (struct live_look_args){.first = first, .vcpus = n, .taken_ns = taken_ns}) == 0)
		return 0;
	for (uint32_t i = first; i < first + n; i++)
		l->slots[i].thread = LIVE_ON_CPU;
	return -EIO;
}

const struct live_slot *live_answer(const struct live *l, uint32_t vcpu)
{
	return &l->slots[vcpu];
}

/* Of this CPU, in the kernel: by an event of our own thread, with the slot behind the vCPUs'; 0: not found out. */
static uint64_t host_pstate(struct live *l)
{
	uint64_t pstate = 0;

	if (live_set_vcpu(l, l->vcpus, 0, gettid()) != 0)
		return 0;
	for (int i = 0; !(pstate >> 2 & 3) && i < PSTATE_TRIES && live_ask(l, l->vcpus) == 0; i++) {
		for (int calls = 0; !live_is_answered(l, l->vcpus) && calls < PSTATE_CALLS; calls++)
			getppid();
		live_cancel(l, l->vcpus);
		pstate = l->slots[l->vcpus].host_pstate;
	}
	live_set_vcpu(l, l->vcpus, 0, 0);
	return pstate;
}

bool live_lacks_space(struct live *l)
{
	uint64_t pstate;

	if (!l->knows_space) {
		pstate = live_place_lacks_space(&l->places, NULL) ? host_pstate(l) : 0;
		l->lacks_space = live_place_lacks_space(&l->places, &pstate);
	}
	l->knows_space = true;
	return l->lacks_space;
}

bool live_lacks_sp(const struct live *l)
{
	return live_place_lacks_sp(&l->places);
}

enum guest_exit live_exit(const struct live *l, const struct live_slot *s, const struct kvm_run *run)
{
	return live_exit_of(&l->places, s, run);
}

enum live_found live_registers(const struct live *l, const struct live_slot *s, struct vcpu_state *to)
{
	return live_registers_of(&l->places, s, to);
}
