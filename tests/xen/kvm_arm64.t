#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM on an emulated ARM64 host with Debian's kernel, which runs at EL2 (VHE) or at EL1: by stops, and live. The recorder
# is built for it, the trace is read here. KILLS=300 is the long run; KINDS="kvm kvm-nvhe kvm-trixie kvm-nvhe-trixie" is that of
# two processors on Linux 6.12, too.
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
echo "${KILLS:-5}" > "$work/kills"
kvm_arm() { # KIND SCRIPT CLOCK...
	options=(-k "$1" -f "$work/vmm=/bin/vmm" -f "$work/kinds" -f "$work/kills" -f "$xen/in_dom0/kvm_guests.sh") clock=("${@:3}")
	lab_arm "$xen/in_dom0/$2"
}
check_kinds() { # KIND, and the guests as standard input
	cat > "$work/kinds"
	kvm_arm "$1" kvm_arm64.sh -i
	check_guests "$1"
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

check_kinds kvm <<-END
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
check_kinds kvm-nvhe <<-END
	4k arm64-4k shares
	64k arm64-64k recursion
	lpae arm32-lpae levels
END
for kind in kvm-trixie kvm-nvhe-trixie kvm-trixie-16k; do
	check_kinds $kind <<-END
		4k arm64-4k shares
		64k arm64-64k recursion
	END
done

# --- two processors --------------------------------------------------------------------------------------------------
is_live() { # NAME
	cat "$out/$1.err"
	[ "$(sampled "$1")" = "live: without a stop" ]
}
# On a busy machine an emulated processor stands still now and then: one sample would have all of that time.
apart() { # NAME TRUTH
	recorded "$1" && folded --weight samples "$out/$1.upf" | grep -v '^\[no stack\]' | sed '
		s/^_start_secondary;secondary_main;/_start;kernel_main;/
		s/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/stacks"
	shares_of "$work/stacks" "$xen/guests/truth/$2.txt" 8
}
# Where registers are those of an earlier stop, a guest with several address spaces is sampled by stops.
of_spaces() { # KIND
	case $1 in
	*nvhe*) is_live spaces ;;
	*) ! is_live spaces && grep -q 'sampled by stops: it uses several address spaces' "$out/spaces.err" ;;
	esac && apart spaces spaces
}
of_host() {
	recorded host && folded "$out/host.upf" | tee "$work/host"
	awk '/^_start;kernel_main;work_idle/ { all += $NF }
		/work_idle;.*\[host\];.*;kvm_vcpu_ioctl / { known += $NF } /;kvm_arch_vcpu_ioctl_run / { run += $NF }
		END { print all, known, run; exit !(all > 500 && known > 0.05 * all && 2 * run > known) }' "$work/host"
}
# The third vCPU has not been started. By stops, a thread that on a busy host does not come in time has no stack.
sleeps() { # NAME
	recorded "$1" && folded --vcpu 1-2 --state blocked "$out/$1.upf" | tee "$work/blocked"
	[ "$1" = halted ] || sed -i '/^\[no stack\] /d' "$work/blocked"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = "_start_secondary;secondary_main;work_halt" ]
}
in_order() {
	cat "$out/ended.rcs" "$out/ended.err"
	[ "$(sort -u "$out/ended.rcs")" = 0 ] && [ "$(wc -l < "$out/ended.rcs")" = "$(cat "$work/kills")" ]
}
for kind in ${KINDS:-kvm kvm-nvhe}; do
	kvm_arm "$kind" kvm_arm64_apart.sh -c 2
	guest=$work/arm64-4k.elf
	ok "$kind, apart: live is the default" is_live shares
	for name in shares fast two; do
		ok "$kind, apart: $name: every stack is the guest's, every share of time within 8 points" apart $name shares
	done
	for name in halted halted-stop; do
		ok "$kind, apart: $name: the vCPU that waits for an interrupt shows its stack" sleeps $name
	done
	ok "$kind, apart: with the host's functions: these are of KVM_RUN" of_host
	ok "$kind, apart: after recorders that were killed the guest works on, and is recorded" recorded again
	ok "$kind, apart: a guest of two address spaces, by what can tell them: every stack is the guest's" of_spaces "$kind"
	ok "$kind, apart: monitors that end while they are recorded" in_order
	ok "$kind, apart: no program and no perf event is left" test ! -s "$out/left"
	ok "$kind, apart: nothing in the kernel's log" quiet_kernel
done
done_testing
