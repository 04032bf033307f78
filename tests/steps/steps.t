#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Steps programs through one instruction at a time and holds the report's chain of callers to the truth at every one:
# each instruction set, gcc and clang, at each level of optimisation, with and without frame pointers, with and without unwind tables.
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
exidx=-funwind-tables

# Instruction sets, and for each of their compilers its name, its command, the linker and what marks calls and returns.
sets=(x86-64 i386 arm64 arm t32 mixed)
declare -A compilers=([x86-64]="gcc clang" [i386]="gcc clang" [arm64]="gcc clang" [arm]="gcc clang"
	[t32]="gcc clang" [mixed]="gcc clang")
declare -A command=(
	[x86-64-gcc]=gcc [x86-64-clang]=clang [i386-gcc]="gcc -m32" [i386-clang]="clang -m32"
	[arm64-gcc]=aarch64-linux-gnu-gcc [arm64-clang]="clang --target=aarch64-linux-gnu"
	[arm-gcc]="arm-linux-gnueabihf-gcc -marm" [arm-clang]="clang --target=arm-linux-gnueabihf -marm"
	[t32-gcc]="arm-linux-gnueabihf-gcc -mthumb" [t32-clang]="clang --target=arm-linux-gnueabihf -mthumb"
	[mixed-gcc]="arm-linux-gnueabihf-gcc -mthumb" [mixed-clang]="clang --target=arm-linux-gnueabihf -mthumb")
declare -A linker=([x86-64]=ld [i386]="ld -m elf_i386" [arm64]=aarch64-linux-gnu-ld
	[arm]=arm-linux-gnueabihf-ld [t32]=arm-linux-gnueabihf-ld [mixed]=arm-linux-gnueabihf-ld)
# What ARM's own tables refer to.
declare -A link=([arm]="--defsym=__aeabi_unwind_cpp_pr0=0 --defsym=__aeabi_unwind_cpp_pr1=0")
link[t32]=${link[arm]} link[mixed]=${link[arm]}
declare -A marked=([x86-64]=-fcf-protection=full [i386]=-fcf-protection=full [arm64]=-mbranch-protection=standard
	[arm]="" [t32]="" [mixed]="")
declare -A plain=([x86-64]=-fcf-protection=none [i386]=-fcf-protection=none [arm64]=-mbranch-protection=none
	[arm]="" [t32]="" [mixed]="")

# compile SET CC LEVEL FILE FLAG...: no library, and where tables are not wanted none at all.
# shellcheck disable=SC2086
compile() {
	local set=$1 cc=${command[$1-$2]} level=$3 file=$4 source=$here/program.c

	shift 4
	if [ "$set" = mixed ]; then # every other function is A32
		mkdir -p "$file.d"
		awk '/^APART/ && n++ % 2 { sub("^APART", "APART __attribute__((target(\"arm\")))") } 1' "$source" > "$file.d/program.c"
		source=$file.d/program.c
	fi
	$cc "-$level" "$@" -std=gnu11 -ffreestanding -fno-stack-protector -fno-pie -c -o "$file.o" "$source" &&
		$cc -c -o "$file.s.o" "$here/start.S" && ${linker[$set]} -nostdlib -static ${link[$set]-} -o "$file" "$file.o" "$file.s.o"
}

# A line a stack, the leaf first.
stacks() {
	"$report" -q --stacks "$@" | awk -v RS= 'NR > 1 { gsub("\n", ";"); print }'
}

