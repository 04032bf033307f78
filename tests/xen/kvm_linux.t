#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel under QEMU and KVM, relocated at its start (KASLR), that goes on with another kernel (kexec) and then
# reboots, all in one recording.
set -u
. "$(dirname "$0")/tap.sh"

linux=$work/linux
"$xen/linux/build" -k "$linux"
lab -q -k kvm -f "$build/tests/xen/onlooker=/bin/onlooker" -f "$linux/vmlinuz" -f "$linux/initrd" \
	-f "$xen/in_dom0/linux_boots.sh" "$xen/in_dom0/kvm_linux.sh"
. "$xen/linux_boots.sh"
done_testing
