#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Steps programs through one instruction at a time and holds the report's chain of callers to the truth at every one:
# gcc and clang, at each level of optimisation, with and without frame pointers, with and without unwind tables.
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:?is set by make check-steps}
report=$build/uniprof-report
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What each kind of build is compiled with, besides the level.
frames=-fno-omit-frame-pointer none=-fomit-frame-pointer
eh=-fasynchronous-unwind-tables bare="-fno-asynchronous-unwind-tables -fno-unwind-tables" debug="$bare -gdwarf-4"

# compile CC LEVEL FILE FLAG...: no library, and where tables are not wanted none at all.
compile() {
	local cc=$1 level=$2 file=$3

	shift 3
	"$cc" "-$level" "$@" -std=gnu11 -ffreestanding -fno-stack-protector -fno-pie -c -o "$file.o" "$here/program.c" &&
		"$cc" -c -o "$file.s.o" "$here/start.S" && ld -nostdlib -static -o "$file" "$file.o" "$file.s.o"
}

# A line a stack, the leaf first.
stacks() {
	"$report" -q --stacks "$@" | awk -v RS= 'NR > 1 { gsub("\n", ";"); print }'
}

# compare PROGRAM TRACE OPTION...: how many of all stacks are the truth's; what is wrong, by leaf.
compare() {
	local program=$1 trace=$2

	shift 2
	paste <(stacks -s "$program" "$program.truth.upf") <(stacks -s "${symbols:-$program}" "$@" "$trace") | awk -F'\t' '
		$1 == $2 { same++; next }
		{ leaf = $1; sub(";.*", "", leaf); if (!bad[leaf]++) wrong[leaf] = $1 ", not " $2 }
		END { for (leaf in bad) print "  " bad[leaf] " at " wrong[leaf]; print same + 0 " of " NR " exact" }'
}

# exact NAME PROGRAM MODE: every chain is the truth.
exact() {
	local said same all

	said=$(compare "$2" "$2.$3.upf")
	read -r same _ all _ < <(tail -n 1 <<< "$said")
	[ "$all" -gt 1000 ] && [ "$same" = "$all" ]
	ok $? "$1: $same of $all" "$said"
}

has() { # FILE SECTION
	readelf -SW "$1" | grep -q " \\$2 "
}

# make_one KIND CC LEVEL FLAG...: builds the program, and steps through it.
make_one() {
	local kind=$1 cc=$2 level=$3 file

	shift 3
	file=$work/$cc-$level-$kind
	compile "$cc" "$level" "$file" "$@" > "$file.log" 2>&1 && "$build/tests/steps/stepper" "$file" "$file" > "$file.steps" 2>> "$file.log"
}

compilers=()
for cc in gcc clang; do
	if command -v $cc > /dev/null; then compilers+=("$cc"); else echo "# no $cc here: its builds are left out"; fi
done
for cc in "${compilers[@]}"; do
	for level in O0 O1 O2 Os; do
		# shellcheck disable=SC2086
		{
			make_one frames-eh "$cc" $level $frames $eh &
			make_one frames-bare "$cc" $level $frames $bare -fcf-protection=none &
			wait
			make_one none-eh "$cc" $level $none $eh -fcf-protection=full &
			make_one none-debug "$cc" $level $none $debug &
			wait
		}
	done
done

walked=()
for cc in "${compilers[@]}"; do
	for level in O0 O1 O2 Os; do
		at=$work/$cc-$level
		for kind in frames-eh frames-bare none-eh none-debug; do
			[ -s "$at-$kind.steps" ] && continue
			ok 1 "$cc -$level, $kind: built and stepped" "$(cat "$at-$kind.log")"
		done
		exact "$cc -$level, frame pointers, .eh_frame, fp" "$at-frames-eh" fp
		exact "$cc -$level, frame pointers, .eh_frame, dwarf" "$at-frames-eh" dwarf
		exact "$cc -$level, frame pointers, no tables, fp" "$at-frames-bare" fp
		exact "$cc -$level, no frame pointers, .eh_frame, dwarf" "$at-none-eh" dwarf
		exact "$cc -$level, no frame pointers, .debug_frame, dwarf" "$at-none-debug" dwarf
		for kind in frames-eh frames-bare none-eh none-debug; do
			exact "$cc -$level, $kind, auto" "$at-$kind" auto
		done
		walked+=("$cc -$level: $(compare "$at-frames-eh" "$at-frames-eh.fp.upf" --no-repair | tail -n 1)")
	done
done
printf '# by frame pointers alone, %s\n' "${walked[@]}"

# The builds are what they are said to be.
at=$work/gcc-O2
has "$at-frames-eh" .eh_frame && ! has "$at-frames-bare" .eh_frame && ! has "$at-none-debug" .eh_frame &&
	has "$at-none-debug" .debug_frame && ! has "$at-none-eh" .debug_frame && ! has "$at-none-eh" .eh_frame_hdr
ok $? "tables are there where they should be, and nowhere else"

# With names alone: some callers are put back, and no stack that was right becomes wrong.
nm -n "$at-frames-eh" > "$work/names"
before=$(compare "$at-frames-eh" "$at-frames-eh.fp.upf" --no-repair | tail -n 1)
after=$(symbols=$work/names compare "$at-frames-eh" "$at-frames-eh.fp.upf" | tail -n 1)
first_instructions=$(symbols=$work/names compare "$at-frames-eh" "$at-frames-eh.fp.upf" | grep -cE ' at [a-z_0-9]+\+0x0[;,]')
[ "${after%% of*}" -gt "${before%% of*}" ] && [ "$first_instructions" = 0 ]
ok $? "names alone: $after, instead of ${before%% exact}; $first_instructions wrong at a first instruction"
done_testing