# compare PROGRAM TRACE OPTION...: how many of all stacks are the truth's; what is wrong, by leaf.
compare() {
	local program=$1 trace=$2

	shift 2
	paste <(stacks -s "$program" --no-repair "$program.truth.upf") <(stacks -s "${symbols:-$program}" "$@" "$trace") | awk -F'\t' '
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

# A sample without a stack pointer cannot tell who has called a function without a frame. The report finds the caller, or
# the function that it is in, or counts the stack among those that may lack it. All else is the truth.
without_sp() { # NAME PROGRAM
	local said right may wrong

	may=$("$report" --flat -s "$2" "$2.live.upf" 2>&1 | grep -o '[0-9,]* may lack a caller')
	may=${may%% *}
	said=$(paste <(stacks -s "$2" --no-repair "$2.truth.upf") <(stacks -s "$2" "$2.live.upf") | awk -F'\t' '
		{
			leaf = above = $1; sub(/;.*/, "", leaf); sub(/[^;]*;/, "", above)
			function_above = above; sub(/\+[^;]*/, "+0x0", function_above)
			lacking = above; sub(/[^;]*;/, "", lacking)
		}
		$2 == leaf ";0" { next } # is told to be broken
		$1 == $2 || $2 == leaf ";" function_above { right++; next }
		$2 == leaf ";" lacking { may++; next }
		{ wrong++; print "  " $1 ", not " $2 }
		END { print right + 0, may + 0, wrong + 0 }')
	read -r right lacking wrong < <(tail -n 1 <<< "$said")
	[ "$wrong" = 0 ] && [ "$right" -gt 1000 ] && [ "$lacking" -le "${may//,/}" ]
	ok $? "$1: $right right, $lacking lack callers" "$may may lack a caller: $said"
}

has() { # FILE SECTION
	readelf -SW "$1" | grep -q " \\$2 "
}

# make_one KIND SET CC LEVEL FLAG...: builds the program, and steps through it.
make_one() {
	local kind=$1 file=$work/$2-$3-$4-$1

	compile "$2" "$3" "$4" "$file" "${@:5}" > "$file.log" 2>&1 &&
		timeout 300 "$build/tests/steps/stepper" "$file" "$file" > "$file.steps" 2>> "$file.log"
}

is_arm() {
	[[ $1 = arm || $1 = t32 || $1 = mixed ]]
}

# The kinds of builds of an instruction set: ARM's .eh_frame does not exist, as its ABI has other tables.
kinds() {
	is_arm "$1" && echo none-exidx || echo frames-eh none-eh
	echo frames-bare none-debug
}

# Each build of one set by one compiler at one level.
# shellcheck disable=SC2086
make_all() {
	local kind n=0

	for kind in $(kinds "$1"); do
		case $kind in
		frames-eh) make_one $kind "$@" $frames $eh ${marked[$1]} ;;
		frames-bare) make_one $kind "$@" $frames $bare ${plain[$1]} ;;
		none-eh) make_one $kind "$@" $none $eh ${marked[$1]} ;;
		none-exidx) make_one $kind "$@" $none $exidx ;;
		none-debug) make_one $kind "$@" $none $debug ;;
		esac &
		((++n % 2)) || wait
	done
	wait
}

check_all() {
	local at=$work/$1-$2-$3 name="$1, $2 -$3" kind

	for kind in $(kinds "$1"); do
		[ -s "$at-$kind.steps" ] && continue
		ok 1 "$name, $kind: built and stepped" "$(cat "$at-$kind.log")"
	done
	if is_arm "$1"; then
		exact "$name, no frame pointers, .ARM.exidx, dwarf" "$at-none-exidx" dwarf
	else
		exact "$name, frame pointers, .eh_frame, fp" "$at-frames-eh" fp
		exact "$name, frame pointers, .eh_frame, dwarf" "$at-frames-eh" dwarf
		exact "$name, no frame pointers, .eh_frame, dwarf" "$at-none-eh" dwarf
	fi
	[ "$1" != x86-64 ] || without_sp "$name, frame pointers, .eh_frame, no stack pointer" "$at-frames-eh"
	[ "$1" != x86-64 ] || without_sp "$name, frame pointers, no tables, no stack pointer" "$at-frames-bare"
	# gcc's frame pointers in T32 point to the end of the frame, wherever the saved one is: a walk does not know.
	# Nor which of both frame pointers the caller of a leaf without a frame has.
	[[ $1-$2 = t32-gcc || $1 = mixed ]] || exact "$name, frame pointers, no tables, fp" "$at-frames-bare" fp
	# x86 has aligned frames, whose callers code alone does not tell.
	{ [ "$1" != arm64 ] && ! is_arm "$1"; } || exact "$name, frame pointers, no tables, dwarf" "$at-frames-bare" dwarf
	exact "$name, no frame pointers, .debug_frame, dwarf" "$at-none-debug" dwarf
	# Nor does the recorder know that zeros above it for 1 KiB, as in a large frame, are not the stack's end.
	for kind in $(kinds "$1"); do
		[[ $1-$2-$kind != t32-gcc-frames-bare && $1-$kind != mixed-frames-bare ]] || continue
		exact "$name, $kind, auto" "$at-$kind" auto
	done
	walked+=("$name: $(compare "$at-frames-bare" "$at-frames-bare.fp.upf" --no-repair | tail -n 1)")
}

