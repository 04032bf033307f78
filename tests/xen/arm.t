#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ARM64 and ARM32 guests on Xen on ARM, recorded at once in one trace by the recorder built for its ARM64 dom0; the trace is
# read here. By size of pages, by format of page tables, and with the MMU off; frames as gcc and as clang lay them out.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"
. "$xen/arm.sh"

for mode in arm64-4k arm64-64k arm64-flat arm32-lpae arm32-short arm32-flat; do
	add_guest $mode $mode
done
add_guest clang-arm32-short arm32-short frames clang
add_guest clang-arm32-thumb arm32-thumb frames clang
lab_arm "$xen/t/arm.sh"

ok "recorded" recorded all
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
