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
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kvmif/bpf/live.skel.h"

#define RUN_NS 1 /* that the thread runs before it is interrupted; the kernel makes 10 us of it, its least */
#define PAGE 4096u

#define KVM_REG_RIP 16 /* of KVM's enum kvm_reg */

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
	bool is_intel;
};

static const char *reason_of(int error)
{
	if (error == EPERM || error == EACCES)
		return "needs CAP_BPF and CAP_PERFMON, or root";
	if (error == ENOENT || error == ESRCH || error == EINVAL)
		return "no BTF of KVM's module, or a kernel before Linux 5.17";
	return strerror(error);
}

/* --- where KVM has the state ------------------------------------------------------------------------------------- */

/* Adds the place of member @name of the structure *@type, and sets *@type to the member's. False: there is none. */
static bool find_member(const struct btf *btf, int *type, const char *name, unsigned *at)
{
	const struct btf_type *t = btf__type_by_id(btf, (unsigned)*type);
	const struct btf_member *m = t && btf_is_struct(t) ? btf_members(t) : NULL;

	for (unsigned i = 0; m && i < btf_vlen(t); i++) {
		if (strcmp(btf__name_by_offset(btf, m[i].name_off), name) != 0)
			continue;
		*at += btf_member_bit_offset(t, i) / 8;
		*type = (int)m[i].type;
		return true;
	}
	return false;
}

static bool find_amd(const struct btf *btf, int outer, struct live_places *p)
{
	int state = outer, own = outer;

	p->interrupts = 0x60;
	p->ninterrupts = 4;
	return find_member(btf, &state, "vmcb", &p->state) && find_member(btf, &own, "vmcb01", &p->own_state) &&
	       find_member(btf, &own, "ptr", &p->own_state);
}

/* Newer kernels have the exit's reason in a part that they share with TDX. */
static bool find_intel(const struct btf *btf, int outer, struct live_places *p)
{
	int state = outer, own = outer, reason = outer;

	p->is_intel = 1;
	p->interrupts = 1;
	p->ninterrupts = 1;
	return find_member(btf, &state, "loaded_vmcs", &p->state) && find_member(btf, &own, "vmcs01", &p->own_state) &&
	       (find_member(btf, &reason, "exit_reason", &p->exit_code) ||
	        (find_member(btf, &reason, "vt", &p->exit_code) &&
	         find_member(btf, &reason, "exit_reason", &p->exit_code)));
}

/* By the BTF of the module, or of the kernel where it is no module. */
static int find_places(struct live *l)
{
	struct live_places *p = (struct live_places *)&l->program->rodata->places;
	struct btf *kernel = btf__load_vmlinux_btf();
	struct btf *module = kernel ? btf__load_module_btf(l->is_intel ? "kvm_intel" : "kvm_amd", kernel) : NULL;
	const struct btf *btf = module ? module : kernel;
	int outer = kernel ? btf__find_by_name_kind(btf, l->is_intel ? "vcpu_vmx" : "vcpu_svm", BTF_KIND_STRUCT) : -1;
	bool found = outer >= 0 && (l->is_intel ? find_intel(btf, outer, p) : find_amd(btf, outer, p));

	btf__free(module);
	btf__free(kernel);
	return found ? 0 : -ENOENT;
}

/* --- the program ------------------------------------------------------------------------------------------------- */

static int map_slots(struct live *l)
{
	void *at;

	l->size = (l->vcpus * sizeof(*l->slots) + PAGE - 1) / PAGE * PAGE;
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
	l->timers = calloc(l->vcpus, sizeof(*l->timers));
	if (!l->timers)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->vcpus; i++)
		l->timers[i].event = l->timers[i].rip = -1;
	l->program = live_bpf__open();
	rc = l->program ? find_places(l) : -errno;
	if (rc != 0)
		return rc;
	if (bpf_map__set_max_entries(l->program->maps.slots, l->vcpus) != 0 ||
	    bpf_map__set_max_entries(l->program->maps.rips, l->vcpus) != 0 || live_bpf__load(l->program) != 0)
		return -errno;
	return map_slots(l);
}

struct live *live_open(uint32_t vcpus, bool needs_sp, char *why, size_t size)
{
	/* To find that out by loading the program takes 10 MB. */
	const bool is_intel = access("/sys/module/kvm_intel", F_OK) == 0;
	struct live *l;
	int rc;

