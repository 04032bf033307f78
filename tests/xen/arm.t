#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ARM64 and ARM32 guests on Xen on ARM, recorded at once in one trace by the recorder built for its ARM64 dom0; the trace is
# read here. By size of pages, by format of page tables, and with the MMU off; in user mode; frames as gcc and as clang lay
# them out.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"
. "$xen/arm.sh"

for mode in arm64-4k arm64-16k arm64-64k arm64-flat arm64-user arm32-lpae arm32-short arm32-flat arm32-user; do
	add_guest $mode $mode
done
add_guest clang-arm32-short arm32-short frames clang
add_guest clang-arm32-thumb arm32-thumb frames clang
lab_arm "$xen/in_dom0/arm.sh"

ok "recorded" recorded all
check_kinds <<-END
	4k arm64-4k ARM arm64 shares
	16k arm64-16k ARM arm64 shares
	64k arm64-64k ARM arm64 recursion
	flat64 arm64-flat ARM arm64 levels
	lpae arm32-lpae ARM arm32 shares
	short arm32-short ARM arm32 recursion
	flat32 arm32-flat ARM arm32 levels
	clang clang-arm32-short ARM arm32 levels
	thumb clang-arm32-thumb ARM arm32 shares
END

# These guests work in user mode. What is asked of Xen goes through their kernel, where the second vCPU sleeps.
in_user_mode() { # NAME
	"$report" --vcpu 0 --domain "$1" -s "$guest" "$out/all.upf" | tee "$work/profile"
	grep -qE '^User .*, 100\.0%, below \[user\]' "$work/profile" && grep -q 'all of their stacks whole' "$work/profile" &&
		folded_of "$1" --vcpu 0 | grep -q '^\[user\];'
}
user_shares() { # NAME WORK
	folded_of "$1" --vcpu 0 --weight cpu | sed 's/^\[user\];//' > "$work/shares"
	shares_of "$work/shares" "$xen/guests/truth/$2.txt"
}
while read -r name mode arch; do
	guest=$work/$mode.elf
	ok "$name: in the trace as ARM, $arch" head_says "$name" ARM "$arch"
	ok "$name: every sample is in user mode, every stack whole" in_user_mode "$name"
	ok "$name: every stack is the guest's, every share of time within 3 points" user_shares "$name" levels
done <<-END
	user64 arm64-user arm64
	user32 arm32-user arm32
END

done_testing
