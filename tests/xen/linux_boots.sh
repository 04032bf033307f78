# SPDX-License-Identifier: BSD-2-Clause
# What kvm_linux.t and hvm_linux.t check: a Debian kernel (linux/build -k) boots three times in one recording, is
# relocated each time (KASLR), and each boot's addresses have their names by that boot's place.
trace=$out/boots.upf
ok "recorded" recorded boots

# Where a boot ends, the interrupt table is gone, or the domain is another one. Firmware has tables, too.
ends=$("$report" -q --dump "$trace" | awk '/ entry domain 0 vcpu 0 0xffffffff/ { is_linux = 1 }
	is_linux && (/ entry domain 0 vcpu 0 0$/ || / event domain 0 4 \(reboot\)/) { print $4; is_linux = 0 }')
windows=(",${ends%$'\n'*}" "${ends/$'\n'/,}" "${ends#*$'\n'},")
three_boots() {
	echo "$ends"
	grep ' _text$' "$out/console" | sort -u | tee "$work/places"
	[ "$(wc -l <<< "$ends")" = 2 ] && [ "$(wc -l < "$work/places")" -gt 1 ]
}
ok "three boots, and the kernel lies elsewhere" three_boots
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
		exit($wrong || keys %range != 3 || grep { ($right{$_} // 0) < 100 } keys %range)' "$work/told"
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
