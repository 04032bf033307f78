/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmm.c - a small virtual machine monitor for tests: what other monitors do that may hurt a recorder, each on request.
 * It loads a PVH kernel, and its memory is three slots with holes between them, the last above 4 GiB.
 *   -c N      vCPUs
 *   --cpus boot=N,max=M
 *             N vCPUs, and one more up to M each time that SIGUSR2 comes
 *   -m        memory from a memfd, instead of anonymous
 *   -g        memory in two slots of one mapping, as most monitors have it: below the hole 3 GiB, above it 16 MiB
 *   -k        an interrupt controller in the kernel, so that halted vCPUs sleep in KVM_RUN; else in user space
 *   -s        vCPU threads under a seccomp filter without restart_syscall
 *   -w US     after each write to an I/O port the vCPU's thread sleeps so many microseconds outside KVM_RUN
 *   -i        after each write to an I/O port a system management interrupt, in whose handler the vCPU spins
 *   -d        a second descriptor of the machine, as some monitors have one for each vCPU
 *   -r        registers of its own in the page that KVM shares with it, from the first KVM_RUN on (KVM_CAP_SYNC_REGS)
 *   -n        signals to each vCPU thread, every millisecond, until SIGUSR1 comes; each must arrive
 *   -b FILE   200 times a second: how many bytes the guest has written to ports, how many signals were sent and how
 *             many arrived, whether somebody has kvm_valid_regs set, and the sums of what was written to ports 0xe0 to
 *             0xe3, four bytes at a time
 *   -o FILE   the registers of the device whose file (sysfs's resource0) this is, at 768 MiB, as VFIO has them
 *   -x        descriptor 900 is the first vCPU's and an empty file, in turn
 *   -a TEXT   the guest's command line
 *   -z TEXT   a guest of one vCPU is reset when SIGUSR2 comes: then KERNEL, as it is by then, begins with this line
 * A byte written to port 0x81 takes that many pages at 12 MiB away from the guest, which then finds new ones there.
 * A vCPU that cannot go on ends the process with status 3 and the reason on stderr.
 */
#include "vmm.h"

#include <elf.h>
#include <getopt.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#define BASE_LIMIT 0xa0000u /* of the first slot */
#define KERNEL 0x100000u
#define LOW_LIMIT 0x1000000u /* of the second */
#define TAKEN 0xc00000u
#define FAR 0x100000000ull
#define FAR_SIZE 0x10000u
#define HOLE 0xc0000000u       /* with -g: where it begins */
#define WHOLE_FAR 0x1000000ull /* and how much is above it */
#define DEVICE 0x30000000u
#define DEVICE_SIZE 0x20000u
#define SMM_SPACE 0x10000u /* of slots */
#define SMM_HANDLER 0x38000u
#define INFO 0x7000u
#define LINE 0x7100u
#define SECONDARY 0x55504650u /* guests/start.S */

static struct {
	unsigned vcpus, most;
	bool memfd, whole, irqchip, filter, signals, second, sync, exchange, smi;
	long sleep_ns;
	const char *beats, *line, *next_line, *kernel, *device;
} options = {.vcpus = 1, .line = ""};

static uint8_t *low, *lowest;
static uint32_t entry;
static struct vcpu vcpus[MAX_VCPUS];
static _Atomic uint64_t beats, sent, arrived, told[4];
static _Atomic bool quiet, reset_asked, plug_asked;
static sem_t never;

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Slots from one mapping: the guest's memory as one piece would be another one with what lies between. */
static uint8_t *add_pieces(void)
{
	uint8_t *base = add_slot(0, 0, BASE_LIMIT, map_memory(BASE_LIMIT, options.memfd));

	add_slot(2, FAR, FAR_SIZE, map_memory(FAR_SIZE, options.memfd));
	low = add_slot(1, KERNEL, LOW_LIMIT - KERNEL, map_memory(LOW_LIMIT - KERNEL, options.memfd));
	return base;
}

static uint8_t *add_whole(void)
{
	uint8_t *base = add_slot(0, 0, HOLE, map_memory(HOLE + WHOLE_FAR, options.memfd));

	add_slot(1, FAR, WHOLE_FAR, base + HOLE);
	low = base + KERNEL;
	return base;
}

/* Such an interrupt has a memory of its own, which is here the same. */
static void add_handler(uint8_t *base)
{
	static const uint8_t code[] = {
		0x66, 0xb9, 0x20, 0x4e, 0x00, 0x00, /* mov ecx, 20000 */
		0x66, 0x49, 0x75, 0xfc,             /* 1: dec ecx; jnz 1b */
		0x0f, 0xaa,                         /* rsm */
	};

	memcpy(base + SMM_HANDLER, code, sizeof(code));
	add_slot(SMM_SPACE, 0, BASE_LIMIT, base);
}

static void put_line(const char *line)
{
	uint64_t info[4] = {0x336ec578 | 1ull << 32, 0, 0, LINE};

	memcpy(lowest + INFO, info, sizeof(info));
	snprintf((char *)lowest + LINE, 256, "%s", line);
}

static void add_memory(void)
{
	lowest = options.whole ? add_whole() : add_pieces();
	if (options.smi)
		add_handler(lowest);
}

static void add_device(void)
{
	const int fd = must(open(options.device, O_RDWR | O_CLOEXEC), options.device);
	void *p = mmap(NULL, DEVICE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		die(options.device);
	add_slot(3, DEVICE, DEVICE_SIZE, p);
}

static void load_segment(const uint8_t *file, const Elf64_Phdr *p)
{
	if (p->p_paddr < KERNEL || p->p_paddr + p->p_memsz > LOW_LIMIT) {
		errno = ERANGE;
		die(options.kernel);
	}
	memcpy(low + p->p_paddr - KERNEL, file + p->p_offset, p->p_filesz);
}

/* The note's type 18 holds the address of the entry. */
static void load_kernel(void)
{
	static uint8_t file[1 << 20];
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
	int fd = must(open(options.kernel, O_RDONLY | O_CLOEXEC), options.kernel);

	must((int)read(fd, file, sizeof(file)), options.kernel);
	close(fd);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(file + e->e_phoff) + i;

		if (p->p_type == PT_LOAD)
			load_segment(file, p);
		else if (p->p_type == PT_NOTE)
			memcpy(&entry, file + p->p_offset + sizeof(Elf64_Nhdr) + 4, sizeof(entry));
	}
}

/* --- vCPUs ------------------------------------------------------------------------------------------------------- */

static void set_registers(const struct vcpu *v)
{
	const struct kvm_segment code = {
		.limit = ~0u, .selector = 8, .type = 11, .present = 1, .db = 1, .s = 1, .g = 1};
	const struct kvm_segment data = {
		.limit = ~0u, .selector = 16, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1};
	struct kvm_regs regs = {
		.rip = entry, .rbx = INFO, .rflags = 0x202, .rsi = v->number ? SECONDARY : 0, .rdi = v->number};
	static struct kvm_sregs initial[MAX_VCPUS];
	struct kvm_sregs sregs;

	if (!initial[v->number].cr0)
		must(ioctl(v->fd, KVM_GET_SREGS, &initial[v->number]), "KVM_GET_SREGS");
	sregs = initial[v->number];
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.cr0 = 0x11;
	must(ioctl(v->fd, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	must(ioctl(v->fd, KVM_SET_REGS, &regs), "KVM_SET_REGS");
	/* Those behind the first wait for INIT otherwise. */
	if (options.irqchip)
		must(ioctl(v->fd, KVM_SET_MP_STATE, &(struct kvm_mp_state){KVM_MP_STATE_RUNNABLE}),
		     "KVM_SET_MP_STATE");
}

static void set_cpuid(const struct vcpu *v, int kvm)
{
	const uint32_t n = 256;
	struct kvm_cpuid2 *cpuid = calloc(1, sizeof(*cpuid) + n * sizeof(*cpuid->entries));

	if (!cpuid)
		die("calloc");
	cpuid->nent = n;
	must(ioctl(kvm, KVM_GET_SUPPORTED_CPUID, cpuid), "KVM_GET_SUPPORTED_CPUID");
	must(ioctl(v->fd, KVM_SET_CPUID2, cpuid), "KVM_SET_CPUID2");
	free(cpuid);
}

static void make_vcpu(struct vcpu *v, unsigned number, int kvm)
{
	create_vcpu(v, number, kvm);
	set_cpuid(v, kvm);
	set_registers(v);
	if (options.sync)
		v->run->kvm_valid_regs = KVM_SYNC_X86_REGS;
}

#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What a vCPU thread needs, and nothing for the kernel to restart a call by. */
static void filter(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(ioctl),
		ALLOW(write),
		ALLOW(futex),
		ALLOW(clock_nanosleep),
		ALLOW(rt_sigreturn),
		ALLOW(exit),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
	must((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
	                  &(struct sock_fprog){sizeof(program) / sizeof(*program), program}),
	     "seccomp");
}

static void take_port(const struct kvm_run *run)
{
	const uint8_t *data = (const uint8_t *)run + run->io.data_offset;
	const unsigned sum = run->io.port - 0xe0u;
	uint32_t word;

	atomic_fetch_add(&beats, run->io.size * run->io.count);
	if (sum < sizeof(told) / sizeof(*told) && run->io.size == sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		atomic_fetch_add(&told[sum], word);
	} else if (run->io.port == 0x81) {
		must(madvise(low + TAKEN - KERNEL, *data * 4096u, MADV_DONTNEED), "madvise");
	}
	if (options.sleep_ns)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = options.sleep_ns}, NULL);
}

#define EXCHANGED 900 /* behind all others: who looks for vCPUs finds this one last */

static void *exchange(void *arg)
{
	const int empty = must(memfd_create("empty", MFD_CLOEXEC), "memfd_create");

	for (bool is_vcpu = true;; is_vcpu = !is_vcpu) {
		must(dup3(is_vcpu ? vcpus[0].fd : empty, EXCHANGED, O_CLOEXEC), "dup3");
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 30000}, NULL);
	}
	return arg;
}

