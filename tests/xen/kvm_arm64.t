#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM on an emulated ARM64 host with Debian's kernel, which runs at EL2 (VHE) or at EL1: by stops, and live. The recorder
# is built for it, the trace is read here.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/arm.sh"
command -v qemu-system-aarch64 > /dev/null || { echo '1..0 # SKIP no qemu-system-aarch64 here'; exit; }

while read -r mode; do
	add_guest "$mode" "$mode"
done <<-END
	arm64-4k
	arm64-16k
	arm64-64k
	arm64-flat
	arm64-user
	arm32-lpae
	arm32-short
	arm32-thumb
END
kvm_arm() { # KIND, and the guests as standard input
	cat > "$work/kinds"
	options=(-k "$1" -f "$work/vmm=/bin/vmm" -f "$work/kinds" -f "$xen/in_dom0/kvm_guests.sh")
	lab_arm "$xen/in_dom0/kvm_arm64.sh"
}
recorded() { # NAME
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
true_shares() { # NAME TRUTH [POINTS]
	folded "$out/$1.upf" | grep -v '^\[no stack\]' | sed 's/^\[user\];//; s/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/stacks"
	shares_of "$work/stacks" "$2" "${3:-3}"
}
sampled() { # NAME
	"$report" --header "$out/$1.upf" | sed -n 's/^sampled *//p'
}
check_guests() { # WHERE
	local name mode work_of truth how

	while read -r name mode work_of; do
		guest=$work/$mode.elf truth=$xen/guests/truth/$work_of.txt
		case $work_of in
		depth:*)
			truth=$work/truth
			printf '_start;kernel_main;work_depth;%sbottom\t100\n' "$(printf 'deeper;%.0s' $(seq $((${work_of#*:} - 4))))" > "$truth" ;;
		esac
		for how in stop live; do
			ok "$1, $name, $how: recorded" recorded "$name-$how"
			ok "$1, $name, $how: every stack is the guest's, every share of time within 3 points" true_shares "$name-$how" "$truth"
		done
		ok "$1, $name: the trace says which is which" [ "$(sampled "$name-live"):$(sampled "$name-stop")" = "live: without a stop:" ]
	done < "$work/kinds"
	ok "$1: nothing in the kernel's log" quiet_kernel
}

kvm_arm kvm <<-END
	4k arm64-4k shares
	16k arm64-16k shares
	64k arm64-64k recursion
	flat64 arm64-flat levels
	user64 arm64-user levels
	lpae arm32-lpae shares
	short arm32-short recursion
	thumb arm32-thumb shares
	depth10 arm64-4k depth:10
	depth62 arm64-4k depth:62
	depth126 arm64-4k depth:126
END
check_guests VHE
kvm_arm kvm-nvhe <<-END
	4k arm64-4k shares
	64k arm64-64k recursion
	lpae arm32-lpae levels
END
check_guests "EL1"
done_testing
