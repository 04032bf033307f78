#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016
# The lab itself: Xen boots, its dom0 runs each of the lab's guests, and arguments go in, files and exit statuses come
# out; and KVM. versions.t shows the same of the other versions of Xen.
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
cat > "$work/status.sh" <<-'END'
	(. /lab/boot.sh)
	echo $? > /out/boot.rc
	printf '%s|' "$@" > /out/arguments
	exit 7
END
ok 'a status comes out' ends_with 7 ./lab -g "$work/guest.elf" -f "$work/guest.map" -f in_dom0/boot.sh -o "$work/out" \
	"$work/status.sh" "two words" '$x'
arguments_came() { [ "$(cat "$work/out/arguments")" = 'two words|$x|' ]; }
ok 'arguments go in, and a file comes out' arguments_came
guests_run() { cat "$work/out/console-script.log"; [ "$(cat "$work/out/boot.rc")" = 0 ]; }
ok 'the guests run' guests_run
echo 'while :; do :; done' > "$work/endless.sh"
ok 'CPU time is up' ends_with 124 ./lab -T 2 "$work/endless.sh"
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
