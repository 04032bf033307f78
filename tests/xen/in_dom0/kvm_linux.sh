# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_linux.t: a Debian kernel under QEMU that goes on with another one (kexec), then reboots.
. /lab/linux_boots.sh

# The local APIC is QEMU's. With KVM's, on the emulator's SVM, interrupts come where the kernel has them off, and it
# hangs.
qemu-system-x86_64 -accel kvm -cpu host,-x2apic,-kvm-asyncpf-int -machine pc,kernel_irqchip=off -nodefaults \
	-display none -m 256 -name guest=linux -kernel /lab/vmlinuz -initrd /lab/initrd -append quiet \
	-chardev pipe,id=line,path=/run/line -serial chardev:line 2> /out/qemu &
qemu=$!
record_boots
kill $qemu
