#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A domain's life and death while it is recorded: the trace ends with the right reason, is whole, and nothing of ours keeps
# a dead domain among the living.
set -u
. "$(dirname "$0")/tap.sh"

lab "$xen/in_dom0/life.sh"

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
reset_is_no_end() {
	ended reset || return
	"$report" --dump "$out/reset.upf" | sed -n 's/.* event domain 0 //p' | tee "$work/events"
	grep -q '^5 (paused' "$work/events" && ! grep -q '^3 (shutdown' "$work/events" && grep -q '^2 (dying' "$work/events"
}
ok "a soft reset is a pause, not the domain's end" reset_is_no_end
ok "destroyed: the recording ends by itself, whole" ended gone
ok "destroyed: the trace says why" event gone 'event domain 0 2 (dying)'
ok "destroyed: no zombie a second later" no_zombie gone
for name in slow stopped; do
	case $name in slow) when='between rounds ten seconds apart' ;; *) when='while the recorder is stopped' ;; esac
	ok "destroyed $when: the recording ends by itself, whole" ended $name
	ok "destroyed $when: no zombie a second later" no_zombie $name
done
paused_between() {
	"$report" --dump "$out/gone.upf" | grep ' event ' | sed 's/.*event domain 0 //' | tee "$work/events"
	grep -q '^5 (paused' "$work/events" && grep -q '^6 (resumed' "$work/events"
	"$report" --dump "$out/gone.upf" | grep -q 'lost domain 0 .*paused'
}
ok "renamed, paused by an administrator and let go: told, and gone on with" paused_between

# Each life of the domain is a domid of its own, and samples follow each return.
followed() {
	cat "$out/again.err" "$out/again.list"
	[ "$(cat "$out/again.rc")" = 0 ] && "$report" --verify "$out/again.upf" || return 1
	"$report" --dump "$out/again.upf" | awk -v domid="$(cat "$out/again.first")" '
		/ event domain 0 3 \(shutdown\), value 1$/ { ends++ }
		/ event domain 0 4 \(reboot\)/ { bad += $NF <= domid || lives && !samples; domid = $NF; lives++; samples = 0 }
		/ sample domain 0 vcpu 0 runn/ { samples++ }
		END { printf "%d ends, %d returns, after the last %d samples\n", ends, lives, samples; exit bad || ends < 2 || lives < 2 }'
}
ok "--follow: over reboots, each told with its new domid, and sampled" followed
ok "--follow: no zombie of the domains before" no_zombie again
left_alone() {
	cat "$out/last.err" "$out/last.list"
	[ "$(cat "$out/last.rc")" = 0 ] && grep -q '^ended    by Ctrl-C' "$out/last.err" && "$report" --verify "$out/last.upf"
}
ok "--follow: a domain that stays away is waited for until Ctrl-C" left_alone
ok "--follow: no zombie while it is waited for" no_zombie last
short_lives() {
	cat "$out/short.err"
	[ "$(cat "$out/short.rc")" = 0 ] && "$report" --verify "$out/short.upf" || return 1
	[ "$("$report" --dump "$out/short.upf" | grep -c 'event domain 0 4 (reboot)')" -ge 3 ]
}
ok "--follow: a domain that is gone again when it is found is waited for" short_lives
hot_plug() {
	cat "$out/plug.err"
	[ "$(cat "$out/plug.rc")" = 0 ] && "$report" --verify "$out/plug.upf" || return 1
	for state in running offline; do
		folded --state $state "$out/plug.upf" > "$work/plug.$state"
		sed "s/^/$state: /" "$work/plug.$state"
	done
	grep -q 'work_down' "$work/plug.running" && grep -q work_plug "$work/plug.running" && [ -s "$work/plug.offline" ]
	! grep -q work_plug "$work/plug.offline"
}
ok "a vCPU that is unplugged and plugged again" hot_plug

from_the_first() {
	cat "$out/boot.err"
	[ "$(cat "$out/boot.rc")" = 0 ] && "$report" --verify "$out/boot.upf" || return 1
	"$report" -s "$guest" --perf-script "$out/boot.upf" | awk -v RS= '/work_end/ { n++; last = NR } END {
		print n " of " NR " stacks in the work that takes 50 ms, the last one " last; exit n < 10 || last != NR }'
}
ok "--start: a guest that crashes after 50 ms, from its first instruction" from_the_first
ok "--start: the trace says that it crashed" event boot 'event domain 0 3 (shutdown), value 3$'
command_failed() {
	cat "$out/never.err"
	[ "$(cat "$out/never.rc")" = 6 ] && [ ! -e "$out/never.upf" ] && tail -n 1 "$out/never.err" | grep -q 'the command failed with exit status'
}
ok "--start: the failure of the command is told as its own" command_failed

done_testing
