/* SPDX-License-Identifier: BSD-2-Clause */
/* vmm.h - what the monitors for x86 and ARM64 share. Errors end the process with status 3, the reason on stderr. */
#ifndef TESTS_KVM_VMM_H
#define TESTS_KVM_VMM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_VCPUS 8

struct vcpu {
	unsigned number;
	int fd;
	struct kvm_run *run;
	pthread_t thread;
	_Atomic pid_t tid;
};

static int vm;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "vmm: %s: %s\n", what, strerror(errno));
	_exit(3);
}

static int must(int result, const char *what)
{
	if (result < 0)
		die(what);
	return result;
}

/* From a memfd, or anonymous. */
static uint8_t *map_memory(uint64_t size, bool memfd)
{
	int fd = memfd ? must(memfd_create("guest", MFD_ALLOW_SEALING), "memfd_create") : -1;
	uint8_t *p;

	if (memfd) {
		must(ftruncate(fd, (off_t)size), "ftruncate");
		/* As QEMU does. */
		must(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL), "F_ADD_SEALS");
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	         (memfd ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

/* Makes @p the guest's memory at @address. */
static uint8_t *add_slot(uint32_t slot, uint64_t address, uint64_t size, uint8_t *p)
{
	must(ioctl(vm, KVM_SET_USER_MEMORY_REGION,
	           &(struct kvm_userspace_memory_region){.slot = slot,
	                                                 .guest_phys_addr = address,
	                                                 .memory_size = size,
	                                                 .userspace_addr = (uintptr_t)p}),
	     "KVM_SET_USER_MEMORY_REGION");
	return p;
}

static void create_vcpu(struct vcpu *v, unsigned number, int kvm)
{
	v->number = number;
	v->fd = must(ioctl(vm, KVM_CREATE_VCPU, number), "KVM_CREATE_VCPU");
	v->run = mmap(NULL, (size_t)must(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "KVM_GET_VCPU_MMAP_SIZE"),
	              PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->run == MAP_FAILED)
		die("mmap of a vCPU");
}

static void start_vcpus(struct vcpu *vcpus, unsigned n, void *(*run)(void *))
{
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&vcpus[i].thread, NULL, run, &vcpus[i]) != 0)
			die("pthread_create");
}

static int open_beats(const char *path)
{
	return must(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), path);
}

#endif
