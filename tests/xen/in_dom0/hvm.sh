# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of hvm.t: an HVM guest with QEMU, from its firmware's first instruction on.

# The firmware is done, and the guest runs at its own addresses.
kernel_runs() {
	xenctx "$(domid hvm)" 0 | grep -q 'rip: ffffffff8'
}
type=qemu guest_config hvm long.elf 1 "work=recursion"
uniprof-record -F 1000 -d 1 -o /out/boot.upf --start 'xl create -q -p /tmp/hvm.cfg' 2> /out/boot.err
echo $? > /out/boot.rc
await kernel_runs
ps -o args | grep '[x]en-qemu-system' > /out/qemu
uniprof-record --list > /out/list
uniprof-record -F 1000 -d 3 -o /out/all.upf hvm 2> /out/all.err
echo $? > /out/all.rc
