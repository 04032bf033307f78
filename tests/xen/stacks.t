#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# True stacks on a real Xen: a guest whose time is spent in leaves without a frame, called directly, through a pointer, by a
# jump and from a recursion, beside a vCPU blocked in a hypercall; the same guest without frame pointers, and with both styles
# in turn. All are recorded without any option on how to read stacks.
set -u
. "$(dirname "$0")/tap.sh"

frames=$guest
kernels=()
for variant in leaf leaf-tables leaf-omit nofp nofp-debug; do
	"$xen/guests/build" -v "$variant" "$work/$variant.elf"
	kernels+=(-g "$work/$variant.elf")
done
lab "${kernels[@]}" "$xen/in_dom0/stacks.sh"

# blocked NAME CHAIN OPTION...: vCPU 1 and no other is blocked, all the time, and has this one stack.
blocked() {
	local name=$1 chain=$2

	shift 2
	"$report" -q --folded --state blocked -s "$guest" "$@" "$out/$name.upf" | tee "$work/blocked"
	"$report" -s "$guest" "$out/$name.upf" | tee "$work/profile"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = "$chain" ] && grep -q 'vcpu 0: 100.0% run.*vcpu 1: 100.0% blocked' "$work/profile"
}
waiting="_start_secondary;secondary_main;work_block;wait_for_event;hypervisor_block;hypercall_page"
all_whole() {
	"$report" --state all -s "$guest" "$out/$1.upf" | tee "$work/profile"
	grep -q '^Stacks *all whole' "$work/profile"
}
# way NAME LOW HIGH: so many percent of the stacks were copied.
way() {
	"$report" --state all -s "$guest" "$out/$1.upf" | tee "$work/profile"
	awk -v low="$2" -v high="$3" '/by frame pointers/ { there = 1; copied = 0; for (i = 1; i < NF; i++) if ($(i + 1) == "by" && $(i + 2) == "copies") copied = $i + 0 }
		END { exit !(there && copied >= low && copied <= high) }' "$work/profile"
}
# all_right NAME KERNEL TRUTH LOW HIGH [AGAIN]: when frame pointers fail, a round is taken again, once or AGAIN times.
all_right() {
	guest=$work/$2.elf
	[ "$2" != frames ] || guest=$frames
	ok "$1: recorded" recorded "$1"
	ok "$1: every stack is the guest's, every share of time within 3 points" shares "$out/$1.upf" "$3"
	ok "$1: the vCPU blocked in a hypercall shows the stub, and all its callers" blocked "$1" "$waiting"
	ok "$1: all stacks are whole" all_whole "$1"
	ok "$1: $4 to $5 % of the stacks were copied" way "$1" "$4" "$5"
	ok "$1: at most ${6:-1} of the rounds were taken again" retaken "$1" "${6:-1}"
}
# With frame pointers nothing is copied; without, nearly everything.
all_right frames frames shares 0 0
all_right leaf leaf leaves 0 0
all_right leaf-tables leaf-tables leaves 0 0
all_right leaf-omit leaf-omit leaves 30 51
all_right nofp nofp leaves 98 100
all_right nofp-debug nofp-debug leaves 98 100
# Its style changes every 300 ms: 60 times.
all_right styles leaf styles 20 51 60

guest=$work/nofp-debug.elf
ok "nofp-copy: recorded" recorded nofp-copy
ok "nofp-copy: copies alone, of 4096 bytes, show the same" shares "$out/nofp-copy.upf" leaves

# That those tests can fail: what is lost where nothing is put back, by each kind of guest.

# walked NAME TRUTH: stacks as recorded are those of TRUTH, a stack a line, and no other; but for the odd sample that met a caller
# on its way to its leaf.
walked() {
	"$report" -q --folded --no-repair --no-inline -s "$guest" "$out/$1.upf" | tee "$work/walked"
	awk '{ n = $NF; all += n; sub(/ [0-9]+$/, ""); got[$0] = n } END { for (s in got) if (got[s] * 1000 > all) print s }' "$work/walked" > "$work/often"
	diff <(sort "$work/often") <(sort <<< "$2")
}
guest=$frames
ok "frames: frame pointers alone lose the stub's caller" blocked frames \
	"_start_secondary;secondary_main;work_block;wait_for_event;hypercall_page" --no-repair
