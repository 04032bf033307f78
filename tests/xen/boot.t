#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016
# Every Xen the lab knows boots, its dom0 runs each of the lab's guests, and files and exit statuses come out; and KVM.
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=tests/tap.sh
. ../tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ends_with() { # STATUS COMMAND...
	local wanted=$1 status=0
	shift
	"$@" || status=$?
	[ "$status" = "$wanted" ]
}

guests/build "$work" && nm -n "$work/guest.elf" > "$work/guest.map"
for version in 4.14 4.17 4.20; do
	ok "Xen $version and its guests" ./lab -x "$version" -g "$work/guest.elf" -f "$work/guest.map" in_dom0/boot.sh
done

echo 'printf "%s|" "$@" > /out/arguments; exit 7' > "$work/status.sh"
arguments_came() { ends_with 7 ./lab -i -o "$work/out" "$work/status.sh" "two words" '$x' && [ "$(cat "$work/out/arguments")" = 'two words|$x|' ]; }
ok 'a status, arguments and /out, in repeatable time' arguments_came
echo 'sleep 1000' > "$work/sleep.sh"
ok 'time is up' ends_with 124 ./lab -T 15 "$work/sleep.sh"
# With -r programs of this machine run there, and what they write is gone afterwards.
mark=/tmp/${work##*/}.written
cat > "$work/own.sh" <<-END
	set -e
	echo 'int main(void) { return 3; }' > $mark.c
	cc -o $mark $mark.c
	status=0
	$mark || status=\$?
	[ -c /dev/kvm ] && grep -q cgroup2 /proc/mounts
	exit \$status
END
own_files() {
	ends_with 3 ./lab -k kvm -r "$work/own.sh" && ! ls "$mark"*
}
ok "programs of this machine's on Debian's kernel with KVM" own_files
done_testing
