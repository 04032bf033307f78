#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ARM guests whose time is spent in leaves without a frame, whose caller is in the link register alone; and one without frame
# pointers.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/arm.sh"

add_guest gcc64 arm64-4k leaf
add_guest gcc32 arm32-short leaf
add_guest clang32 arm32-short leaf clang
add_guest nofp64 arm64-4k nofp-debug
lab_arm "$xen/in_dom0/arm_leaves.sh"

# clang does not make a jump of the call in by_jump().
leaves() {
	folded "$out/$1.upf" | sed 's/;by_jump;leaf_buffer/;leaf_buffer/' > "$work/leaves"
	shares_of "$work/leaves" "$xen/guests/truth/leaves.txt"
}
for name in gcc64 gcc32 clang32 nofp64; do
	guest=$work/$name.elf
	ok "$name: recorded" recorded $name
	ok "$name: every stack is the guest's, every share of time within 3 points" leaves $name
done
done_testing
