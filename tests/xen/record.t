#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records on a real Xen 4.17 and holds what was recorded to what the guests are known to do.
set -u
. "$(dirname "$0")/tap.sh"

address() {
	nm "$guest" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
lab -f "$build/tests/xen/onlooker=/bin/onlooker" "$xen/in_dom0/record.sh" "$(address lived_ns)" "$(address stood_ns)"

says_build() {
	local id

	id=$(readelf -n "$guest" | awk '/Build ID/ { print $3 }')
	"$report" --header "$out/$1.upf" | tail -2 | tee "$work/build-id"
	[ "$id" ] && grep -q "^build-id  *$id\$" "$work/build-id" && grep -q 'in its memory, at 0x' "$work/build-id"
}
for kind in shares levels recursion; do
	ok "$kind: recorded" recorded $kind
	ok "$kind: the trace says which build ran, as the guest's memory has it" says_build $kind
	ok "$kind: no round was taken twice" retaken $kind 0
	ok "$kind: every stack is the guest's, every share of time within 3 points" shares "$out/$kind.upf" $kind
done
named_by_host() {
	"$report" --header "$out/shares.upf" | tee "$work/header"
	grep -A1 -x 'image  */lab/guest.elf' "$work/header" | grep -q 'named by the host'
}
ok "xenstore tells what the kernel of a PV guest was loaded from" named_by_host

no_capabilities() {
	cat "$out/caps" "$out/caps.err"
	[ "$(grep -c '^Name' "$out/caps")" = 4 ] && [ "$(grep -cE '^Cap(Eff|Prm):.*0000000000000000$' "$out/caps")" = 8 ] &&
		grep -q 'gave up all capabilities' "$out/caps.err"
}
ok "at real-time priority: recorded" recorded caps
ok "the threads that sample, write the trace and write messages, and the watchdog, have no capability left" no_capabilities

# Asked for a hundred thousand samples a second, and for 3 % of the time at most.
paused_for() { # NAME: the share of time in percent, by the recorder
	awk '/^paused/ { for (i = 1; i < NF; i++) if ($i ~ /%$/) print $i + 0 }' "$out/$1.err"
}
held_back() {
	cat "$out/held.err"
	awk -v share="$(paused_for held)" 'BEGIN { exit !(share > 2.7 && share <= 3) }' &&
		"$report" --dump "$out/held.upf" | grep -q 'event domain 0 7 (rate)'
}
ok "held: recorded" recorded held
ok "--max-overhead 3% at 100 kHz: paused for 3 % of the time, and the trace says at what rate" held_back
ok "held: the shares are right all the same" shares "$out/held.upf" shares

# The guest says how long it was not allowed to run; the onlooker's own looks at it pause it too, for less than is to be seen.
by_its_own_clock() {
	cat "$out/clock.err" "$out/clock.words"
	awk -v ours="$(paused_for clock)" '
		NR == 1 { lived = $1; stood = $2 } NR == 2 { lived = $1 - lived; stood = $2 - stood }
		END { share = 100 * stood / lived; printf "%.1f ms of %.1f s: %.3f %%\n", stood / 1e6, lived / 1e9, share
			exit !(NR == 2 && lived > 3e9 && ours <= 3 && share > ours / 2 && share < ours) }
	' "$out/clock.words"
}
ok "clock: recorded" recorded clock
ok "--max-overhead 3% at 100 kHz: by the guest's own clock it is paused for less than the recorder says" \
	by_its_own_clock

# A vCPU that waits for ever beside one that works.
ok "smp: recorded" recorded smp
ok "smp: the busy vCPU's shares" shares "$out/smp.upf" smp
blocked_shown() {
	"$report" -q --folded --state blocked -s "$guest" "$out/smp.upf" | tee "$work/blocked"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = "_start_secondary;secondary_main;work_idle" ]
	"$report" -s "$guest" "$out/smp.upf" | grep -q 'vcpu 1: 100.0% blocked'
}
ok "smp: the blocked vCPU is shown as blocked, where it waits" blocked_shown
only_vcpu1() {
	"$report" --header "$out/vcpu1.upf"
	[ "$(folded --weight samples --state all "$out/vcpu1.upf")" = "_start_secondary;secondary_main;work_idle 50" ]
}
ok "-C 1: only that vCPU, by domid" only_vcpu1

idle_once() {
	cat "$out/idle.err"
	grep -q '^paused   1 times' "$out/idle.err" &&
		[ "$("$report" --dump "$out/idle.upf" | grep -ciE '\bround\b.*pause')" -ge 1 ]
}
ok "idle: 10 s at 1 kHz, recorded" recorded idle
ok "idle: paused for the first sample and never again" idle_once

# xenctx walks the same frames; it leaves out the outermost.
like_xenctx() {
	"$report" -q --stacks "$out/depth.upf" | grep '^0x' | head -n 16 | sed 's/^0x//' > "$work/ours"
	sed -n 's/.*\[<\([0-9a-f]*\)>\].*/\1/p' "$out/xenctx.txt" > "$work/theirs"
	cat "$out/xenctx.txt" "$work/ours"
	[ "$(wc -l < "$work/theirs")" = 15 ] && cmp <(sed -n 2,15p "$work/ours") <(sed -n 2,15p "$work/theirs")
}
ok "depth: the frames that xenctx shows" like_xenctx
ok "depth: 16 frames exactly" shares "$out/depth.upf" depth

ok "two ioctls a sample when warm, none of them for mapping: the one that pauses and reads, the one that resumes" \
	calls_a_round strace 2
ok "one ioctl a round of two guests that sleep" calls_a_round asleep 1

# The same trace from a file, from a pipe, and without its end.
same_everywhere() {
	folded "$out/shares.upf" > "$work/file"
	folded - < "$out/shares.upf" | cmp "$work/file" -
	cat "$out/shares.upf" | folded - | cmp "$work/file" -
}
ok "read from a file and from a pipe alike" same_everywhere
piped_out() {
	"$report" --verify "$out/pipe.upf"
	[ "$(folded --weight samples --state all "$out/pipe.upf" | awk '{ n += $NF } END { print n }')" = 1000 ]
}
ok "written to a pipe" piped_out
cut_off() {
	head -c -100 "$out/shares.upf" > "$work/cut.upf"
	"$report" -s "$guest" "$work/cut.upf" > "$work/cut.txt" 2>&1
	[ $? = 4 ] || return 1
	cat "$work/cut.txt"
	folded "$work/cut.upf" | cmp - <(folded "$out/shares.upf")
}
ok "without its last 100 bytes: every block is there, the loss is said, exit status 4" cut_off

done_testing
