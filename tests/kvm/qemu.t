#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records guests under QEMU on a real KVM, found by the name that QEMU was given, on two of its machines.
set -u
. "$(dirname "$0")/tap.sh"

command -v qemu-system-x86_64 > /dev/null || {
	echo '1..0 # SKIP no QEMU here'
	exit
}

# start_qemu MACHINE NAME VCPUS LINE: in $pid; its monitor reads commands from descriptor 7. Firmware boots a q35, which
# takes a software KVM its time.
start_qemu() {
	rm -f "$work/console" "$work/monitor"
	mkfifo "$work/monitor"
	qemu-system-x86_64 -accel kvm -cpu host,-arch-capabilities -machine "$1" -nodefaults -display none -m 64 \
		-name "guest=$2,debug-threads=on" -smp "$3" -kernel "$guest" -append "$4" -debugcon "file:$work/console" \
		-monitor stdio < "$work/monitor" > "$work/qemu.out" 2>&1 &
	pid=$!
	machines+=("$pid")
	exec 7> "$work/monitor"
}
works() {
	local try

	for ((try = 0; try < 300; try++)); do
		gone "$pid" && break
		[ "$("$report" -q --folded -s "$guest" 2> /dev/null <("$record" -n 3 -F 100 --max-overhead 100% -o - "$pid" 2> /dev/null) |
			grep -c "$1")" = 0 ] || return 0
		sleep 1
	done
	cat "$work/qemu.out"
	return 1
}
gone() {
	! kill -0 "$1" 2> /dev/null
}
untouched() {
	await untraced
}

# work_of TRACE VCPU...: what each of these has done.
work_of() {
	local trace=$1 vcpu

	for vcpu in "${@:2}"; do
		folded --vcpu "$vcpu" "$trace" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/levels.txt" || return
	done
}

# asked COMMAND: what QEMU's monitor answers.
asked() {
	local before

	before=$(stat -c %s "$work/qemu.out")
	echo "$1" >&7
	await answered "$before"
	tail -c "+$((before + 1))" "$work/qemu.out" | tr '\r' '\n'
}
answered() {
	tail -c "+$(($1 + 1))" "$work/qemu.out" | grep -q '^(qemu) $'
}
# A halted vCPU's registers stand still, and so does its stack. By QEMU's monitor: the instruction pointer, and where
# each function that frame pointers lead to goes on.
their_chain() {
	local frame words

	asked 'cpu 1' > /dev/null
	asked 'info registers' > "$work/registers"
	grep -q ' HLT=1' "$work/registers" || return
	sed -n 's/^RIP=0*\([0-9a-f]*\) .*/0x\1/p' "$work/registers"
	frame=0x$(sed -n 's/.* RBP=0*\([0-9a-f]*\) .*/\1/p' "$work/registers")
	while ((frame)); do
		words=$(asked "x /2gx $frame" | grep '^0000')
		frame=$(awk '{ print $2 }' <<< "$words")
		awk '{ sub("^0x0*", "0x", $3); print $3 }' <<< "$words"
	done
}
our_chain() {
	"$report" -q --stacks --state blocked --vcpu 1 "$1" | awk '/^0x/ { print $1; n++; next } n { exit }'
}
same_chain() {
	their_chain > "$work/theirs"
	our_chain "$1" > "$work/ours"
	cat "$work/registers" "$work/theirs" "$work/ours"
	[ "$(wc -l < "$work/theirs")" -ge 2 ] && cmp "$work/theirs" "$work/ours"
}
for machine in microvm q35; do
	name="$machine,,$$"
	start_qemu $machine "$name" 1 work=levels
	works work_levels > "$work/why" || {
		echo "1..0 # SKIP no KVM here that runs QEMU: $(tr '\r' '\n' < "$work/why" | grep -v '^QEMU\|(qemu)' | head -n 1)"
		exit
	}
	ok "$machine, one vCPU: recorded by QEMU's name" recorded one -F 1k -n 4000 "$machine,$$"
	ok "$machine, one vCPU: every stack is the guest's, every share of time within 3 points" work_of "$work/one.upf" 0
	ok "$machine, one vCPU: nothing is left behind" untouched
	end_machines

	start_qemu $machine "$name" 2 "work=levels others=same vcpus=2 "
	works _start_secondary > "$work/why"
	ok "$machine, two vCPUs: recorded" recorded two -F 1k -n 4000 "$machine,$$"
	ok "$machine, two vCPUs: every stack is the guest's, every share of time within 3 points" work_of "$work/two.upf" 0 1
	ok "$machine, two vCPUs: nothing is left behind" untouched
	end_machines

	start_qemu $machine "$name" 2 "work=levels others=idle vcpus=2 "
	works work_levels > "$work/why"
	ok "$machine, a halted vCPU beside one at work: recorded" recorded idle -F 1k -n 4000 "$machine,$$"
	ok "$machine: the share of the one at work" work_of "$work/idle.upf" 0
	ok "$machine: the halted one is asleep, where it waits" asleep idle
	ok "$machine: QEMU's monitor shows the same instruction pointer and the same chain of callers" same_chain "$work/idle.upf"
	ok "$machine: nothing is left behind" untouched
	end_machines
done

done_testing