/* Has KVM left the registers, all of them and now? */
static void check_sync(const struct vcpu *v)
{
	struct kvm_regs regs;

	must(ioctl(v->fd, KVM_GET_REGS, &regs), "KVM_GET_REGS");
	if (memcmp(&regs, &v->run->s.regs.regs, sizeof(regs)) == 0)
		return;
	fprintf(stderr, "vmm: vCPU %u: registers are stale\n", v->number);
	_exit(3);
}

static void reset(const struct vcpu *v)
{
	memset(low, 0, LOW_LIMIT - KERNEL);
	put_line(options.next_line);
	load_kernel();
	set_registers(v);
}

static void *run_vcpu(void *arg)
{
	struct vcpu *v = arg;
	struct kvm_regs regs;

	atomic_store(&v->tid, (pid_t)syscall(SYS_gettid));
	prctl(PR_SET_TIMERSLACK, 1);
	if (options.filter)
		filter();
	for (;;) {
		int rc = ioctl(v->fd, KVM_RUN, 0);

		if (atomic_exchange(&reset_asked, false))
			reset(v);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0)
			die("KVM_RUN");
		if (options.sync)
			check_sync(v);
		switch (v->run->exit_reason) {
		case KVM_EXIT_IO:
			take_port(v->run);
			if (options.smi)
				must(ioctl(v->fd, KVM_SMI), "KVM_SMI");
			break;
		case KVM_EXIT_HLT:
			while (sem_wait(&never) != 0)
				;
			break;
		default:
			must(ioctl(v->fd, KVM_GET_REGS, &regs), "KVM_GET_REGS");
			fprintf(stderr, "vmm: vCPU %u: exit %u at 0x%llx\n", v->number, v->run->exit_reason, regs.rip);
			_exit(3);
		}
	}
}

