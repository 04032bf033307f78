#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# As kvm_live.t on two processors: the guest has one, the recorder the other and interrupts it.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kvm.sh"

both_live() {
	is_live shares && is_live exits
}
# Its stack pointers lead to more places than one live sample can copy that much of. A sample from before that is known
# may tell what the guest has left for.
by_stops() {
	grep -F '64 KiB at most' "$out/large.err" | grep 'sampled by stops from now on' || return
	"$report" --dump "$out/large.upf" | grep -m 1 'event .*sampled by stops' && folded "$out/large.upf" > "$work/large"
	sed 's/;\[[^];]*\];\[\(host\|VMM\)\] / /' "$work/large" | awk '
		!/^(_start;kernel_main;work_hostile;fp_[a-z_]*|sp_[a-z]*|\[no stack\]) / { bad = 1; print }
		END { exit bad || NR < 5 }'
}
# Of two vCPUs on two processors, the recorder takes one's processor and asks the other.
both_have_stacks() {
	"$report" -q --dump "$out/spread.upf" | awk '
		/ sample .* running/ { v = $0; sub(/.* vcpu /, "", v); v += 0; all[v]++; none[v] += /no registers/ }
		END {
			for (v = 0; v < 2; v++) print "vCPU " v ": " all[v] " samples, " none[v] " of them without registers"
			exit !(all[0] > 400 && all[1] > 400 && none[0] * 50 < all[0] && none[1] * 50 < all[1])
		}'
}
# Its handler is no part of the guest that a profile is of.
without_smm() {
	is_live smm && folded "$out/smm.upf" | tee "$work/smm" | head -n 5
	grep -q '\[no stack\]' "$work/smm" && ! grep -vE '^(\[no stack\]|_start;kernel_main;work_)' "$work/smm"
}
shorter() {
	grep -h '^paused' "$out/shares.err" "$out/stops.err" | tee "$work/told"
	[ "$(sed 's/.*p50 \([0-9.]*\) us.*/\1/' "$work/told" | tr '\n' ' ' | awk '{ print $1 * 2 < $2 }')" = 1 ]
}
# calls PERCENT REASON WHO FUNCTION...: so many stacks of the host's that are known pass these functions, in this order.
calls() {
	local percent=$1
	shift
	"$report" -q --folded --symfs "$work/root" -s "$guest" "$out/exits.upf" | grep -F ";[$1];[$2];" | tee "$work/host"
	awk -v percent="$percent" -v functions="${*:3}" '
		BEGIN { n = split(functions, name, " ") }
		{
			to = 1
			for (i = 1; i <= split($0, frame, ";"); i++) {
				sub(/ .*/, "", frame[i])
				to += to <= n && frame[i] == name[to]
			}
			all += $NF
			good += to > n ? $NF : 0
		}
		END { print all, good; exit !(all > 50 && 100 * good >= percent * all) }' "$work/host"
}
# Not all of the time of a page fault is in the page tables' code.
serves_faults() {
	calls 90 "page fault or MMIO" host $entry && calls 20 "page fault or MMIO" host $entry kvm_mmu_page_fault
}
# What the monitor does for a write to a port, and for one that asks it to take pages away. No symbol names a stub of
# the linker's (.plt).
monitor_calls() {
	calls 0 "port I/O" VMM | cat > "$work/calls"
	grep -F '[VMM];__ioctl [VMM:libc.so.6]' "$work/calls" | tail -n 1 && grep -F '[VMM];run_vcpu [VMM:vmm]' "$work/calls" | tail -n 1 &&
		grep -E 'exits_touch_pages;.*\[VMM\];__?madvise \[VMM:libc.so.6\];.*;__x64_sys_madvise \[host:kernel\]' "$work/calls" | tail -n 1 &&
		! grep -E 'exits_(ask|calc)' "$work/calls" &&
		[ "$(grep -cF '[unknown]' "$work/calls")" -le $(($(wc -l < "$work/calls") / 20)) ]
}
# Whenever the thread was on a processor, the program has found its stack.
all_known() {
	folded "$out/exits.upf" | awk '/;\[host\]/ { all += $NF; known += /;\[host\];/ ? $NF : 0 }
		END { print all, known; exit !(all > 500 && known > 0.9 * all) }'
}
entry="entry_SYSCALL_64_after_hwframe do_syscall_64 __x64_sys_ioctl kvm_vcpu_ioctl kvm_arch_vcpu_ioctl_run"
mkdir -p "$work/root/bin" "$work/root/lib"
cp "$build/tests/kvm/vmm" "$work/root/bin"
cp "$(ldd "$build/tests/kvm/vmm" | sed -n 's/.* => \(.*libc\.so\.6\) .*/\1/p')" "$work/root/lib"
still_there() {
	cat "$out/exits.vmm"
	recorded again
}
# Samples in a function end as they must, but for one in fifty, and one more: where it begins and ends.
astray() {
	[ -e "$out/hostile.runs" ] && is_live hostile || return
	"$report" -q --no-repair --dump -s "$guest" "$out/hostile.upf" |
		sed -n 's/.* sample .* end [0-9]* (\([^)]*\)), depth \([0-9]*\): \([a-z_]*\).*/\3: \1, \2/p' | sort | uniq -c > "$work/ends"
	as_they_must && recorded hostile && recorded copies
}
as_they_must() {
	local function end

	while IFS=: read -r function end; do
		awk -v function_="$function:" -v end="^ *[0-9]+ $function:$end\$" '
			$2 == function_ { all += $1; good += $0 ~ end ? $1 : 0 }
			END {
				bad = all < 5 || good < 0.98 * all - 1
				if (bad) print function_, all " samples, " good " as they must be"
				exit bad
			}' "$work/ends" || { grep " $function:" "$work/ends"; return 1; }
	done <<-'END'
		fp_loop: frame pointer not above the last, 2
		fp_cycle: frame pointer not above the last, 3
		fp_down: frame pointer not above the last, 2
		fp_odd: frame pointer misaligned, 1
		fp_nowhere: no page there, 1
		fp_outside: page refused by the hypervisor, 1
		fp_by_outside: page refused by the hypervisor, 1
		fp_endless: depth limit, 127
		fp_tables: whole, 1
		fp_flipping: (whole|no page there), 1
		fp_random: .*
		sp_odd: whole, 3
		sp_outside: whole, 3
		sp_random: whole, 3
	END
}
# What they lead to has kept what the first read takes away.
device_unread() {
	cat "$out/causes" "$out/hostile.vmm"
	[ "$(cat "$out/causes")" = $'0x00000004\n0x00000000' ]
}
ended_in_order() {
	cat "$out/ended.rcs" "$out/ended.err"
	[ "$(sort -u "$out/ended.rcs")" = 0 ] && [ "$(wc -l < "$out/ended.rcs")" = 4 ]
}
# KINDS="kvm kvm-trixie" also on Linux 6.12.
for kind in ${KINDS:-kvm}; do
	live_lab kvm_live_apart.sh -c 2 -k "$kind"
	ok "$kind, apart: recorded" recorded shares
	ok "$kind, apart: every stack is the guest's, every share of time within 3 points" true_shares shares shares
	ok "$kind, apart: stacks are whole" all_whole shares
	ok "$kind, apart: they are live" both_live
	ok "$kind, apart: a vCPU whose processor the recorder takes has a stack beside one that is asked" both_have_stacks
	ok "$kind, apart: system management mode is not taken for the guest's code" without_smm
	ok "$kind, apart: no exits by signals for samples, but for stops" no_signal
	ok "$kind, apart: the program holds the vCPU for less than half a stop" shorter
	sed 's/^/# /' "$work/told"
	ok "$kind, apart: a guest that leaves for one reason after the other: recorded" recorded exits
	ok "$kind, apart: each part has its share by the guest's own count, within 2 points" shares_of_parts 2
	ok "$kind, apart: the host's kernel serves CPUID in KVM_RUN" calls 90 CPUID host $entry
	ok "$kind, apart: and pages that are not there, by its own page tables" \
		serves_faults
	ok "$kind, apart: every stack of the host's kernel is known" all_known
	ok "$kind, apart: what the monitor does, by its own names" monitor_calls
	ok "$kind, apart: after eight recorders that were killed the guest works on, and is recorded" still_there
	ok "$kind, apart: four monitors that end while they are recorded" ended_in_order
	ok "$kind, apart: pointers and page tables that lead astray: every walk ends, for the right reason" astray
	ok "$kind, apart: where one sample cannot copy what it needs, by stops, and every stack is right" by_stops
	ok "$kind, apart: and none reads the registers of a device" device_unread
	ok "$kind, apart: no program is left in the kernel" test "$(cat "$out/programs")" = 0
	ok "$kind, apart: nothing in the kernel's log" quiet_kernel
done
done_testing
