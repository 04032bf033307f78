#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM recorded without a stop, on one emulated processor of AMD's with Debian's kernel: the real kvm_amd. The
# recorder takes the processor from the guest.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kvm.sh"

live_lab kvm_live.sh

for work_of in shares levels recursion depth; do
	ok "$work_of: recorded" recorded "$work_of"
	ok "$work_of: every stack is the guest's, every share of time within 3 points" true_shares "$work_of" "$work_of"
	ok "$work_of: stacks are whole" all_whole "$work_of"
done
by_what() {
	is_live shares && ! is_live stops && ! is_live registers && recorded registers
}
ok "live is the default, but for all registers, and the trace says which" by_what
ok "no exits by signals for samples, but for stops" no_signal
ok "a guest that leaves for one reason after the other: recorded" recorded exits
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
	recorded few && is_live few && true_shares few shares
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
# plugged NAME: the second vCPU was not there at first, and each of its stacks is the guest's.
plugged() {
	recorded "$1" && all_whole "$1" && folded --vcpu 1 "$out/$1.upf" | tee "$work/second" &&
		grep -v '^\[no stack\]' "$work/second" | grep -q 'work_shares;function_' &&
		"$report" -q --dump "$out/$1.upf" | awk '
			/ sample .* vcpu 1 / { n[/ offline /]++; none += / running / && /no registers/ }
			END { print n[1], n[0], none + 0; exit !(n[1] > 0 && n[0] > 200 && none * 10 < n[0]) }'
}
stays_live() {
	is_live plugged && plugged plugged
}
ok "a vCPU that is plugged in is sampled live" stays_live
goes_on_by_stops() {
	sampled strictly_plugged
	grep -q 'no perf events for its threads: CAP_SYS_ADMIN.*; sampled by stops from now on' \
		"$out/strictly_plugged.err" && plugged strictly_plugged
}
ok "where it gets no timer, by stops, as is said" goes_on_by_stops
ended() {
	cat "$out/ended.err"
	[ "$(cat "$out/ended.rc")" = 0 ] && "$report" --verify "$out/ended.upf"
}
ok "a monitor that ends while it is recorded" ended
encrypted() {
	cat "$out/encrypted.err"
	[ "$(cat "$out/encrypted.rc")" = 4 ] && [ ! -e "$out/encrypted.upf" ] &&
		grep -q 'its memory or registers are protected from the host (SEV, TDX)$' "$out/encrypted.err"
}
ok "a guest with encrypted memory is refused" encrypted
ok "nothing in the kernel's log" quiet_kernel
# By schedstat: how long each thread has run and waited. The first one is the monitor's own, then come the vCPUs'.
states() {
	paste -d ' ' "$out/scarce.before" "$out/scarce.after" | sed 1d > "$work/schedstat"
	"$report" -q --csv --sort vcpu,state --state all --time "$(during scarce)" "$out/scarce.upf" | tr -d '"' > "$work/states"
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
ok "and where they do, every stack is the guest's, every share of time within 4 points" true_shares scarce shares 4

done_testing
