/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmm_arm64.c - a small virtual machine monitor for tests on ARM64, for the Xen lab's ARM guests: enters them as Xen's
 * toolstack does, with a device tree that has only the command line. Hypercalls fail, as KVM knows none of them.
 *   -c N      vCPUs, of which the guest starts those behind the first by PSCI
 *   -3        32-bit code
 *   -m        memory from a memfd, instead of anonymous
 *   -k        nothing: as with this option of vmm.c, halted vCPUs sleep in KVM_RUN
 *   -b FILE   written when vCPU 0 runs
 *   -a TEXT   the guest's command line
 * A vCPU that cannot go on ends the process with status 3 and the reason on stderr.
 */
#include "vmm.h"

#include <endian.h>

#define RAM 0x40000000u /* tests/xen/guests/arm/layout.h */
#define RAM_SIZE 0x4000000u
#define KERNEL 0x8000u
#define TREE 0xf00000u
#define EL1_64 0x3c5u /* pstate: EL1h, or SVC mode; interrupts off */
#define SVC_32 0x1d3u

static struct {
	unsigned vcpus;
	bool is_32, memfd;
	const char *beats, *line;
} options = {.vcpus = 1, .line = ""};
static uint8_t *memory;

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* A Flattened Devicetree of one node with one property (its specification, 5). */
static void make_tree(uint8_t *to)
{
	enum { HEADER = 40, RESERVED = 16, BEGIN_NODE = 1, END_NODE, PROPERTY, END = 9 };
	static const char name[] = "bootargs";
	const uint32_t text = (uint32_t)strlen(options.line) + 1, padded = (text + 3) & ~3u;
	const uint32_t at = HEADER + RESERVED, structure = 2 * 4 + 3 * 4 + padded + 2 * 4;
	const uint32_t head[] = {
		0xd00dfeed, at + structure + sizeof(name), at, at + structure, HEADER, 17, 16, 0, sizeof(name),
		structure};
	const uint32_t words[] = {BEGIN_NODE, 0, PROPERTY, text, 0}, last[] = {END_NODE, END};
	uint32_t *word = (uint32_t *)(void *)to;

	memset(to, 0, at + structure);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		*word++ = htobe32(head[i]);
	word += RESERVED / 4;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		*word++ = htobe32(words[i]);
	memcpy(word, options.line, text);
	word += padded / 4;
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++)
		*word++ = htobe32(last[i]);
	memcpy(word, name, sizeof(name));
}

static void add_memory(const char *kernel)
{
	const int file = must(open(kernel, O_RDONLY | O_CLOEXEC), kernel);

	memory = add_slot(0, RAM, RAM_SIZE, map_memory(RAM_SIZE, options.memfd));
	must((int)read(file, memory + KERNEL, TREE - KERNEL), kernel);
	close(file);
	make_tree(memory + TREE);
}

/* --- vCPUs ------------------------------------------------------------------------------------------------------- */

static void set_register(const struct vcpu *v, size_t at, uint64_t value)
{
	const struct kvm_one_reg reg = {.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | at / 4,
	                                .addr = (uintptr_t)&value};

	must(ioctl(v->fd, KVM_SET_ONE_REG, &reg), "KVM_SET_ONE_REG");
}

static void make_vcpu(struct vcpu *v, unsigned number, int kvm)
{
	struct kvm_vcpu_init init;

	create_vcpu(v, number, kvm);
	must(ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init), "KVM_ARM_PREFERRED_TARGET");
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2 | (number ? 1u << KVM_ARM_VCPU_POWER_OFF : 0) |
	                    (options.is_32 ? 1u << KVM_ARM_VCPU_EL1_32BIT : 0);
	must(ioctl(v->fd, KVM_ARM_VCPU_INIT, &init), "KVM_ARM_VCPU_INIT");
	if (number)
		return;
	set_register(v, offsetof(struct kvm_regs, regs.regs[options.is_32 ? 2 : 0]), RAM + TREE);
	set_register(v, offsetof(struct kvm_regs, regs.pc), RAM + KERNEL);
	set_register(v, offsetof(struct kvm_regs, regs.pstate), options.is_32 ? SVC_32 : EL1_64);
}

static void *run_vcpu(void *arg)
{
	const struct vcpu *v = arg;

	for (;;) {
		if (ioctl(v->fd, KVM_RUN, 0) < 0) {
			if (errno == EINTR)
				continue;
			die("KVM_RUN");
		}
		/* There is no device: what is read is left as it is. */
		if (v->run->exit_reason == KVM_EXIT_MMIO)
			continue;
		fprintf(stderr, "vmm: vCPU %u: exit %u\n", v->number, v->run->exit_reason);
		_exit(3);
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:3mkb:a:")) != -1) {
		switch (c) {
		case 'c':
			options.vcpus = (unsigned)atoi(optarg);
			break;
		case '3':
			options.is_32 = true;
			break;
		case 'm':
			options.memfd = true;
			break;
		case 'k':
			break;
		case 'b':
			options.beats = optarg;
			break;
		case 'a':
			options.line = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (optind + 1 != argc || options.vcpus < 1 || options.vcpus > MAX_VCPUS) {
		fputs("usage: vmm [-c N] [-3m] [-b FILE] [-a TEXT] KERNEL\n", stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct vcpu vcpus[MAX_VCPUS];
	int kvm = must(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");

	parse(argc, argv);
	vm = must(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	add_memory(argv[optind]);
	for (unsigned i = 0; i < options.vcpus; i++)
		make_vcpu(&vcpus[i], i, kvm);
	start_vcpus(vcpus, options.vcpus, run_vcpu);
	if (options.beats)
		must((int)write(open_beats(options.beats), "1\n", 2), options.beats);
	pause();
}
