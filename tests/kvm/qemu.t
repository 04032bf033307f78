#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records guests under QEMU on a real KVM, found by the name that QEMU was given.
set -u
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/qemu.sh"


guest_name="web,,$$"
start_qemu "$guest_name" 2 "work=levels others=same vcpus=2 "
works_or_skip work_levels
ok "two vCPUs: recorded by QEMU's name" recorded q35 -F 1k -n 4000 "web,$$"
both() {
	for vcpu in 0 1; do
		folded --vcpu $vcpu "$work/q35.upf" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/levels.txt" || return
	done
}
ok "every stack is the guest's, every share of time within 3 points" both
ok "nothing is left behind" untouched
end_machines

# A halted vCPU's registers stand still: QEMU's monitor and the trace must tell the same.
start_qemu "idle$$" 1 work=idle
halted() {
	grep -q "^CPU 0/KVM" "/proc/$pid/task/"*/comm && grep -q ' 0xae80 ' "/proc/$pid/task/"*/syscall
}
in_idle() {
	printf 'info registers\n' >&7
	tr '\r' '\n' < "$work/qemu.out" | grep -q '^RIP=0*1.* HLT=1'
}
ok "an idle guest halts" await in_idle
ok "it is halted in KVM_RUN" await halted
ok "an idle guest: recorded" recorded idle -F 100 -n 20 --max-overhead 100% "idle$$"
same() {
	tr '\r' '\n' < "$work/qemu.out" | sed -n 's/^RIP=0*\([0-9a-f]*\) .*/0x\1/p' | tail -n 1 > "$work/theirs"
	"$report" -q --stacks --state all "$work/idle.upf" | grep -m 1 '^0x' > "$work/ours"
	cat "$work/theirs" "$work/ours"
	cmp "$work/theirs" "$work/ours"
}
ok "QEMU's monitor shows the same instruction pointer" same
ok "its stack is the guest's" test "$(folded --state all "$work/idle.upf")" = "_start;kernel_main;work_idle 20"
ok "nothing is left behind" untouched

done_testing
