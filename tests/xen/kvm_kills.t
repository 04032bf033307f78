#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a live recording ends, or its guest does: nothing is left in the host's kernel, and the guest works on.
set -u
. "$(dirname "$0")/tap.sh"

# KILLS=250 tests/xen/kvm_kills.t is the long run, of 1,000 ends: so many of each of four kinds.
kills=${KILLS:-5}
bpftool=$(command -v bpftool || echo /usr/sbin/bpftool)
UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/guest.elf" || exit
guest=$work/guest.elf
if ! nm "$build/uniprof-record" | grep -q bpf_object; then
	echo "1..0 # SKIP built without libbpf"
	exit
fi
echo "$kills" > "$work/kills"
lab -k "${KIND:-kvm}" -c 2 -f "$build/tests/kvm/vmm=/bin/vmm" -f "$bpftool=/bin/bpftool" -f "$xen/in_dom0/kvm_guests.sh" \
	-f "$work/kills" "$xen/in_dom0/kvm_kills.sh"

# The stop at the beginning is one exit by a signal; it is tried again where the vCPU was not in the guest.
few_signals() {
	local signals=$(($(cat "$out/kills.after") - $(cat "$out/kills.before")))

	echo "$signals exits by signals in $((3 * kills)) recordings"
	[ "$signals" -le $((30 * kills)) ]
}
ok "recorders that are killed, ended, stopped: no signals but at the beginning" few_signals
works_on() {
	cat "$out/kills.vmm"
	recorded again
}
ok "the guest works on, and is recorded" works_on
in_order() {
	sort "$out/ended.rcs" | uniq -c
	cat "$out/ended.err"
	[ "$(grep -cx 0 "$out/ended.rcs")" = "$kills" ]
}
ok "each recording of a monitor that was killed ends in order" in_order
nothing_left() {
	diff "$out/left.before" "$out/left.after"
}
ok "no program, map, link or perf event is left" nothing_left
ok "nothing in the kernel's log" quiet_kernel
done_testing
