#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ARM64 and ARM32 guests on Xen on ARM, recorded at once in one trace by the recorder built for its ARM64 dom0; the trace is
# read here. By size of pages, by format of page tables, and with the MMU off; frames as gcc and as clang lay them out.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

kernels=()
for mode in arm64-4k arm64-64k arm64-flat arm32-lpae arm32-short arm32-flat; do
	"$xen/guests/build" -m $mode "$work/$mode.elf"
	kernels+=(-g "$work/$mode.img")
done
for mode in arm32-short arm32-thumb; do
	CC=clang "$xen/guests/build" -m $mode "$work/clang-$mode.elf"
	kernels+=(-g "$work/clang-$mode.img")
done

sysroot=$("$xen/lab" -a arm64 -w | sed -n 's/^xen=//p')
build=$build/arm64
make -s -C "$xen/../.." O="$build" CC="aarch64-linux-gnu-gcc --sysroot=$sysroot" uniprof-record > "$work/make.log" 2>&1 || cat "$work/make.log"
guest=$work/arm64-4k.img
lab -a arm64 -i "${kernels[@]}" "$xen/t/arm.sh"

ok "recorded" recorded
check_kinds <<-END
	4k arm64-4k ARM arm64 shares
	64k arm64-64k ARM arm64 recursion
	flat64 arm64-flat ARM arm64 levels
	lpae arm32-lpae ARM arm32 shares
	short arm32-short ARM arm32 recursion
	flat32 arm32-flat ARM arm32 levels
	clang clang-arm32-short ARM arm32 levels
	thumb clang-arm32-thumb ARM arm32 shares
END

done_testing
