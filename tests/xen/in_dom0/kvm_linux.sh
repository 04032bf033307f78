# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_linux.t: a Debian kernel under QEMU that goes on with another one (kexec), then reboots.
boots() { # N: so many kernels have come up.
	[ "$(grep -c '^END' /run/console)" = "$1" ]
}
mkfifo /run/line.in /run/line.out
cat /run/line.out > /run/console &
# The local APIC is QEMU's. With KVM's, on the emulator's SVM, interrupts come where the kernel has them off, and it
# hangs.
qemu-system-x86_64 -accel kvm -cpu host,-x2apic,-kvm-asyncpf-int -machine pc,kernel_irqchip=off -nodefaults \
	-display none -m 256 -name guest=linux -kernel /lab/vmlinuz -initrd /lab/initrd -append quiet \
	-chardev pipe,id=line,path=/run/line -serial chardev:line 2> /out/qemu &
qemu=$!
await boots 1 || exit
uniprof-record -F 200 --max-cpu 100 --max-overhead 100 -o /out/boots.upf linux 2> /out/boots.err &
recorder=$!
more() {
	samples=$(($(onlooker samples /out/boots.upf | cut -d ' ' -f 1) + 300))
	await has_samples /out/boots.upf $samples
}
await has_samples /out/boots.upf 300 || exit
echo k > /run/line.in
await boots 2 && more || exit
echo r > /run/line.in
await boots 3 && more || exit
kill -INT $recorder
wait $recorder
echo $? > /out/boots.rc
tr -d '\r' < /run/console > /out/console
kill $qemu
