#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One binary records on every Xen the lab has; the libxc backend on the one it was built for.
set -u
. "$(dirname "$0")/tap.sh"

listed() {
	cat "$out/list.txt"
	grep -q '^ *1  shares  *1  yes$' "$out/list.txt" && grep -q '^ *0  Domain-0 .* no: ' "$out/list.txt"
}
recorded() {
	cat "$out/shares.err"
	[ "$(cat "$out/shares.rc")" = 0 ] && "$report" --verify "$out/shares.upf"
	"$report" --header "$out/shares.upf" | grep "Xen $1"
}
for version in 4.14 4.17 4.20; do
	lab -i -x $version "$xen/t/versions.sh"
	ok "Xen $version: lists the domains" listed
	ok "Xen $version: records" recorded "$version.*domctl 0x"
	ok "Xen $version: the guest's stacks, shares within 3 points" shares "$out/shares.upf" shares
done

make -s -C "$xen/../.." O="$work/libxc" XENIF=libxc uniprof-record > "$work/make.log" 2>&1 || cat "$work/make.log"
build=$work/libxc
lab -i "$xen/t/versions.sh"
ok "libxc: lists the domains" listed
ok "libxc: records" recorded "4.17.*libxenctrl"
ok "libxc: the guest's stacks, shares within 3 points" shares "$out/shares.upf" shares

done_testing
