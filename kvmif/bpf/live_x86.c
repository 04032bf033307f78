/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/bpf/live_arch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#define KVM_REG_RIP 16 /* of KVM's enum kvm_reg */

bool live_is_possible(struct live_places *p, bool needs_sp, char *why, size_t size)
{
	p->is_intel = access("/sys/module/kvm_intel", F_OK) == 0;
	if (!p->is_intel && access("/sys/module/kvm_amd", F_OK) != 0)
		snprintf(why, size, "KVM runs on no processor of AMD's or Intel's here (kvm_amd, kvm_intel)");
	else if (p->is_intel && needs_sp)
		snprintf(why, size, "copies of stacks need the stack pointer, which KVM does not keep on Intel");
	else
		return true;
	return false;
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

	p->interrupts = 1;
	p->ninterrupts = 1;
	return find_member(btf, &state, "loaded_vmcs", &p->state) && find_member(btf, &own, "vmcs01", &p->own_state) &&
	       (find_member(btf, &reason, "exit_reason", &p->exit_code) ||
	        (find_member(btf, &reason, "vt", &p->exit_code) &&
	         find_member(btf, &reason, "exit_reason", &p->exit_code)));
}

/* By the BTF of the module, or of the kernel where it is no module. */
struct module_types {
	struct btf *kernel, *module;
	const struct btf *btf;
	int outer; /* the structure that is asked for; negative: there is none */
};

static struct module_types types_of(const char *module, const char *structure)
{
	struct module_types t = {.kernel = btf__load_vmlinux_btf(), .outer = -1};

	t.module = t.kernel ? btf__load_module_btf(module, t.kernel) : NULL;
	t.btf = t.module ? t.module : t.kernel;
	if (t.kernel)
		t.outer = btf__find_by_name_kind(t.btf, structure, BTF_KIND_STRUCT);
	return t;
}

static void free_types(struct module_types *t)
{
	btf__free(t->module);
	btf__free(t->kernel);
}

int live_find_places(struct live_places *p)
{
	struct module_types t = p->is_intel ? types_of("kvm_intel", "vcpu_vmx") : types_of("kvm_amd", "vcpu_svm");
	bool found = t.outer >= 0 && (p->is_intel ? find_intel(t.btf, t.outer, p) : find_amd(t.btf, t.outer, p));

	free_types(&t);
	return found ? 0 : -ENOENT;
}

unsigned live_encryption_at(void)
{
	struct live_places p;
	char why[100];
	struct module_types t;
	unsigned at = 0;
	bool found;

	if (!live_is_possible(&p, false, why, sizeof(why)) || p.is_intel)
		return 0;
	t = types_of("kvm_amd", "kvm_svm"); /* a struct kvm, then what is AMD's */
	found = t.outer >= 0 && find_member(t.btf, &t.outer, "sev_info", &at) &&
	        find_member(t.btf, &t.outer, "active", &at);
	free_types(&t);
	return found ? at : 0;
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
enum guest_exit live_exit_of(const struct live_places *p, const struct live_slot *s, const struct kvm_run *run)
{
	(void)run;
	/* The bits above Intel's basic reason tell of an entry that failed, and of enclaves. */
	enum guest_exit exit =
		p->is_intel
			? find_exit(intel_exits, sizeof(intel_exits) / sizeof(*intel_exits), (uint16_t)s->exit_code)
			: find_exit(amd_exits, sizeof(amd_exits) / sizeof(*amd_exits),
	                            s->exit_code > UINT32_MAX ? UINT32_MAX : (unsigned)s->exit_code);

	if (exit == GUEST_EXIT_INTERRUPT &&
	    (s->place == LIVE_IN_GUEST || (s->place == LIVE_IN_KVM && s->thread == LIVE_TAKEN)))
		return GUEST_EXIT_NONE;
	return exit;
}

bool live_place_lacks_sp(const struct live_places *p)
{
	return p->is_intel;
}

bool live_place_lacks_space(const struct live_places *p, const uint64_t *pstate)
{
	return pstate && p->is_intel;
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

enum live_found live_registers_of(const struct live_places *p, const struct live_slot *s, struct vcpu_state *state)
{
	const unsigned long long *r = s->registers;
	struct kvm_sync_regs *to = &state->sync;

	to->regs = (struct kvm_regs){
		.rax = r[0],
		.rcx = r[1],
		.rdx = r[2],
		.rbx = r[3],
		.rsp = p->is_intel ? 0 : r[4],
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
	if (!p->is_intel)
		read_vmcb(s, to);
	else if (!(s->available >> KVM_REG_RIP & 1))
		return LIVE_NOT_FOUND;
	state->flags = s->foreign ? KVM_RUN_X86_GUEST_MODE : 0;
	return LIVE_FOUND;
}