	if (!is_intel && access("/sys/module/kvm_amd", F_OK) != 0) {
		snprintf(why, size, "KVM runs on no processor of AMD's or Intel's here (kvm_amd, kvm_intel)");
		return NULL;
	}
	if (is_intel && needs_sp) {
		snprintf(why, size, "copies of stacks need the stack pointer, which KVM does not keep on Intel");
		return NULL;
	}
	l = calloc(1, sizeof(*l));
	if (!l) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	l->vcpus = vcpus;
	l->is_intel = is_intel;
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
	for (uint32_t i = 0; l->timers && i < l->vcpus; i++)
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

	t->rip = l->is_intel ? open_event(&attr, tid) : -1;
	if (!l->is_intel)
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

int live_look(struct live *l, uint32_t first, uint32_t n, uint32_t taken_ns)
{
	struct live_look_args args = {.first = first, .vcpus = n, .taken_ns = taken_ns};
	struct bpf_test_run_opts options;

	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.ctx_in = &args;
	options.ctx_size_in = sizeof(args);
	if (bpf_prog_test_run_opts(bpf_program__fd(l->program->progs.look), &options) == 0)
		return 0;
	for (uint32_t i = first; i < first + n; i++)
		l->slots[i].thread = LIVE_ON_CPU;
	return -EIO;
}

const struct live_slot *live_answer(const struct live *l, uint32_t vcpu)
{
	return &l->slots[vcpu];
}

/* --- the VMCB ---------------------------------------------------------------------------------------------------- */

static uint64_t word_of(const struct live_slot *s, unsigned at)
{
	uint64_t word;

	memcpy(&word, &s->save[at - LIVE_SAVE], sizeof(word));
	return word;
}

/* 16 bytes: selector, attributes, limit, base. The attributes are those of a descriptor, without the limit's bits. */
static struct kvm_segment segment_of(const struct live_slot *s, unsigned at)
{
	const uint64_t low = word_of(s, at);
	const unsigned attributes = low >> 16 & 0xfff;

	return (struct kvm_segment){
		.selector = low & 0xffff,
		.base = word_of(s, at + 8),
		.limit = (uint32_t)(low >> 32),
		.type = attributes & 15,
		.s = attributes >> 4 & 1,
		.dpl = attributes >> 5 & 3,
		.present = attributes >> 7 & 1,
		.avl = attributes >> 8 & 1,
		.l = attributes >> 9 & 1,
		.db = attributes >> 10 & 1,
		.g = attributes >> 11 & 1,
	};
}

/* Exit codes by ranges up to the next one. */
struct exit_range {
	unsigned from;
	enum guest_exit exit;
};

/* APM volume 2, appendix C. */
static const struct exit_range amd_exits[] = {
	{0x00, GUEST_EXIT_REGISTER}, {0x40, GUEST_EXIT_EXCEPTION}, {0x60, GUEST_EXIT_INTERRUPT},
	{0x64, GUEST_EXIT_WINDOW},   {0x65, GUEST_EXIT_REGISTER},  {0x6e, GUEST_EXIT_OTHER},
	{0x72, GUEST_EXIT_CPUID},    {0x73, GUEST_EXIT_OTHER},     {0x77, GUEST_EXIT_PAUSE},
	{0x78, GUEST_EXIT_HALT},     {0x79, GUEST_EXIT_OTHER},     {0x7b, GUEST_EXIT_PORT},
	{0x7c, GUEST_EXIT_MSR},      {0x7d, GUEST_EXIT_OTHER},     {0x81, GUEST_EXIT_HYPERCALL},
	{0x82, GUEST_EXIT_OTHER},    {0x8b, GUEST_EXIT_HALT},      {0x8d, GUEST_EXIT_OTHER},
	{0x400, GUEST_EXIT_MEMORY},  {0x401, GUEST_EXIT_OTHER},
};

/* SDM volume 3, appendix C. */
static const struct exit_range intel_exits[] = {
	{0, GUEST_EXIT_EXCEPTION}, {1, GUEST_EXIT_INTERRUPT},  {2, GUEST_EXIT_OTHER},     {7, GUEST_EXIT_WINDOW},
	{8, GUEST_EXIT_OTHER},     {10, GUEST_EXIT_CPUID},     {11, GUEST_EXIT_OTHER},    {12, GUEST_EXIT_HALT},
	{13, GUEST_EXIT_OTHER},    {18, GUEST_EXIT_HYPERCALL}, {19, GUEST_EXIT_OTHER},    {28, GUEST_EXIT_REGISTER},
	{30, GUEST_EXIT_PORT},     {31, GUEST_EXIT_MSR},       {33, GUEST_EXIT_OTHER},    {36, GUEST_EXIT_HALT},
	{37, GUEST_EXIT_OTHER},    {40, GUEST_EXIT_PAUSE},     {41, GUEST_EXIT_OTHER},    {46, GUEST_EXIT_REGISTER},
	{48, GUEST_EXIT_MEMORY},   {50, GUEST_EXIT_OTHER},     {55, GUEST_EXIT_REGISTER}, {56, GUEST_EXIT_OTHER},
};

static enum guest_exit find_exit(const struct exit_range *ranges, size_t n, unsigned code)
{
	enum guest_exit exit = GUEST_EXIT_OTHER;

