#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# An HVM guest as most hosts have them: Debian's QEMU is its device model, and firmware boots its kernel.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

"$xen/guests/build" -m long "$work/long.elf"
guest=$work/long.elf
lab -q -g "$work/long.elf" "$xen/in_dom0/hvm.sh"

ok "the device model is QEMU" grep . "$out/qemu"
ok "from its first instruction: recorded" recorded boot
firmware() {
	"$report" -q --dump "$out/boot.upf" | grep -o ' end [0-9]* ([^)]*)' | sort | uniq -c | tee "$work/ends"
	grep -q '(16-bit code)' "$work/ends"
}
ok "the firmware's 16-bit code is named, and no stack of it is guessed" firmware
ok "recorded" recorded all
ok "in the list as HVM" listed hvm HVM 1
ok "in the trace as HVM, x86-64" head_says hvm HVM x86-64
ok "every stack is the guest's, every share of time within 3 points" shares_in_all hvm recursion
ok "all stacks are whole" all_whole hvm
done_testing
