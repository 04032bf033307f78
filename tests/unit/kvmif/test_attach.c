/* SPDX-License-Identifier: BSD-2-Clause */
/* A monitor that has made more vCPUs, or unplugged one, since it was looked at: here this process itself, with KVM. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

#include "kvmif/backend/attach.c"
#include "kvmif/bpf/no_iterator.c"
#include "kvmif/bpf/no_live.c"

/* Makes vCPUs 0 to n - 1. False: there is no KVM here. */
static bool make_machine(int *kvm, int *vm, int *vcpus, int n)
{
	*kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	*vm = *kvm < 0 ? -1 : ioctl(*kvm, KVM_CREATE_VM, 0);
	for (int i = 0; *vm >= 0 && i < n; i++) {
		vcpus[i] = ioctl(*vm, KVM_CREATE_VCPU, i);
		assert_true(vcpus[i] >= 0);
	}
	return *vm >= 0;
}

TEST(vcpus_are_as_many_as_there_is_room_for)
{
	struct machine m;
	struct guest g = {0};
	struct guest_info info;
	int kvm, vm, vcpus[3];

	if (!make_machine(&kvm, &vm, vcpus, 2))
		pass_without("/dev/kvm");
	assert_int_equal(machine_find(getpid(), &m), 0);
	kvm_describe(&m, &info);
	assert_int_equal(info.vcpus, 2);
	assert_int_equal(find_again(&g, &info), 0);
	assert_int_equal(g.machine.vcpus, 2);
	vcpus[2] = ioctl(vm, KVM_CREATE_VCPU, 2);
	assert_int_equal(find_again(&g, &info), -ESRCH);
	info.vcpus = 3;
	close(vcpus[2]);
	assert_int_equal(find_again(&g, &info), 0);
	assert_int_equal(g.machine.vcpus, 3);
	assert_int_equal(g.machine.fds[2], -1);
	info.uuid[0] ^= 1;
	assert_int_equal(find_again(&g, &info), -ESRCH);
	close(vcpus[1]);
	close(vcpus[0]);
	close(vm);
	close(kvm);
}
