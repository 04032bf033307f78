#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make deb: lintian finds nothing, and on a bare Debian, in a folder, the packages install, record a guest of KVM, and leave
# nothing.
set -u
export LC_ALL=C.UTF-8 # what the report prints depends on it
for needed in dpkg-buildpackage dh lintian mmdebstrap; do
	command -v "$needed" > /dev/null || { echo "1..0 # SKIP $needed is not here"; exit; }
done
# The Debian that this system's own apt installs from.
# shellcheck disable=SC2016
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian')
[ -n "$sources" ] || { echo "1..0 # SKIP apt knows no Debian mirror here"; exit; }
unshare --mount true 2> /dev/null || { echo "1..0 # SKIP nothing can be mounted here"; exit; }

. "$(dirname "$0")/tap.sh"
bare=$work/bare
unset MAKEFLAGS MAKELEVEL
builds() {
	make -s -C "$xen/../.." O="$work/build" deb < /dev/null
}
ok "make deb" builds
lints() {
	lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/build/deb/*.changes
}
ok "lintian finds neither errors nor warnings" lints

# Fedora's packages are not here to be asked for, and rpmlint knows rules of another distribution's.
rpms() {
	make -s -C "$xen/../.." O="$work/build" RPMFLAGS=--nodeps rpm < /dev/null && ls "$work"/build/rpm/RPMS/*/uniprof-record-2*.rpm &&
		! rpmlint "$work/build/rpm/uniprof/docs/packages/uniprof.spec" | grep -E '^[^ ]+:.* [EW]: ' |
		grep -vE 'no-buildroot-tag|mklibname'
}
if command -v rpmbuild > /dev/null && command -v rpmlint > /dev/null; then
	ok "make rpm" rpms
else
	ok "# SKIP neither rpmbuild nor rpmlint here" true
fi

in_bare() {
	timeout 300 chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
# Essential packages and apt; systemd to verify the unit.
made() {
	timeout 900 mmdebstrap --quiet --mode=root --variant=apt --include=systemd '' "$bare" - <<< "$sources"
}
files() {
	(cd "$bare" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
		-o -path ./packages -o -path ./run -o -path ./etc/ld.so.cache \) -prune -o -print | sort)
}
ok "a bare Debian" made
files > "$work/before"
mkdir "$bare/packages"
cp "$work"/build/deb/{lib,uniprof-re}*.deb "$bare/packages"
installs() {
	in_bare sh -c 'apt-get -qq update && apt-get -qq -y install --no-install-recommends /packages/*.deb'
}
ok "its apt installs the packages" installs
"$build/tests/tools/mktrace" small > "$bare/packages/small.upf"
reads() {
	diff <(in_bare uniprof-report --tree /packages/small.upf) <("$report" --tree "$bare/packages/small.upf")
}
ok "the report reads a trace as the one that was just built" reads
# Neither /dev/kvm nor Xen's devices are there.
no_hypervisor() {
	in_bare uniprof-record web1 2>&1 | tee "$work/said" && in_bare uniprof-top web1 2>&1 | tee -a "$work/said"
	[ "$(grep -c '^uniprof-' "$work/said")" = 2 ]
}
ok "recorder and live view find no hypervisor, and say so" no_hypervisor
verified() {
	in_bare systemd-analyze verify --man=no uniprof-record@web1.service 2>&1 | tee "$work/said"
	[ ! -s "$work/said" ]
}
ok "systemd finds nothing to say against the unit" verified

UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$guest" || exit
lab -k kvm -r "$xen/in_dom0/packages.sh" "$bare"
# Named by the kernel that QEMU was given.
two_commands() {
	cat "$out/record.err" "$out/flat"
	grep -q ' function_3$' "$out/flat" && grep -q '<title>.*function_3' "$out/web1.svg"
}
ok "two commands show where a guest of KVM spends its time, by its functions' names" two_commands

removes() {
	in_bare apt-get -qq -y purge --auto-remove uniprof-record uniprof-report libupf2 libupf-dev && diff "$work/before" <(files)
}
ok "they are removed, and leave nothing" removes
done_testing
