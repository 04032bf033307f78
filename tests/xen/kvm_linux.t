#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel under QEMU and KVM, relocated at its start (KASLR), that goes on with another kernel (kexec) and then
# reboots, all in one recording: each boot's addresses have their names by that boot's place.
set -u
. "$(dirname "$0")/tap.sh"

linux=$work/linux
"$xen/linux/build" -k "$linux"
lab -q -k kvm -f "$build/tests/xen/onlooker=/bin/onlooker" -f "$linux/vmlinuz" -f "$linux/initrd" \
	"$xen/in_dom0/kvm_linux.sh"
trace=$out/boots.upf
ok "recorded" recorded boots

# The interrupt table is gone where a boot ends.
ends=$("$report" -q --dump "$trace" | awk '/ entry domain 0 vcpu 0 0$/ { print $4 }')
windows=(",${ends%$'\n'*}" "${ends/$'\n'/,}" "${ends#*$'\n'},")
three_boots() {
	echo "$ends"
	grep ' _text$' "$out/console" | sort -u | tee "$work/places"
	[ "$(wc -l <<< "$ends")" = 2 ] && [ "$(wc -l < "$work/places")" -gt 1 ]
}
ok "a kernel, another one by kexec, and one after a reboot" three_boots
# Of each function that the guest told, and of what begins where it ends, which is all that is known of that one: an
# address in it has its name, and what has its name is in it. Its first address may be on the stack as what a thunk goes
# to, where a return address would be the end of the function before.
as_told() { # N
	awk -v n="$1" '/^BEGIN/ { boot++ } NF == 3 && boot == n' "$out/console" > "$work/told"
	"$report" -q --perf-script --time "${windows[$1 - 1]}" -s "$linux/vmlinux" "$trace" | perl -e '
		open(my $told, "<", $ARGV[0]);
		my (%range, %right, $wrong);
		<$told> for 1 .. 2; # _text
		while (<$told>) {
			my ($from, undef, $function) = split;
			my ($to) = split " ", <$told>;
			$range{$function} = [$from, $to];
		}
		while (<STDIN>) {
			my ($at, $name) = /^\t *([0-9a-f]{16}) (\w+)/ or next;
			for my $function (keys %range) {
				my ($from, $to) = $range{$function}->@*;
				next if $name ne $function && ($at le $from || $at ge $to);
				my $is_right = $name eq $function && $at ge $from && $at lt $to;
				$is_right ? $right{$function}++ : ($wrong++, print);
			}
		}
		print "$_: ", $right{$_} // 0, " right\n" for keys %range;
		exit($wrong || keys %range != 3 || grep { ($right{$_} // 0) < 200 } keys %range)' "$work/told"
}
for boot in 1 2 3; do
	ok "boot $boot: its functions are where it says they are" as_told $boot
done
# Its interrupt table of these moments is another one.
from_the_start() {
	"$report" -q --folded --time "${windows[$1 - 1]}" -s "$linux/vmlinux" "$trace" |
		awk '/^secondary_startup_64_no_verify;start_kernel;/ { n += $NF } END { print n + 0; exit n < 20 }'
}
for boot in 2 3; do
	ok "boot $boot: its functions have names from start_kernel() on" from_the_start $boot
done

done_testing
