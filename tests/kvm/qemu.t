#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records guests under QEMU on a real KVM, found by the name that QEMU was given, on two of its machines.
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/qemu.sh"

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
# A halted vCPU's registers stand still, and so does its stack. By QEMU's monitor: the instruction pointer, where the
# function that halts returns to, which makes no frame, and where each function that frame pointers lead to goes on.
their_chain() {
	local frame words

	asked 'cpu 1' > /dev/null
	asked 'info registers' > "$work/registers"
	grep -q ' HLT=1' "$work/registers" || return
	sed -n 's/^RIP=0*\([0-9a-f]*\) .*/\1/p' "$work/registers"
	returns_to "$(sed -n 's/.* RSP=\([0-9a-f]*\).*/0x\1/p' "$work/registers")" 1 2
	frame=0x$(sed -n 's/.* RBP=0*\([0-9a-f]*\) .*/\1/p' "$work/registers")
	while ((frame)); do
		returns_to "$frame" 2 3
		frame=$(awk '{ print $2 }' <<< "$words")
	done
}
# returns_to ADDRESS N FIELD: of the N words there, which are left in $words, the one in this field.
returns_to() {
	words=$(asked "x /$2gx $1" | grep '^0000')
	awk -v field="$3" '{ sub("^0x0*", "", $field); print $field }' <<< "$words"
}
# Of the first sample that has one: a vCPU that does not wake up in time, on a busy host, has none.
our_chain() {
	"$report" -q --perf-script --state blocked --vcpu 1 "$1" |
		awk '/^\t/ && $1 != "0" { print $1; n++; next } n { exit }'
}
same_chain() {
	their_chain > "$work/theirs"
	our_chain "$1" > "$work/ours"
	cat "$work/registers" "$work/theirs" "$work/ours"
	[ "$(wc -l < "$work/theirs")" = 3 ] && cmp "$work/theirs" "$work/ours"
}
# All that "info registers" shows but debug registers, which KVM does not give here. Attributes of segments are bits 8 to 15
# and 20 to 23 of what QEMU shows.
all_registers() {
	"$report" -q --registers --vcpu 1 "$work/look.upf" | tee "$work/ours"
	perl -0777 -e '
		my ($theirs) = (<STDIN> =~ /.*(CPU#1.*?EFER=\w+)/s) or die "no info registers";
		open(my $in, "<", $ARGV[0]); my $ours = <$in>; my %have; my $bad = 0; my $n = 0;
		while ($ours =~ /(?:^|\s)([a-z]\w*) ([0-9a-f]{16})(?=\s)/g) { $have{$1} = hex $2 }
		while ($ours =~ /^ +(\w+) +([0-9a-f]{4})?  base ([0-9a-f]+)  limit ([0-9a-f]+)/mg) { $have{"s$1"} = join " ", hex($2 // 0), hex $3, hex $4 }
		sub check { my ($name, $value) = @_; $n++; return if defined $have{$name} && $have{$name} eq $value;
			print "$name: QEMU shows $value, we ", $have{$name} // "nothing", "\n"; $bad = 1 }
		while ($theirs =~ /\b(R[A-Z0-9]{1,2}) ?=([0-9a-f]{16})/g) { check(lc $1, hex $2) }
		while ($theirs =~ /\b(CR[0234])=([0-9a-f]+)/g) { check(lc $1, hex $2) }
		$theirs =~ /RFL=([0-9a-f]+)/; check("rflags", hex $1);
		$theirs =~ /EFER=([0-9a-f]+)/; check("efer", hex $1);
		while ($theirs =~ /^([CDEFGS]S|LDT|TR|GDT|IDT) ?= *([0-9a-f]{4})? +([0-9a-f]{16}) ([0-9a-f]{8})/mg) {
			check("s" . ({LDT => "ldtr", GDT => "gdtr", IDT => "idtr"}->{$1} // lc $1), join " ", hex($2 // 0), hex $3, hex $4);
		}
		print "$n values\n"; exit($bad || $n < 30)' "$work/ours" < "$work/registers"
}
for machine in microvm q35; do
	name="$machine,,$$"
	start_qemu "$name" 1 work=levels -machine $machine
	works_or_skip work_levels
	ok "$machine, one vCPU: recorded by QEMU's name" recorded one -F 2k -n 4000 "$machine,$$"
	ok "$machine, one vCPU: every stack is the guest's, and has its share of time" shares one levels 0
	ok "$machine, one vCPU: nothing is left behind" untouched
	end_machines

	start_qemu "$name" 2 "work=levels others=same vcpus=2 " -machine $machine
	works _start_secondary > "$work/why"
	ok "$machine, two vCPUs: recorded" recorded two -F 2k -n 4000 "$machine,$$"
	ok "$machine, two vCPUs: every stack is the guest's, and has its share of time" shares two levels 0 1
	ok "$machine, two vCPUs: nothing is left behind" untouched
	end_machines

	start_qemu "$name" 2 "work=levels others=idle vcpus=2 " -machine $machine
	works work_levels > "$work/why"
	ok "$machine, a halted vCPU beside one at work: recorded" recorded idle -F 2k -n 4000 "$machine,$$"
	ok "$machine: the share of the one at work" shares idle levels 0
	ok "$machine: the halted one is asleep, where it waits" asleep idle
	ok "$machine: QEMU's monitor shows the same instruction pointer and the same chain of callers" same_chain "$work/idle.upf"
	ok "$machine: one look at it: recorded" recorded look -n 1 --registers --max-overhead 100% "$machine,$$"
	ok "$machine: QEMU's monitor shows the same registers" all_registers
	ok "$machine: nothing is left behind" untouched
	end_machines
done

done_testing
