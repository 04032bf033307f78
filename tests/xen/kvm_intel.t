#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM recorded live and by stops on a processor of Intel's, emulated by Bochs, with Debian's kernel: the real
# kvm_intel.
set -u
. "$(dirname "$0")/tap.sh"

if ! command -v bochs-bin xorriso > "$work/found" || [ ! -e /usr/lib/ISOLINUX/isolinux.bin ]; then
	echo "1..0 # SKIP no Bochs, xorriso or isolinux here (make deps)"
	exit
fi
UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/guest.elf" || exit
guest=$work/guest.elf
LEAVES=without UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/leaves.elf" || exit
LEAVES=any UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/any.elf" || exit
lab -k kvm-intel -c 2 -f "$build/tests/kvm/vmm=/bin/vmm" -f "$xen/in_dom0/kvm_guests.sh" \
	-f "$work/leaves.elf" -f "$work/any.elf" "$xen/in_dom0/kvm_intel.sh"

is_live() { # NAME
	"$report" --header "$out/$1.upf" | grep '^sampled  *live: without a stop'
}
signals() { # NAME: how often the guest had to leave for a signal while it was recorded
	echo $(($(cat "$out/$1.after") - $(cat "$out/$1.before")))
}
seconds() { # NAME: how long it was recorded, in whole ones
	sed -n 's/^samples .* in \([0-9]*\)[.0-9]* s (.*/\1/p' "$out/$1.err"
}
# The 16 stops of the check, and one a second.
no_stops() { # NAME
	echo "$(signals "$1") exits by signals in $(seconds "$1") s"
	is_live "$1" && [ "$(signals "$1")" -ge 16 ] && [ "$(signals "$1")" -le $((17 + $(seconds "$1"))) ]
}
by_stops() { # NAME WHY
	! is_live "$1" && grep "sampled by stops: .*$2" "$out/$1.err"
}
# The guest works in ring 3. A thread that was not on its processor at the deadline has no stack; nor has one that KVM
# has not read rip of. By samples, until the default view is right: in it one stall of the recorder, of two seconds at
# its start, counts for the function that it met, and shares are off by up to 4 points. A guest stays in a function for
# 8 ms or more, and each 2 ms have a sample: by samples they are off by less than one.
stacks() { # NAME [GUEST [OPTION…]]
	"$report" -q --folded --no-inline --weight samples -s "${2:-$guest}" "${@:3}" "$out/$1.upf" | grep -v '^\[no stack\]' |
		sed 's/^\[user\];//'
}
true_shares() { # NAME TRUTH-FILE [GUEST]
	stacks "$1" "${3:-}" | sed 's/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/got"
	shares_of "$work/got" "$2"
}
# all_whole NAME LEAST: all stacks that there are. One in ten rounds may be without: of 3,000 live ones 182 were, since the
# thread was not on its processor, and 47 stops. Where the host has the thread sleep in KVM_RUN for a while, as it may, its
# rounds are no running ones.
all_whole() {
	"$report" -s "$guest" "$out/$1.upf"
	"$report" -q --dump "$out/$1.upf" | awk -v least="$2" '
		/ sample / && / running / { rounds++ }
		/ sample / && / running / && !/no registers/ { all++; whole += / end 0 / }
		END { print rounds, all, whole; exit !(all >= least && whole == all && all >= 0.9 * rounds) }'
}
of_62_frames() { # NAME
	stacks "$1" | awk -F ';' '
		{ print NF, $1, $NF }
		NF != 62 || $1 != "_start" || $NF !~ /^bottom / { bad = 1 }
		END { exit bad || NR == 0 }'
}
for how in shares stops; do
	ok "$how: recorded" recorded $how
	ok "$how: all stacks are whole" all_whole $how 1000
	ok "$how: every stack is the guest's, every share of samples within 3 points" \
		true_shares $how "$xen/guests/truth/shares.txt"
done
ok "live is the default, and stops only check it" no_stops shares
ok "copies of stacks, which need rsp, are taken by stops" by_stops copies 'need the stack pointer'
refused() {
	cat "$out/refused.err"
	[ "$(cat "$out/refused.rc")" != 0 ] && grep -q 'need the stack pointer' "$out/refused.err"
}
ok "with --sampler live they are refused" refused
ok "depth: recorded" recorded depth
ok "depth: all stacks are whole" all_whole depth 100
ok "depth: every stack has its 62 frames" of_62_frames depth
# Functions without a frame, whose callers the call before the next return address tells. Nothing jumps to one.
leaves() {
	no_stops leaves || return
	sed 's/;leaf_buffer/;by_jump&/; s/pointer;by_jump/pointer/' "$xen/guests/truth/leaves.txt" > "$work/truth"
	true_shares leaves "$work/truth" "$work/leaves.elf"
}
ok "leaves: recorded" recorded leaves
ok "leaves: callers of functions without a frame are put back" leaves
# Functions that use the frame pointer as any other register: a live stack has leaf_registers alone, one by a stop its
# caller. It has 15 % of some 350 samples: 20 is five standard deviations below that. The last live one may have the
# time of the event.
without_frames() {
	grep 'no frame pointers.*sampled by stops from now on' "$out/any.err" || return
	switch=$("$report" --dump "$out/any.upf" |
		awk '/event .*sampled by stops/ { printf "%.6f\n", $4 + 1e-6; exit }')
	echo "by stops from ${switch:?} s on"
	stacks any "$work/any.elf" --time "$switch," | tee "$work/any"
	! grep '^leaf_registers ' "$work/any" &&
		awk '/caller_2;leaf_registers / { n += $NF } END { exit n < 20 }' "$work/any"
}
ok "any: recorded" recorded any
ok "any: where frames lead nowhere, by stops from then on, and trace and user are told" without_frames
# What the host does: as in kvm_live.t. Of 800 samples 114 are at port I/O, and 26 at CPUID.
outside() { # FUNCTION REASON: its samples outside the guest are below this reason, but for one in twenty
	stacks exits | grep ";$1;\[" | grep -v ';\[interrupt\];' | tee "$work/outside"
	awk -v reason=";$1;[$2];" '
		{ all += $NF; good += index($0, reason) ? $NF : 0 }
		END { print good + 0, "of", all + 0; exit !(all >= 5 && good >= 0.95 * all) }' "$work/outside"
}
ok "exits: recorded with the host's stacks" recorded exits
ok "exits: port I/O" outside exits_write_port "port I/O"
ok "exits: CPUID" outside exits_ask_cpuid CPUID
from_host() {
	stacks exits | grep -F '[host:' | tee "$work/host" | head -n 20
	grep -qE 'kvm_arch_vcpu_ioctl_run \[host:kvm\];vmx_handle_exit \[host:kvm_intel\]' "$work/host"
}
ok "exits: the host's functions" from_host
# The stops at the start find it out, or one of those later.
ok "a guest that goes from one address space to another is recorded" recorded spaces
ok "by stops, and -v says why" by_stops spaces 'several address spaces'
ok "nothing in the kernel's log" quiet_kernel
done_testing
