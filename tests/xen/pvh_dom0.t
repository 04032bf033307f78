#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The recorder in a dom0 that is itself a PVH guest, where foreign frames are mapped and hypercalls read memory in other
# ways: the same stacks of guests of each kind, the same calls, and a guest that always goes on.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

kills=10
for mode in pv long; do
	"$xen/guests/build" -m $mode "$work/$mode.elf"
done
lab -k pvh -g "$work/pv.elf" -g "$work/long.elf" -f "$build/tests/xen/onlooker=/bin/onlooker" "$xen/in_dom0/pvh_dom0.sh" $kills \
	"$(nm "$guest" | awk '$3 == "beats" { print "0x" $1 }')"

pvh_dom0() {
	grep -E '^ *0  Domain-0  *PVH .* no: ' "$out/list"
}
ok "dom0 is PVH" pvh_dom0
ok "recorded" recorded all
check_kinds <<-END
	pv pv PV x86-64 shares
	hvm long HVM x86-64 shares
	long long PVH x86-64 recursion
END
ok "two ioctls a sample when warm, none of them for mapping" calls_a_round one 2
killed() {
	cat "$out/ends" "$out/ends.err"
	grep -q "^KILL ends $kills by-signal $kills .* left-paused 0 stopped 0 undone 0 unsound 0 " "$out/ends" &&
		awk '{ exit !($7 > 0) }' "$out/ends"
}
ok "$kills ends by SIGKILL, some inside a pause: the guest always goes on" killed
done_testing
