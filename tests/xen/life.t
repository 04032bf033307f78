#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A domain's life and death while it is recorded: the trace ends with the right reason, is whole, and nothing of ours keeps
# a dead domain among the living.
set -u
. "$(dirname "$0")/tap.sh"

lab -i -T 900 "$xen/t/life.sh"

ended() { # NAME
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && grep -q '^ended    the domain ended' "$out/$1.err" && "$report" --verify "$out/$1.upf"
}
no_zombie() { # NAME
	cat "$out/$1.list"
	! grep -q '(null)' "$out/$1.list"
}
event() { # NAME PATTERN
	"$report" --dump "$out/$1.upf" | grep ' event ' | tee "$work/events"
	tail -n 1 "$work/events" | grep -q "$2"
}
for reason in 0:poweroff 1:reboot 2:suspend 3:crash; do
	name=end${reason%%:*}
	ok "${reason#*:}: the recording ends by itself, whole" ended $name
	ok "${reason#*:}: the trace says why" event $name "event domain 0 3 (shutdown), value ${reason%%:*}$"
	ok "${reason#*:}: no zombie a second later" no_zombie $name
done
ok "destroyed: the recording ends by itself, whole" ended gone
ok "destroyed: the trace says why" event gone 'event domain 0 2 (dying)'
ok "destroyed: no zombie a second later" no_zombie gone
paused_between() {
	"$report" --dump "$out/gone.upf" | grep ' event ' | sed 's/.*event domain 0 //' | tee "$work/events"
	grep -q '^5 (paused' "$work/events" && grep -q '^6 (resumed' "$work/events"
	"$report" --dump "$out/gone.upf" | grep -q 'lost domain 0 .*paused'
}
ok "renamed, paused by an administrator and let go: told, and gone on with" paused_between

done_testing
