#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel whose memory grows and shrinks while it is recorded; that is saved to a file, and comes back from it.
set -u
. "$(dirname "$0")/tap.sh"

"$xen/linux/build" "$work/linux"
lab -c 2 -f "$build/tests/xen/onlooker=/bin/onlooker" -f "$work/linux/vmlinuz" -f "$work/linux/initrd" "$xen/in_dom0/save.sh"

# sampled TRACE AT LEAST: so many samples, in what the guest is known to do.
sampled() {
	cat "$out/$1.err" "$out/$1.rc"
	[ "$(cat "$out/$1.rc")" = "${3:-0}" ] && "$report" --verify "$out/$1.upf" || return 1
	"$report" -q --folded -s "$work/linux/vmlinux" -s "$out/kallsyms" "$out/$1.upf" | awk -v least="$2" '
		{ n += $NF } /\[user\]|read_zero|clear_user/ { known += $NF } END { print n, known; exit !(n > least && known > n / 4) }'
}
ok "memory ballooned down and up: recorded to the end" sampled balloon 100
ballooned() {
	cat "$out/balloon.sizes"
	[ "$(tr '\n' ' ' < "$out/balloon.sizes")" = "128 192 112 160 " ]
}
ok "… and memory did come and go" ballooned

event() { # NAME PATTERN
	"$report" --dump "$out/$1.upf" | grep ' event ' | tee "$work/events"
	grep -q "$2" "$work/events"
}
no_zombie() { # NAME
	cat "$out/$1.list" "$out/$1.xl"
	! grep -q '(null)' "$out/$1.list" && grep -q '^Domain-0' "$out/$1.list" && ! grep -q '^linux' "$out/$1.list"
}
ok "xl save: the recording ends by itself, whole" sampled saved 50
ok "xl save: the trace says why" event saved 'event domain 0 3 (shutdown), value 2$'
ok "xl save: no zombie is left" no_zombie saved
ok "xl save under --follow: recorded until Ctrl-C" sampled followed 100
ok "xl save under --follow: no zombie while it is away" no_zombie followed
came_back() {
	cat "$out/followed.domids" "$out/followed.state"
	event followed "event domain 0 4 (reboot), value $(tail -n 1 "$out/followed.domids")\$"
}
ok "xl restore: followed to its new domid" came_back

done_testing
