#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of Xen on ARM, one of each sort: ARM64 with small and large pages, ARM32 and its Thumb code, as gcc and as clang
# lay out frames, and in user mode. arm_kinds.t has the others.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/arm_kinds.sh"

check_arm <<-END
	4k arm64-4k arm64 shares
	64k arm64-64k arm64 recursion
	user64 arm64-user arm64 levels
	lpae arm32-lpae arm32 shares
	thumb clang-arm32-thumb arm32 shares
END
done_testing
