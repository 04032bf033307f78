#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM recorded without a stop, on an emulated processor of AMD's with Debian's kernel: the real kvm_amd.
set -u
. "$(dirname "$0")/tap.sh"

# With cycles that are long beside what the recorder takes of the processor they share: its time is no part of a turn.
UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/guest.elf" || exit
guest=$work/guest.elf
if ! nm "$build/uniprof-record" | grep -q bpf_object; then
	echo "1..0 # SKIP built without libbpf"
	exit
fi
live_lab() { # SCRIPT OPTION...
	lab -k kvm -f "$build/tests/kvm/vmm=/bin/vmm" -f /usr/bin/setpriv=/bin/set_privileges -f "$xen/in_dom0/kvm_guests.sh" "${@:2}" "$xen/in_dom0/$1"
}

# --- one processor, whose time is a count of instructions; the recorder takes it from the guest ----------------------
live_lab kvm_live.sh -i

recorded() { # NAME
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
# What the host does meanwhile is above the guest's stack. 9,000 samples are off by half a point (one sigma).
true_shares() { # NAME TRUTH [POINTS [OPTION...]]
	folded "${@:4}" "$out/$1.upf" | grep -v '^\[no stack\]' | sed '
		s/^\[user\];//
		s/^_start_secondary;secondary_main;/_start;kernel_main;/
		s/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/live"
	shares_of "$work/live" "$xen/guests/truth/$2.txt" "${3:-3}"
}
# all_whole NAME: all stacks that there are. On a busy machine some vCPUs are not interrupted in time, and have none.
all_whole() {
	"$report" -s "$guest" "$out/$1.upf" | tee "$work/profile"
	"$report" -q --dump "$out/$1.upf" | awk '
		/ sample / && / running / && !/no registers/ { all++; whole += / end 0 / && !/depth 0/; bad += / end [1-9]/ }
		END { print all, whole, bad; exit !(all > 500 && whole > 0.98 * all && bad * 500 < all) }'
}
for work_of in shares levels recursion depth; do
	ok "$work_of: recorded" recorded "$work_of"
	ok "$work_of: every stack is the guest's, every share of time within 3 points" true_shares "$work_of" "$work_of"
	ok "$work_of: stacks are whole" all_whole "$work_of"
done
sampled() { # NAME
	cat "$out/$1.err"
	"$report" --header "$out/$1.upf" | sed -n 's/^sampled *//p'
}
is_live() { # NAME
	[ "$(sampled "$1" | tail -n 1)" = "live: without a stop" ]
}
by_what() {
	is_live shares && ! is_live stops && ! is_live registers && recorded registers
}
ok "live is the default, but for all registers, and the trace says which" by_what
# signals NAME: how often the guest had to leave for a signal while it was recorded.
signals() {
	echo $(($(cat "$out/$1.after") - $(cat "$out/$1.before")))
}
rounds() { # NAME
	awk '/^samples/ { sub("[(]", "", $6); print $6 }' "$out/$1.err"
}
# A stop has none where the vCPU waits for a processor, or has left the guest by itself: on a busy machine, many. So a
# round of stops has ten times as many as a live one, at least.
no_signal() {
	echo "$(signals shares) signals in $(rounds shares) rounds live, $(signals stops) in $(rounds stops) by stops"
	[ "$(signals stops)" -gt 20 ] && [ "$(signals shares)" -lt 50 ] &&
		[ $(($(signals stops) * $(rounds shares))) -gt $((10 * $(signals shares) * $(rounds stops))) ]
}
ok "no exits by signals for samples, but for stops" no_signal
ok "a guest that leaves for one reason after the other: recorded" recorded exits
# shares_of_parts POINTS: by the guest's own count of cycles, host and monitor included.
parts="exits_calculate exits_write_port exits_ask_cpuid exits_touch_pages"
shares_of_parts() {
	folded "$out/exits.upf" > "$work/exits"
	awk -v parts="$parts" -v points="$1" '
		NR == FNR { for (i = 1; i <= 4; i++) told[i] = $(i + 4) - told[i]; next }
		/^_start;kernel_main;work_exits;exits_/ { split($1, frame, ";"); seen[frame[4]] += $NF; all += $NF }
		END {
			n = split(parts, name, " ")
			for (i = 1; i <= n; i++) sum += told[i]
			for (i = 1; i <= n; i++) {
				off = 100 * (seen[name[i]] / all - told[i] / sum)
				printf "%s: %.1f%%, off by %.1f\n", name[i], 100 * seen[name[i]] / all, off
				bad += off < -points || off > points
			}
			exit bad || all < 2500
		}' "$out/exits.told" "$work/exits"
}
ok "each part has its share by the guest's own count, within 2 points" shares_of_parts 2
# outside FUNCTION REASON WHO...: of its samples outside the guest most are below this reason, and those were at work.
# To have pages taken away it writes to a port, too.
outside() {
	grep ";$1;\[" "$work/exits" | grep -v ';\[interrupt\];' | tee "$work/outside"
	awk -v reason="[$2]" -v who="$(printf '[%s]' "${@:3}")" '
		{ n = split($0, frame, ";"); sub(/ [0-9]+$/, "", frame[n]); all += $NF }
		frame[n - 1] == reason && index(who, frame[n]) { good += $NF }
		END { exit !(all > 100 && good >= 0.8 * all) }' "$work/outside"
}
ok "port I/O is the host's kernel's and the VMM's" outside exits_write_port "port I/O" host VMM
ok "CPUID is the kernel's" outside exits_ask_cpuid CPUID host
ok "so are pages that are not there" outside exits_touch_pages "page fault or MMIO" host
calculates() {
	! grep ';exits_calculate;\[' "$work/exits" | grep -v ';\[interrupt\];'
}
ok "who calculates does not leave but for interrupts" calculates
ok "a vCPU at work beside one that is halted: recorded" recorded halted
sleeps() {
	"$report" -q --folded --no-inline --state blocked -s "$guest" "$out/halted.upf" | tee "$work/blocked"
	[ "$(wc -l < "$work/blocked")" = 1 ] && grep -q 'work_idle' "$work/blocked"
}
ok "the one that is halted shows its stack" sleeps
# The stop at the beginning does wake it.
not_woken() {
	cat "$out/arrivals"
	awk '{ n[NR] = $1 } END { exit !(NR == 2 && n[1] > 0 && n[2] - n[1] <= 5) }' "$out/arrivals"
}
ok "it is not woken for its 1,000 samples" not_woken
goes_on() {
	recorded again && folded "$out/again.upf" | tee "$work/again" && grep -q 'work_shares;function_3' "$work/again"
}
ok "after a recorder that was killed, and one that was ended, the guest works on, and is recorded" goes_on
as_nobody() {
	recorded few && is_live few && true_shares few shares 10 --weight samples
}
ok "four capabilities suffice where kernel.perf_event_paranoid is 2" as_nobody
says_why() {
	cat "$out/strict.err"
	[ "$(cat "$out/strict.rc")" = 4 ] && grep -q 'kernel.perf_event_paranoid' "$out/strict.err"
}
ok "where it is 3, --sampler live says so" says_why
comes_back() {
	recorded follow && ! grep stops "$out/follow.err" && [ "$(signals follow)" -lt 50 ] &&
		"$report" -q --dump "$out/follow.upf" | awk '
			/ event .*reboot/ { back = 1 } / sample / && / running / { n[back]++ }
			END { print n[0] + 0, n[1]; exit !(n[1] > 100) }'
}
ok "a guest that comes back is sampled live again" comes_back
ended() {
	cat "$out/ended.err"
	[ "$(cat "$out/ended.rc")" = 0 ] && "$report" --verify "$out/ended.upf"
}
ok "a monitor that ends while it is recorded" ended
ok "nothing in the kernel's log" quiet_kernel
# By schedstat: how long each thread has run and waited. The first one is the monitor's own, then come the vCPUs'.
states() {
	paste -d ' ' "$out/scarce.before" "$out/scarce.after" | sed 1d > "$work/schedstat"
	"$report" -q --csv --sort vcpu,state --state all "$out/scarce.upf" | tr -d '"' > "$work/states"
	awk -F '[ ,]' '
		NR == FNR { should[n++] = 100 * ($4 - $1) / ($4 - $1 + $5 - $2); next }
		$2 == "running" { got[$1] = $3 }
		$2 ~ /^runn/ { all[$1] += $3 }
		END {
			for (v = 0; v < n; v++) {
				is = 100 * got[v] / all[v]
				printf "vCPU %d: running %.1f%%, by schedstat %.1f%%\n", v, is, should[v]
				bad += is < should[v] - 3 || is > should[v] + 3
			}
			exit bad || n != 2
		}' "$work/schedstat" "$work/states"
}
ok "two vCPUs, a hog and the recorder on half a processor: recorded" recorded scarce
ok "they run and wait as the scheduler says, within 3 points" states
# While they wait they are at one place: a quarter of the samples tells something new.
ok "and where they do, every stack is the guest's, every share of time within 8 points" true_shares scarce shares 8

# --- two processors: the guest has one, the recorder the other and interrupts it -------------------------------------
both_live() {
	is_live shares && is_live exits
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
	cat "$out/failed" "$out/exits.vmm"
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
		fp_endless: depth limit, 127
		fp_tables: whole, 1
		fp_flipping: (whole|no page there), 1
		fp_random: .*
		sp_odd: whole, 3
		sp_outside: whole, 3
		sp_random: whole, 3
	END
}
ended_in_order() {
	cat "$out/ended.rcs" "$out/ended.err"
	[ "$(sort -u "$out/ended.rcs")" = 0 ] && [ "$(wc -l < "$out/ended.rcs")" = 4 ]
}
# KINDS="kvm kvm-trixie" also on Linux 6.12.
for kind in ${KINDS:-kvm}; do
	live_lab kvm_live_apart.sh -c 2 -k "$kind" -f "$build/tests/xen/onlooker=/bin/onlooker"
	ok "$kind, apart: recorded" recorded shares
	# On a busy machine an emulated processor stands still now and then: one sample would have all of that time.
	ok "$kind, apart: every stack is the guest's, every share of time within 8 points" true_shares shares shares 8 --weight samples
	ok "$kind, apart: stacks are whole" all_whole shares
	ok "$kind, apart: they are live" both_live
	ok "$kind, apart: no exits by signals for samples, but for stops" no_signal
	ok "$kind, apart: the program holds the vCPU for less than half a stop" shorter
	sed 's/^/# /' "$work/told"
	ok "$kind, apart: a guest that leaves for one reason after the other: recorded" recorded exits
	ok "$kind, apart: each part has its share by the guest's own count, within 8 points" shares_of_parts 8
	ok "$kind, apart: the host's kernel serves CPUID in KVM_RUN" calls 90 CPUID host $entry
	ok "$kind, apart: and pages that are not there, by its own page tables" \
		serves_faults
	ok "$kind, apart: every stack of the host's kernel is known" all_known
	ok "$kind, apart: what the monitor does, by its own names" monitor_calls
	ok "$kind, apart: after eight recorders that were killed the guest works on, and is recorded" still_there
	ok "$kind, apart: four monitors that end while they are recorded" ended_in_order
	ok "$kind, apart: pointers and page tables that lead astray: every walk ends, for the right reason" astray
	ok "$kind, apart: no program is left in the kernel" test "$(cat "$out/programs")" = 0
	ok "$kind, apart: nothing in the kernel's log" quiet_kernel
done
done_testing
