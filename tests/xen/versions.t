#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One binary records guests of every kind and mode on every Xen the lab has; the libxc backend on the one it was built for.
# What kinds.t shows of the lab's own Xen is shown here of the others.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

pv=$guest
build_kinds
nm -n "$pv" > "$work/guest.map"
guests_run() {
	cat "$out/console-script.log"
	[ "$(cat "$out/boot.rc")" = 0 ]
}
of_version() { # TRACE VERSION
	recorded "$1" && "$report" --header "$out/$1.upf" | grep "Xen $2"
}
dom0_listed() {
	cat "$out/list"
	grep '^ *0  Domain-0 .* no: ' "$out/list"
}
for version in 4.14 4.20; do
	lab -x $version "${kernels[@]}" -g "$pv" -f "$work/guest.map" -f "$xen/in_dom0/boot.sh" \
		-f "$xen/in_dom0/kinds.sh" "$xen/in_dom0/versions.sh"
	ok "Xen $version: the lab's own guests run" guests_run
	ok "Xen $version: recorded" of_version all "$version.*domctl 0x"
	ok "Xen $version: dom0 is in the list" dom0_listed
	check_all_kinds "Xen $version: "
done

make -s -C "$xen/../.." O="$work/libxc" XENIF=libxc uniprof-record > "$work/make.log" 2>&1 || cat "$work/make.log"
build=$work/libxc guest=$pv
lab -g "$work/long.elf" "$xen/in_dom0/versions_libxc.sh"
only_pv() {
	dom0_listed && grep '^ *1  shares  *PV  *1  *[0-9]* running  *[0-9.]*%  -  *yes$' "$out/list" &&
		grep '^ *2  pvh  *PVH  *1  *[0-9]* -  *-  -  *no: this build records only PV guests' "$out/list"
}
ok "libxc: lists the domains" only_pv
ok "libxc: records" of_version shares "4.17.*libxenctrl"
named_by_host() {
	"$report" --header "$out/shares.upf" | grep -x "image  */lab/guest.elf"
}
ok "libxc: xenstore tells what its kernel was loaded from" named_by_host
ok "libxc: the guest's stacks, shares within 3 points" shares "$out/shares.upf" shares

done_testing