	for (size_t i = 0; i < n && ranges[i].from <= code; i++)
		exit = ranges[i].exit;
	return exit;
}

/*
 * If an interrupt has taken it out of the guest, that was ours: the timer's, or the one that has woken us. After
 * another exit KVM takes what has come in while it had interrupts off, and says then, too, that the guest was
 * interrupted.
 */
enum guest_exit live_exit(const struct live *l, const struct live_slot *s)
{
	/* The bits above Intel's basic reason tell of an entry that failed, and of enclaves. */
	enum guest_exit exit =
		l->is_intel
			? find_exit(intel_exits, sizeof(intel_exits) / sizeof(*intel_exits), (uint16_t)s->exit_code)
			: find_exit(amd_exits, sizeof(amd_exits) / sizeof(*amd_exits),
	                            s->exit_code > UINT32_MAX ? UINT32_MAX : (unsigned)s->exit_code);

	if (exit == GUEST_EXIT_INTERRUPT &&
	    (s->place == LIVE_IN_GUEST || (s->place == LIVE_IN_KVM && s->thread == LIVE_TAKEN)))
		return GUEST_EXIT_NONE;
	return exit;
}

bool live_lacks_sp(const struct live *l)
{
	return l->is_intel;
}

/* The control registers and segments are in the VMCB. */
static void read_vmcb(const struct live_slot *s, struct kvm_sync_regs *to)
{
	to->regs.rflags = word_of(s, 0x570);
	to->sregs.cs = segment_of(s, 0x410);
	to->sregs.ss = segment_of(s, 0x420);
	to->sregs.idt.base = word_of(s, 0x488);
	to->sregs.efer = word_of(s, 0x4d0);
	to->sregs.cr4 = word_of(s, 0x548);
	to->sregs.cr3 = word_of(s, 0x550);
	to->sregs.cr0 = word_of(s, 0x558);
	/* As KVM tells it: SS has the privilege. */
	to->sregs.ss.dpl = (uint8_t)(word_of(s, 0x4c8) >> 24 & 3);
}

enum live_found live_registers(const struct live *l, const struct live_slot *s, struct kvm_sync_regs *to)
{
	const unsigned long long *r = s->registers;

	to->regs = (struct kvm_regs){
		.rax = r[0],
		.rcx = r[1],
		.rdx = r[2],
		.rbx = r[3],
		.rsp = l->is_intel ? 0 : r[4],
		.rbp = r[5],
		.rsi = r[6],
		.rdi = r[7],
		.r8 = r[8],
		.r9 = r[9],
		.r10 = r[10],
		.r11 = r[11],
		.r12 = r[12],
		.r13 = r[13],
		.r14 = r[14],
		.r15 = r[15],
		.rip = r[16],
		.rflags = to->regs.rflags,
	};
	if (!l->is_intel)
		read_vmcb(s, to);
	else if (!(s->available >> KVM_REG_RIP & 1))
		return LIVE_NOT_FOUND;
	return s->nested ? LIVE_OF_NESTED : LIVE_FOUND;
}
