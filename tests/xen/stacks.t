#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# True stacks on a real Xen: a guest whose time is spent in leaves without a frame, called directly, through a pointer, by a
# jump and from a recursion, beside a vCPU blocked in a hypercall; and the same guest without frame pointers.
set -u
. "$(dirname "$0")/tap.sh"

builds=(leaf leaf-tables nofp nofp-debug)
kernels=()
for build_of in "${builds[@]}"; do
	"$xen/guests/build" -v "$build_of" "$work/$build_of.elf"
	kernels+=(-g "$work/$build_of.elf")
done
lab -i -T 900 "${kernels[@]}" "$xen/t/stacks.sh"

recorded() {
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
blocked_in_stub() {
	"$report" -q --folded --state blocked -s "$guest" "$out/$1.upf" | tee "$work/blocked"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = \
		"_start_secondary;secondary_main;work_block;wait_for_event;hypervisor_block;hypercall_page" ]
}
all_whole() {
	"$report" -s "$guest" "$out/$1.upf" | tee "$work/profile" | grep -q '^Stacks *all whole'
}
for build_of in "${builds[@]}"; do
	guest=$work/$build_of.elf
	ok "$build_of: recorded" recorded "$build_of"
	ok "$build_of: every stack is the guest's, every share of time within 3 points" shares "$out/$build_of.upf" leaves
	ok "$build_of: the vCPU blocked in a hypercall shows the stub, and all its callers" blocked_in_stub "$build_of"
	ok "$build_of: all stacks are whole" all_whole "$build_of"
done

# That those tests can fail: without what was put back, callers of leaves are missing.
guest=$work/leaf.elf
lost_without() {
	"$report" -q --folded --no-repair -s "$guest" "$out/leaf.upf" | tee "$work/walked"
	! grep -q 'caller_[12];leaf_shared' "$work/walked" && grep -q 'work_leaves;leaf_shared' "$work/walked"
}
ok "leaf: frame pointers alone lose the callers of leaves" lost_without

# Without frame pointers the same profile, within 3 points: both shares are within 3 points of the same truth; the two are compared.
alike() {
	"$report" -q --folded -s "$work/leaf.elf" "$out/leaf.upf" > "$work/a"
	"$report" -q --folded -s "$work/nofp.elf" "$out/nofp.upf" > "$work/b"
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); f = FILENAME; got[f, $0] = n; all[f] += n; names[$0] }
		END { for (s in names) { d = 100 * got[ARGV[1], s] / all[ARGV[1]] - 100 * got[ARGV[2], s] / all[ARGV[2]]
			printf "%6.2f %s\n", d, s; if (d > 3 || d < -3) bad = 1 } exit bad }' "$work/a" "$work/b"
}
ok "without frame pointers the same profile, within 3 points" alike

done_testing
