#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One binary records on every Xen the lab has; the libxc backend on the one it was built for.
set -u
. "$(dirname "$0")/tap.sh"

pv=$guest pvh=$work/pvh.elf
"$xen/guests/build" -m long "$pvh"

listed() { # WHAT IT SAYS OF PVH GUESTS
	cat "$out/list.txt"
	grep -q '^ *1  shares  *PV  *1  *[0-9]*  -  *yes$' "$out/list.txt" && grep -q "^ *2  pvh  *PVH  *1  *[0-9]*  -  *$1" "$out/list.txt" &&
		grep -q '^ *0  Domain-0 .* no: ' "$out/list.txt"
}
recorded() { # NAME VERSION
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf" && "$report" --header "$out/$1.upf" | grep "Xen $2"
}
for version in 4.14 4.17 4.20; do
	guest=$pv
	lab -i -g "$pvh" -x $version "$xen/t/versions.sh"
	ok "Xen $version: lists the domains" listed 'yes$'
	ok "Xen $version: records" recorded shares "$version.*domctl 0x"
	ok "Xen $version: the guest's stacks, shares within 3 points" shares "$out/shares.upf" shares
	ok "Xen $version: records a PVH guest" recorded pvh "$version.*domctl 0x"
	guest=$pvh
	ok "Xen $version: its stacks, shares within 3 points" shares "$out/pvh.upf" shares
done

make -s -C "$xen/../.." O="$work/libxc" XENIF=libxc uniprof-record > "$work/make.log" 2>&1 || cat "$work/make.log"
build=$work/libxc guest=$pv
lab -i -g "$pvh" "$xen/t/versions.sh"
ok "libxc: lists the domains" listed 'no: this build records only PV guests'
ok "libxc: records" recorded shares "4.17.*libxenctrl"
ok "libxc: the guest's stacks, shares within 3 points" shares "$out/shares.upf" shares

done_testing