# Emulation and foreign code take their time: two levels do.
levels() {
	case $1 in
	x86-64) echo O0 O1 O2 Os ;;
	*) echo O0 O2 ;;
	esac
}

walked=()
for set in "${sets[@]}"; do
	for cc in ${compilers[$set]}; do
		if ! command -v "${command[$set-$cc]%% *}" > /dev/null; then
			echo "# no ${command[$set-$cc]} here: its builds are left out"
			continue
		fi
		for level in $(levels "$set"); do
			make_all "$set" "$cc" "$level"
			check_all "$set" "$cc" "$level"
		done
	done
done
printf '# by frame pointers alone, %s\n' "${walked[@]}"

# The builds are what they are said to be.
at=$work/x86-64-gcc-O2
has "$at-frames-eh" .eh_frame && ! has "$at-frames-bare" .eh_frame && ! has "$at-none-debug" .eh_frame &&
	has "$at-none-debug" .debug_frame && ! has "$at-none-eh" .debug_frame && ! has "$at-none-eh" .eh_frame_hdr
ok $? "tables are there where they should be, and nowhere else"

# Names, lines and archives, of every instruction set; and an image of another one is refused.
built=()
for set in "${sets[@]}"; do
	file=$work/$set-gcc-O2-none-debug
	[ -s "$file.steps" ] && built+=("$set")
done
for set in "${built[@]}"; do
	file=$work/$set-gcc-O2-none-debug trace=$file.dwarf.upf
	"$report" --archive -s "$file" -o "$file.full.upf" "$trace" &&
		cmp -s <("$report" -q --stacks -s "$file" "$trace") <("$report" -q --stacks "$file.full.upf")
	ok $? "$set: an archive has the same stacks"
	"$report" -q --annotate leaf_plain --no-inline -s "$file" "$trace" > "$work/annotated" && grep -q 'Instruction' "$work/annotated" &&
		"$report" -q --flat --sort sym,line -s "$file" "$trace" | grep -q 'leaf_plain .*program\.c:[0-9]'
	ok $? "$set: code and lines" "$(cat "$work/annotated")"
done
if [[ " ${built[*]} " == *" arm64 "* ]]; then
	! said=$("$report" -s "$work/arm64-gcc-O2-none-debug" "$work/x86-64-gcc-O2-none-debug.dwarf.upf" 2>&1) &&
		[[ $said == *"is for arm64, but dwarf ran x86-64 code" ]]
	ok $? "an image for another machine is refused" "$said"
fi

# With names alone: some callers are put back, and no stack that was right becomes wrong.
nm -n "$at-frames-eh" > "$work/names"
before=$(compare "$at-frames-eh" "$at-frames-eh.fp.upf" --no-repair | tail -n 1)
after=$(symbols=$work/names compare "$at-frames-eh" "$at-frames-eh.fp.upf" | tail -n 1)
first_instructions=$(symbols=$work/names compare "$at-frames-eh" "$at-frames-eh.fp.upf" | grep -cE ' at [a-z_0-9]+\+0x0[;,]')
[ "${after%% of*}" -gt "${before%% of*}" ] && [ "$first_instructions" = 0 ]
ok $? "names alone: $after, instead of ${before%% exact}; $first_instructions wrong at a first instruction"
done_testing
