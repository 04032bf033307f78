#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make install and uninstall, and the unit file.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/sim/clock.sh"

unset MAKEFLAGS MAKELEVEL
installs() {
	make -s -o all -C "$root" O="${BUILD:?is set by make check-cli}" prefix="$work/usr" "$@" < /dev/null
}
files() {
	(cd "$work" && find . -type f -o -type l | sort)
}
# One made without KVM has no unit, one made without any hypervisor no recorder.
wanted() {
	if [ -x "$BUILD/uniprof-record" ]; then
		echo ./usr/bin/uniprof-record
	fi
	echo ./usr/bin/uniprof-report
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/bin/uniprof-top
	[ ! -e "$unit" ] || echo ./usr/lib/systemd/system/uniprof-record@.service
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/bash-completion/completions/uniprof-record
	echo ./usr/share/bash-completion/completions/uniprof-report
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/bash-completion/completions/uniprof-top
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/man/man1/uniprof-record.1
	echo ./usr/share/man/man1/uniprof-report.1
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/man/man1/uniprof-top.1
	[ ! -x "$BUILD/uniprof-record" ] || echo ./usr/share/zsh/site-functions/_uniprof-record
	echo ./usr/share/zsh/site-functions/_uniprof-report
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
# Its commands, as systemd expands them, by the simulated recorder: two instances have nothing in common.
command_of() { # NAME INSTANCE
	sed -n "/^$1=/{:a; /\\\\$/{N; ba}; s/\\\\\n//g; s/^$1=//; p}" "$unit" |
		sed "s|^[^ ]*/uniprof-record |'$BUILD/uniprof-record-sim' |; s|%t|$work/run|g; s|%S|$work/state|g; s|%i|$2|g"
}
works() {
	local name

	for name in busy idle; do
		mkdir -p "$work/state/uniprof/$name" "$work/run/uniprof/$name"
		eval "$(command_of ExecStart $name | sed "s|--pause-file=[^ ]*|-d 0.3|")" || return
		eval "$(command_of ExecStopPost $name)" || return
		"$BUILD/uniprof-report" --verify "$work/state/uniprof/$name"/trace.upf.* || return
	done
	command_of ExecStart web-1 | tee "$work/expanded"
	grep -q -- ' web-1$' "$work/expanded" && ! grep -q '%' "$work/expanded"
}
[ ! -e "$unit" ] || ok "the unit's commands record guests in folders of their own, under the names they have" works
rm -rf "$work/verified" "$work/expanded" "$work/state" "$work/run"

# The manual page's example, by itself: it has only what is installed.
lib=$work/usr/lib
mandoc_example() {
	sed -n '/^\.Bd -literal/,/^\.Ed/{/^\.[BE]d/!p}' "$work/usr/share/man/man3/libupf.3" | sed 's/\\e/\\/g' > "$work/example.c"
	[ -s "$work/example.c" ]
}
compiles() { # FLAG...
	cc -std=c11 -Wall -Wextra -Werror -o "$work/example" "$work/example.c" "$@"
}
# As many samples as the report counts.
reads() {
	"$BUILD/tests/tools/mktrace" small > "$work/small.upf" &&
		[ "$(LD_LIBRARY_PATH=$lib "$work/example" < "$work/small.upf" | grep -c '^domain .* vcpu [0-9]* [a-z]* 0x')" = \
			"$("$BUILD/uniprof-report" -q --json "$work/small.upf" | sed -n 's/.*"totals":{"samples":\([0-9]*\).*/\1/p')" ]
}
# Symbols of other libraries that a program has cannot collide with its own.
prefixed() { # NM-OPTIONS FILE
	local symbols

	symbols=$(nm "$@" --defined-only | awk 'NF == 3 { print $3 }') && [ -n "$symbols" ] && ! grep -v '^upf_' <<< "$symbols"
}
has_soname() {
	readelf -d "$lib/libupf.so" | grep -q 'SONAME.*\[libupf\.so\.2\]'
}
ok "make install-lib" installs install-lib
ok "the manual page has an example" mandoc_example
flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs upf)
# shellcheck disable=SC2086
ok "it is compiled and linked with the shared library" compiles $flags
ok "… and reads a trace: as many samples as the report counts" reads
ok "it is linked with the static library" compiles -I"$work/usr/include" "$lib/libupf.a" -llz4
ok "… and reads a trace" reads
ok "all symbols of the shared library begin with upf_" prefixed -D "$lib/libupf.so"
ok "… and those of the static library" prefixed -g "$lib/libupf.a"
ok "the shared library has a version" has_soname
rm -f "$work"/example* "$work/small.upf"

ok "make uninstall" installs uninstall
ok "it leaves nothing" test -z "$(files)"

done_testing
