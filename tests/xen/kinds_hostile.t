#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# PVH guests whose frame pointers, page tables, memory and modes lead astray, in every format of page tables and without:
# every walk ends, for the right reason, and the guests go on.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

modes=(long pae two two-small flat)
kernels=()
for mode in "${modes[@]}"; do
	"$xen/guests/build" -m "$mode" "$work/$mode.elf"
	kernels+=(-g "$work/$mode.elf")
done
lab "${kernels[@]}" "$xen/in_dom0/kinds_hostile.sh"

none='no page there' refused='page refused by the hypervisor' last='frame pointer not above the last'
ok "frame pointers: recorded, and the guests run" survived fp
ok "copies: recorded, and the guests run" survived dwarf
# The loop's two instructions only, the first of one byte: on the way there and back, paging is on at physical addresses,
# and stacks are whole.
spin_at_physical() {
	local at

	at=0x$(nm "$guest" | awk '$3 == "spin_at_physical" { print substr($1, length($1) - 6) }')
	printf '(0x%x|0x%x)' $((at)) $((at + 1))
}
for mode in "${modes[@]}"; do
	guest=$work/$mode.elf
	ok "$mode: a frame that is its own caller" ends fp fp_loop "$last" 2
	ok "$mode: two frames that call each other" ends fp fp_cycle "$last" 3
	ok "$mode: frames that go down" ends fp fp_down "$last" 2
	ok "$mode: an odd frame pointer" ends fp fp_odd 'frame pointer misaligned' 1
	ok "$mode: a frame on two pages" ends fp fp_over_pages whole 2
	ok "$mode: a stack without end" ends fp fp_endless 'depth limit' 127
	ok "$mode: a page outside of the guest's memory" ends fp fp_outside "$refused" 1
	ok "$mode: a page that comes and goes" ends fp fp_flipping 'whole|no page there' '[12]'
	# Until the frame is other memory, a mapping of it may show what it was.
	ok "$mode: memory that the guest gave back" ends fp fp_given_back "$refused|whole" '[12]'
	ok "$mode: other memory at the same frame" ends fp fp_moved_1 whole 2 ' 0x1110 *$'
	ok "$mode: and again" ends fp fp_moved_2 whole 2 ' 0x2220 *$'
	ok "$mode: pointers by chance" ends fp fp_random '.*'
	for leaf in sp_odd sp_outside sp_top sp_random fp_random; do
		ok "$mode: copies: $leaf" ends dwarf $leaf '.*'
	done
	case $mode in
	flat)
		ok "$mode: no memory" ends fp fp_nowhere "$refused" 1
		ok "$mode: real mode" ends fp '0x70[0-9a-f]{2}' '16-bit code' 1
		continue ;;
	long)
		ok "$mode: 32-bit code" ends fp "$(spin_at_physical)" "$none" 2 ;;
	*)
		ok "$mode: paging off" ends fp "$(spin_at_physical)" "$refused" 2 ;;
	esac
	ok "$mode: no page" ends fp fp_nowhere "$none" 1
	ok "$mode: a frame that reaches into a hole" ends fp fp_into_hole "$none" 1
	ok "$mode: a page table that is its own page" ends fp fp_tables whole 2
done
mode=long guest=$work/long.elf
ok "long: memory that the guest may have and has not touched" ends fp fp_untouched whole 1
mode=pae guest=$work/pae.elf
ok "pae: memory that the guest may not have" ends fp fp_untouched "$refused" 1
done_testing