/* --- the rest ---------------------------------------------------------------------------------------------------- */

/* Sent as data in a queue, each arrives by itself. */
static void count(int signal)
{
	(void)signal;
	atomic_fetch_add(&arrived, 1);
}

static void be_quiet(int signal)
{
	(void)signal;
	atomic_store(&quiet, true);
}

static void ask_reset(int signal)
{
	if (pthread_equal(pthread_self(), vcpus[0].thread))
		atomic_store(&reset_asked, true);
	else
		pthread_kill(vcpus[0].thread, signal);
}

static void *send_signals(void *arg)
{
	(void)arg;
	while (!atomic_load(&quiet)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 1000000}, NULL);
		for (unsigned i = 0; i < options.vcpus; i++)
			if (pthread_sigqueue(vcpus[i].thread, SIGRTMIN, (union sigval){0}) == 0)
				atomic_fetch_add(&sent, 1);
	}
	return NULL;
}

static uint64_t armed(void)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < options.vcpus; i++)
		any |= *(volatile __u64 *)&vcpus[i].run->kvm_valid_regs;
	return any;
}

static void ask_plug(int signal)
{
	(void)signal;
	atomic_store(&plug_asked, true);
}

static void plug_vcpu(int kvm)
{
	struct vcpu *v = &vcpus[options.vcpus];

	if (options.vcpus == options.most)
		return;
	make_vcpu(v, options.vcpus++, kvm);
	start_vcpus(v, 1, run_vcpu);
}

