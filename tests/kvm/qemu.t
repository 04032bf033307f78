#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records guests under QEMU on a real KVM, found by the name that QEMU was given.
set -u
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/qemu.sh"


guest_name="web,,$$"
start_qemu "$guest_name" 2 "work=levels others=same vcpus=2 "
works_or_skip work_levels
ok "two vCPUs: recorded by QEMU's name" recorded q35 -F 1k -n 4000 "web,$$"
both() {
	for vcpu in 0 1; do
		folded --vcpu $vcpu "$work/q35.upf" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/levels.txt" || return
	done
}
ok "every stack is the guest's, every share of time within 3 points" both
ok "nothing is left behind" untouched
end_machines

# A halted vCPU's registers stand still: QEMU's monitor and the trace must tell the same.
start_qemu "idle$$" 1 work=idle
halted() {
	grep -q "^CPU 0/KVM" "/proc/$pid/task/"*/comm && grep -q ' 0xae80 ' "/proc/$pid/task/"*/syscall
}
in_idle() {
	printf 'info registers\n' >&7
	tr '\r' '\n' < "$work/qemu.out" | grep -q '^RIP=0*1.* HLT=1'
}
ok "an idle guest halts" await in_idle
ok "it is halted in KVM_RUN" await halted
ok "an idle guest: recorded" recorded idle -F 100 -n 20 --max-overhead 100% "idle$$"
same() {
	tr '\r' '\n' < "$work/qemu.out" | sed -n 's/^RIP=0*\([0-9a-f]*\) .*/0x\1/p' | tail -n 1 > "$work/theirs"
	"$report" -q --stacks --state all "$work/idle.upf" | grep -m 1 '^0x' > "$work/ours"
	cat "$work/theirs" "$work/ours"
	cmp "$work/theirs" "$work/ours"
}
ok "QEMU's monitor shows the same instruction pointer" same
# All that "info registers" shows but debug registers, which KVM does not give here. Attributes of segments are bits 8 to 15
# and 20 to 23 of what QEMU shows.
all_registers() {
	"$report" -q --registers "$work/look.upf" | tee "$work/ours"
	tr '\r' '\n' < "$work/qemu.out" | perl -0777 -e '
		my ($theirs) = (<STDIN> =~ /.*(CPU#0.*?EFER=\w+)/s) or die "no info registers";
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
		print "$n values\n"; exit($bad || $n < 30)' "$work/ours"
}
ok "one look at it: recorded" recorded look -n 1 --registers --max-overhead 100% "idle$$"
ok "QEMU's monitor shows the same registers" all_registers
ok "its stack is the guest's" test "$(folded --state all "$work/idle.upf")" = "_start;kernel_main;work_idle 20"
ok "nothing is left behind" untouched

done_testing
