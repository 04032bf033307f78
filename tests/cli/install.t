#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make install and uninstall, and the unit file.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unset MAKEFLAGS MAKELEVEL
installs() {
	make -s -o all -C "$root" O="${BUILD:?is set by make check-cli}" prefix="$work/usr" "$@" < /dev/null
}
files() {
	(cd "$work" && find . -type f | sort)
}
# One made without KVM has no unit, one made without any hypervisor no recorder.
wanted() {
	if [ -x "$BUILD/uniprof-record" ]; then
		echo ./usr/bin/uniprof-record
	fi
	echo ./usr/bin/uniprof-report
	[ ! -e "$unit" ] || echo ./usr/lib/systemd/system/uniprof-record@.service
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/man/man1/uniprof-record.1
	echo ./usr/share/man/man1/uniprof-report.1
}
unit=$work/usr/lib/systemd/system/uniprof-record@.service
ok "make install" installs install
ok "it installs programs, manual pages and the unit file" diff <(files) <(wanted)

# A build asks the compiler which headers are here: one that finds none has neither hypervisor.
told_without() {
	make -n -C "$root" O="$work/none" CC='cc -nostdinc' all < /dev/null | grep -q "built without $1:"
}
ok "a build where Xen's headers are not found does without Xen" told_without Xen
ok "… and one without Linux's headers without KVM" told_without KVM

# It says nothing of a good one.
verified() {
	systemd-analyze verify --man=no "$unit" 2>&1 | tee "$work/verified"
	[ ! -s "$work/verified" ]
}
if [ -e "$unit" ] && command -v systemd-analyze > /dev/null; then
	ok "systemd finds nothing to say against the unit file" verified
else
	ok "# SKIP no unit file, or no systemd-analyze here" true
fi
rm -f "$work/verified"

# A program by itself: it has only what is installed.
cat > "$work/count.c" <<-'END'
	#include <stdio.h>
	#include <uniprof/upf.h>
	int main(void)
	{
		struct upf_reader *reader = upf_reader_open(0, &(enum upf_fault){0}, NULL);
		struct upf_block block;
		while (reader && upf_reader_next(reader, &block) == 1)
			;
		printf("%d\n", reader ? (int)upf_reader_health(reader)->blocks : -1);
		upf_reader_close(reader);
		upf_encoder_free(upf_encoder_new(UPF_TOPS_NONE, 0, 0));
	}
END
links() {
	cc -std=c11 -Wall -Werror -I"$work/usr/include" -o "$work/count" "$work/count.c" -L"$work/usr/lib" -lupf -llz4
}
counts() {
	"$BUILD/tests/tools/mktrace" small > "$work/small.upf" && [ "$("$work/count" < "$work/small.upf")" -gt 0 ]
}
ok "make install-lib" installs install-lib
ok "a program is compiled and linked with it" links
ok "… and reads a trace" counts
rm -f "$work"/count* "$work/small.upf"

ok "make uninstall" installs uninstall
ok "it leaves nothing" test -z "$(files)"

done_testing
