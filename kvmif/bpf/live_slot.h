/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_slot.h - what kvmif/bpf/live.c asks of the program in kvmif/bpf/live.bpf.c about one vCPU, and its answer:
 * memory that both see.
 */
#ifndef KVMIF_BPF_LIVE_SLOT_H
#define KVMIF_BPF_LIVE_SLOT_H

#define LIVE_RUNS 1024    /* pieces of memory that one sample copies */
#define LIVE_RUN_MAX 4096 /* bytes of one: it lies in a page */
#define LIVE_DATA 65536   /* bytes of all, and room for one more that is as long as can be */
#define LIVE_SAVE 0x400   /* the state save area of AMD's VMCB (APM volume 2, appendix B), */
#define LIVE_SAVE_SIZE 0x180
#define LIVE_EXIT_CODE 0x70
#define LIVE_HOST_DEPTH 64 /* frames of a stack of the host's */

/*
 * Where KVM's structure of a vCPU, which begins with the struct kvm_vcpu, has a pointer to the guest's state that is in
 * use, and which of them is the guest's own: AMD, where there is a pointer to its VMCB; Intel, where it is.
 */
struct live_places {
	unsigned int is_intel, state, own_state;
	unsigned int exit_code;               /* on Intel; else it is in the VMCB */
	unsigned int interrupts, ninterrupts; /* exit codes of interrupts, which are ours */
};

/* Where the vCPU's thread was. */
enum live_place {
	LIVE_OUTSIDE, /* not in KVM_RUN, or any other call on the vCPU */
	LIVE_IN_KVM,  /* in such a call: KVM works for the guest */
	LIVE_IN_GUEST,
};

/* What the thread does. */
enum live_thread {
	LIVE_GONE,
	LIVE_ON_CPU,
	LIVE_TAKEN, /* it would be, had the recorder not taken its CPU */
	LIVE_WAITING,
	LIVE_ASLEEP,
};

/* What look() in live.bpf.c is called with: the slots of these vCPUs are to be filled. */
struct live_look_args {
	unsigned int first, vcpus;
	/* A thread that has left a CPU less than this before the recorder got it was preempted by it. */
	unsigned int taken_ns;
	unsigned int stopped; /* all have stopped: their registers are to be read even if one still leaves its CPU */
};

struct live_slot {
	/* Asked: */
	unsigned long long vcpu; /* struct kvm_vcpu * */
	unsigned int wanted;     /* the number of this question */
	unsigned int nruns;
	unsigned int wants_host; /* the host's stack, where it was at work */
	/* Answered: */
	unsigned int done; /* the number of the question that was answered last */
	unsigned int place, thread, read;
	unsigned int foreign;                  /* registers of a guest of the guest, or of system management mode */
	unsigned int available;                /* bits of KVM's enum kvm_reg: what it has read since the exit */
	unsigned int host_depth;               /* 0: not asked for, not at work in the kernel, or it cannot be read */
	unsigned long long cpu_ns;             /* that the thread has run, as schedstat has it, */
	unsigned long long arrivals;           /* and how often it has come on a CPU; 0: not known */
	unsigned long long host_pstate;        /* ARM64: of the host, when it was interrupted */
	unsigned long long exit_code;          /* x86 */
	unsigned long long began_ns, ended_ns; /* CLOCK_MONOTONIC */
	unsigned long long host[LIVE_HOST_DEPTH]; /* addresses in the kernel, leaf first */
	unsigned long long host_from;             /* the frame that the stack is to begin with; 0: it begins so */
	unsigned long long vmm_ip;                /* the monitor's, in user mode; 0: as above */
	struct {
		int status; /* BPF_STACK_BUILD_ID_... of linux/bpf.h */
		unsigned char build_id[20];
		unsigned long long offset; /* in the file */
	} vmm_at;
	union {
		struct {
			unsigned long long
				registers[17]; /* in KVM's order: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to rip */
			unsigned char save[LIVE_SAVE_SIZE];
		};
		struct live_arm64 {
			unsigned long long x[31], sp_el0, pc, pstate; /* as KVM has them */
			unsigned long long sp_el1, elr, spsr, ttbr0, ttbr1, tcr, sctlr;
		} arm64;
	};
	/* Asked: */
	struct {
		unsigned long long from; /* in the monitor */
		unsigned int at, size;
	} runs[LIVE_RUNS];
	/* Answered: the runs, one after the other. */
	unsigned char data[LIVE_DATA + LIVE_RUN_MAX];
};

#endif
