#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM recorded by stops on a processor of Intel's, emulated by Bochs, with Debian's kernel: the real kvm_intel.
set -u
. "$(dirname "$0")/tap.sh"

if ! command -v bochs-bin xorriso > "$work/found" || [ ! -e /usr/lib/ISOLINUX/isolinux.bin ]; then
	echo "1..0 # SKIP no Bochs, xorriso or isolinux here (make deps)"
	exit
fi
UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/guest.elf" || exit
guest=$work/guest.elf
lab -k kvm-intel -c 2 -f "$build/tests/kvm/vmm=/bin/vmm" -f "$xen/in_dom0/kvm_guests.sh" "$xen/in_dom0/kvm_intel.sh"

recorded() { # NAME
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
by_stops() {
	grep 'sampled by stops: .*kvm_amd' "$out/shares.err"
}
# The guest works in ring 3. A thread that was not on its processor at the deadline has no stack. By samples: in time,
# one long stall of the recorder's would count for the function that it met.
stacks() { # NAME
	folded --weight samples "$out/$1.upf" | grep -v '^\[no stack\]' | sed 's/^\[user\];//'
}
true_shares() { # NAME
	stacks "$1" > "$work/got"
	shares_of "$work/got" "$xen/guests/truth/$1.txt"
}
all_whole() { # NAME SAMPLES: at least so many
	"$report" -s "$guest" "$out/$1.upf"
	"$report" -q --dump "$out/$1.upf" | awk -v least="$2" '
		/ sample / && / running / && !/no registers/ { all++; whole += / end 0 / }
		END { print all, whole; exit !(all >= least && whole == all) }'
}
of_62_frames() {
	stacks depth | awk -F ';' '
		{ print NF, $1, $NF }
		NF != 62 || $1 != "_start" || $NF !~ /^bottom / { bad = 1 }
		END { exit bad || NR == 0 }'
}
ok "shares: recorded" recorded shares
ok "by stops, and -v says why" by_stops
ok "shares: all stacks are whole" all_whole shares 2700
ok "shares: every stack is the guest's, every share of time within 3 points" true_shares shares
ok "depth: recorded" recorded depth
ok "depth: all stacks are whole" all_whole depth 450
ok "depth: every stack has its 62 frames" of_62_frames
clean() {
	tail -n 5 "$out/dmesg"
	! grep -E 'BUG:|Oops|WARNING:|stall' "$out/dmesg"
}
ok "nothing in the kernel's log" clean
done_testing