guest=$work/leaf.elf
ok "leaf: frame pointers alone lose two of the stub's callers" blocked leaf \
	"_start_secondary;secondary_main;work_block;hypercall_page" --no-repair
top="_start;kernel_main"
ok "leaf: frame pointers alone lose the callers of leaves" walked leaf "$top;work_leaves;leaf_shared
$top;work_leaves;caller_2;leaf_registers
$top;work_leaves;climb;climb;climb;leaf_shared
$top;work_leaves;leaf_buffer
$top;work_leaves;through_pointer;leaf_buffer"
guest=$work/nofp.elf
ok "nofp: without the copies there are no callers" walked nofp "leaf_buffer
leaf_registers
leaf_shared"

# Leaves that move the stack pointer without a frame; one of them takes the frame pointer for a register of its own. What frame
# pointers alone make of them.

# but_for LEAF NAME TRUTH: those of shares, but for the stacks of LEAF, of which only the whole share is held to the truth.
but_for() {
	folded "$out/$2.upf" | sed -E "s/.*;($1) /\1 /" > "$work/but"
	sed -E "s/.*;($1)	/\1	/" "$xen/guests/truth/$3.txt" |
		awk -F'\t' '{ want[$1] += $2 } END { for (s in want) print s "\t" want[s] }' > "$work/but.txt"
	shares_of "$work/but" "$work/but.txt"
}
# said NAME TEXT LEAF: so many samples as the report counts at TEXT have stacks of LEAF.
said() {
	local counted found

	counted=$("$report" -s "$guest" "$out/$1.upf" | tee "$work/profile" | sed -nE "s/.*[ (]([0-9,]+) $2.*/\1/p" | tr -d ,)
	found=$(folded --weight samples "$out/$1.upf" | awk -v leaf=";$3 " 'index($0, leaf) { n += $NF } END { print n + 0 }')
	cat "$work/profile"
	echo "counted ${counted:-none}, found $found"
	[ "$found" -gt 0 ] && [ "$counted" = "$found" ]
}
guest=$work/leaf-omit.elf
for name in omit-fp omit-small omit-copy; do
	ok "$name: recorded" recorded $name
	ok "$name: the blocked vCPU shows the stub, and all its callers" blocked $name "$waiting"
done
ok "omit-fp: without repair the callers of all leaves are lost" walked omit-fp "$top;leaf_buffer
$top;work_leaves;climb;climb;climb;leaf_shared
$top;work_leaves;leaf_buffer
$top;work_leaves;leaf_shared
leaf_registers"
ok "omit-fp: but for the leaf that uses the frame pointer, every stack and share is the guest's" but_for leaf_registers omit-fp leaves
ok "omit-fp: that leaf's stacks are counted as broken" said omit-fp "broken: no sure caller" leaf_registers
ok "omit-small: in 64 bytes a leaf with 160 on its stack has no sure caller; the other stacks are right" \
	but_for 'leaf_registers|leaf_buffer' omit-small leaves
ok "omit-small: the stacks that lack a caller are counted" said omit-small "may lack a caller" leaf_buffer
ok "omit-copy: from copies, by code alone, every stack is the guest's" shares "$out/omit-copy.upf" leaves
ok "omit-copy: all stacks are whole" all_whole omit-copy

# Without frame pointers the same profile, within 3 points: both shares are within 3 points of the same truth; the two are compared.
alike() {
	"$report" -q --folded -s "$work/leaf.elf" "$out/leaf.upf" > "$work/a"
	"$report" -q --folded -s "$work/nofp.elf" "$out/nofp.upf" > "$work/b"
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); f = FILENAME; got[f, $0] = n; all[f] += n; names[$0] }
		END { for (s in names) { d = 100 * got[ARGV[1], s] / all[ARGV[1]] - 100 * got[ARGV[2], s] / all[ARGV[2]]
			printf "%6.2f %s\n", d, s; if (d > 3 || d < -3) bad = 1 } exit bad || !all[ARGV[1]] || !all[ARGV[2]] }' "$work/a" "$work/b"
}
ok "without frame pointers the same profile, within 3 points" alike

done_testing
