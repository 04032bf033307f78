#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of Xen on ARM, as arm.t: pages of 16 KiB, short descriptors, the MMU off, ARM32 in user mode.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/arm_kinds.sh"

check_arm <<-END
	16k arm64-16k arm64 shares
	flat64 arm64-flat arm64 levels
	short arm32-short arm32 recursion
	flat32 arm32-flat arm32 levels
	user32 arm32-user arm32 levels
	clang clang-arm32-short arm32 levels
END
done_testing
