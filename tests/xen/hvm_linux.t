#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel in an HVM guest of Xen with Debian's QEMU, relocated at its start (KASLR), that goes on with another
# kernel (kexec) under the same domid, then reboots, all in one recording.
set -u
. "$(dirname "$0")/tap.sh"

if ! command -v xorriso > "$work/found" || [ ! -e /usr/lib/ISOLINUX/isolinux.bin ]; then
	echo "1..0 # SKIP no xorriso or isolinux here (make deps)"
	exit
fi
linux=$work/linux
"$xen/linux/build" -k "$linux"
# As on real hardware, it hands over by itself. Without "nopv" it would ask the toolstack for a soft reset.
"$xen/cd" "$linux/vmlinuz" "$linux/initrd" "nopv quiet" "$work/linux.iso" || exit
# Under QEMU 10 the firmware halts with interrupts off.
lab -q -e -f "$build/tests/xen/onlooker=/bin/onlooker" -f "$work/linux.iso" -f "$xen/in_dom0/linux_boots.sh" \
	"$xen/in_dom0/hvm_linux.sh"
. "$xen/linux_boots.sh"
# A domain's end and its return are events.
one_domid() {
	"$report" -q --dump "$trace" | grep ' event domain 0 ' | tee "$work/events"
	[ "$(grep -c '(reboot)' "$work/events")" = 1 ]
}
ok "the kexec is within one domid, the reboot is not" one_domid
done_testing