/* "beats sent arrived armed told...", in place. */
static _Noreturn void tell(int kvm)
{
	int fd = options.beats ? open_beats(options.beats) : -1;

	for (;;) {
		char line[160];
		int n = snprintf(line, sizeof(line), "%12llu %12llu %12llu %2llu %16llu %16llu %16llu %16llu\n",
		                 (unsigned long long)beats, (unsigned long long)sent, (unsigned long long)arrived,
		                 (unsigned long long)armed(), (unsigned long long)told[0], (unsigned long long)told[1],
		                 (unsigned long long)told[2], (unsigned long long)told[3]);

		if (fd >= 0)
			must((int)pwrite(fd, line, (size_t)n, 0), options.beats);
		if (atomic_exchange(&plug_asked, false))
			plug_vcpu(kvm);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 5000000}, NULL);
	}
}

static void parse(int argc, char **argv)
{
	static const struct option cpus[] = {{"cpus", required_argument, NULL, 'p'}, {0}}; /* as cloud-hypervisor */
	int c;

	while ((c = getopt_long(argc, argv, "c:mgksw:idrno:xb:a:z:", cpus, NULL)) != -1) {
		switch (c) {
		case 'c':
			options.vcpus = (unsigned)atoi(optarg);
			break;
		case 'p':
			if (sscanf(optarg, "boot=%u,max=%u", &options.vcpus, &options.most) != 2)
				exit(2);
			break;
		case 'm':
			options.memfd = true;
			break;
		case 'g':
			options.whole = true;
			break;
		case 'k':
			options.irqchip = true;
			break;
		case 's':
			options.filter = true;
			break;
		case 'w':
			options.sleep_ns = atol(optarg) * 1000;
			break;
		case 'i':
			options.smi = true;
			break;
		case 'd':
			options.second = true;
			break;
		case 'r':
			options.sync = true;
			break;
		case 'n':
			options.signals = true;
			break;
		case 'o':
			options.device = optarg;
			break;
		case 'x':
			options.exchange = true;
			break;
		case 'b':
			options.beats = optarg;
			break;
		case 'a':
			options.line = optarg;
			break;
		case 'z':
			options.next_line = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (optind + 1 != argc || options.vcpus < 1 || options.vcpus > MAX_VCPUS || options.most > MAX_VCPUS) {
		fputs("usage: vmm [-c N | --cpus boot=N,max=M] [-mgksidrnx] [-w US] [-o FILE] [-b FILE] [-a TEXT] "
		      "[-z TEXT] KERNEL\n",
		      stderr);
		exit(2);
	}
	options.kernel = argv[optind];
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int kvm;

	parse(argc, argv);
	kvm = must(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	vm = must(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	if (options.second)
		must(dup(vm), "dup");
	if (options.irqchip)
		must(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "KVM_CREATE_IRQCHIP");
	sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = count}, NULL);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = be_quiet}, NULL);
	if (options.next_line)
		sigaction(SIGUSR2, &(struct sigaction){.sa_handler = ask_reset}, NULL);
	else if (options.most)
		sigaction(SIGUSR2, &(struct sigaction){.sa_handler = ask_plug}, NULL);
	add_memory();
	put_line(options.line);
	if (options.device)
		add_device();
	load_kernel();
	for (unsigned i = 0; i < options.vcpus; i++)
		make_vcpu(&vcpus[i], i, kvm);
	start_vcpus(vcpus, options.vcpus, run_vcpu);
	if ((options.signals && pthread_create(&thread, NULL, send_signals, NULL) != 0) ||
	    (options.exchange && pthread_create(&thread, NULL, exchange, NULL) != 0))
		die("pthread_create");
	tell(kvm);
}
