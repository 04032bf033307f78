#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ARM guests whose frame pointers, page tables and memory lead astray: every walk ends, for the right reason, and the guests go on.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"
. "$xen/arm.sh"

modes=(arm64-4k arm64-flat arm32-short arm32-lpae)
for mode in "${modes[@]}"; do
	add_guest "$mode" "$mode"
done
lab_arm "$xen/in_dom0/arm_hostile.sh"

none='no page there' refused='page refused by the hypervisor' last='frame pointer not above the last'
ok "frame pointers: recorded, and the guests run" survived fp
ok "copies: recorded, and the guests run" survived dwarf
for mode in "${modes[@]}"; do
	guest=$work/$mode.elf
	ok "$mode: an odd frame pointer" ends fp fp_odd 'frame pointer misaligned' 1
	ok "$mode: a stack without end" ends fp fp_endless 'depth limit' 127
	ok "$mode: a frame on two pages" ends fp fp_over_pages whole 2
	# Until the frame is other memory, a mapping of it may show what it was.
	ok "$mode: memory that the guest gave back" ends fp fp_given_back "$refused|whole" '[12]'
	ok "$mode: other memory at the same frame" ends fp fp_moved_1 whole 2 ' 0x1110 *$'
	ok "$mode: and again" ends fp fp_moved_2 whole 2 ' 0x2220 *$'
	for leaf in fp_loop fp_cycle fp_down fp_random; do
		ok "$mode: $leaf" ends fp $leaf '.*'
	done
	for leaf in sp_odd sp_outside sp_random fp_random; do
		ok "$mode: copies: $leaf" ends dwarf $leaf '.*'
	done
done
for mode in arm64-4k arm64-flat; do
	guest=$work/$mode.elf
	ok "$mode: a frame that is its own caller" ends fp fp_loop "$last" 2
	ok "$mode: two frames that call each other" ends fp fp_cycle "$last" 3
	ok "$mode: frames that go down" ends fp fp_down "$last" 2
	ok "$mode: a page outside of the guest's memory" ends fp fp_outside "$refused" 1
done
mode=arm64-4k guest=$work/arm64-4k.elf
ok "$mode: no page" ends fp fp_nowhere "$none" 1
ok "$mode: a page that comes and goes" ends fp fp_flipping 'whole|no page there' '[12]'
mode=arm64-flat guest=$work/arm64-flat.elf
ok "$mode: no memory" ends fp fp_nowhere "$refused" 1
done_testing
