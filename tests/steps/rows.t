#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Holds what code alone tells of a frame to what gcc's unwind tables say, at every instruction of whole programs. (clang's
# are left out: version 14's tables are wrong in the middle of some epilogues, where the code is right.)
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:?is set by make check-steps}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rows NAME FILE [LEAST]: the code is nowhere wrong, and tells in all but one of a hundred instructions, of which there
# are more than LEAST.
rows() {
	local said last

	said=$("$build/tests/tools/rows" "$2") && last=$(tail -n 1 <<< "$said") &&
		awk -v least="${3:-500}" '{ exit !($1 > least && $3 * 100 <= $1) }' <<< "$last"
	ok $? "$1: ${last:-failed}" "$said"
}

if readelf -p .comment "$build/uniprof-report" | grep -q clang; then
	echo "# uniprof-report was built by clang: it is left out"
else
	rows "uniprof-report" "$build/uniprof-report"
fi
for cc in gcc "gcc -m32" aarch64-linux-gnu-gcc; do
	if ! command -v "${cc%% *}" > /dev/null; then
		echo "# no $cc here: it is left out"
		continue
	fi
	for level in O0 O1 O2 O3 Os; do
		for frames in -fomit-frame-pointer -fno-omit-frame-pointer; do
			$cc -$level $frames -fasynchronous-unwind-tables -std=gnu11 -ffreestanding -fno-stack-protector -no-pie -static \
				-nostdlib -o "$work/program" "$here/program.c" "$here/start.S" && rows "$cc -$level $frames" "$work/program"
		done
	done
done

# ARM's own tables hold at calls only, and tell of all registers. Nothing throws here, so no personality routine is needed.
for cc in "arm-linux-gnueabihf-gcc -marm" "arm-linux-gnueabihf-gcc -mthumb" "clang --target=arm-linux-gnueabihf -marm" \
	"clang --target=arm-linux-gnueabihf -mthumb"; do
	if ! command -v arm-linux-gnueabihf-ld "${cc%% *}" > /dev/null; then
		echo "# no $cc here: it is left out"
		continue
	fi
	for level in O0 O2 Os; do
		for frames in -fomit-frame-pointer -fno-omit-frame-pointer; do
			for source in program.c start.S; do
				$cc -$level $frames -funwind-tables -std=gnu11 -ffreestanding -fno-stack-protector -fno-pie -c \
					-o "$work/${source%.*}.o" "$here/$source"
			done
			arm-linux-gnueabihf-ld -nostdlib -static --defsym=__aeabi_unwind_cpp_pr{0,1}=0 -o "$work/program" \
				"$work/program.o" "$work/start.o" && rows "$cc -$level $frames, .ARM.exidx" "$work/program" 50
		done
	done
done
done_testing
