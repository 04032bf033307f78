#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, the guest runs on; dom0 and each vCPU have a processor of their own.
set -u
. "$(dirname "$0")/tap.sh"

# KILLS=1000 tests/xen/watchdog.t is the long run, of an hour or so.
kills=${KILLS:-20}
address() {
	nm "$guest" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
CPU_LIMIT=$((600 + kills * 60))
lab -c 4 -f "$build/tests/xen/onlooker=/bin/onlooker" "$xen/in_dom0/watchdog.sh" "$kills" \
	"$(address beats)" "$(address longest_ns)"

# Stopped for 1 s each time, where a pause may last 0.1 s; the guest's own clock has the last word.
freezes() {
	cat "$out/freezes" "$out/freezes.err"
	awk '$1 == "freeze" { ok = $5 > 0 && !$7 && !$11 && !$13 && !$15 && !$17 && $19 > 0 && $19 < 200 }
		END { exit !ok }' "$out/freezes"
}
ok "$((kills / 2)) stops by SIGSTOP, some inside a pause: the guest always goes on, its longest pause is bounded" freezes
# Each of these pauses is told, and its samples, one of each vCPU, are lost.
voided() {
	cat "$out/freezes" "$out/freezes.err"
	"$report" --dump "$out/frozen.upf" | awk -v in_pause="$(awk '$1 == "freeze" { print $5 }' "$out/freezes")" \
		-v overruns="$(awk '/^overrun/ { print $2 }' "$out/freezes.err")" '
		/ lost domain 0 .*reason 3 / { sub(",", "", $9); lost += $9 }
		END { print lost " samples void, of " overruns " overruns"; exit !(overruns >= in_pause && lost == 2 * overruns) }'
}
ok "the samples of those pauses are void" voided
told() {
	cat "$out/freezes.err"
	awk '/^paused/ && match($0, /max [0-9.]* [mu]?s/) { split(substr($0, RSTART, RLENGTH), max, " "); ok = max[3] != "s" && (max[3] != "ms" || max[2] < 200) }
		END { exit !ok }' "$out/freezes.err"
}
ok "what the recorder was stopped for does not count as paused" told
foreign_kept() {
	cat "$out/freezes" "$out/freezes-foreign.err"
	awk '$1 == "freeze-foreign" { ok = $5 > 0 && $9 == 0 && $11 == 0 && $13 == 0 && $15 == 0 && $17 == 0 } END { exit !ok }' "$out/freezes"
}
ok "$((kills / 2)) stops while somebody else pauses the guest: that pause stays" foreign_kept

# both NAME TIMES: recorder and watchdog were killed so often, some inside a pause; --resume-paused had the guest go on.
both() {
	cat "$out/both" "$out/both.err"
	awk -v name="$1" -v kills="$2" '$1 == name { ok = $3 == kills && $5 > 0 && $7 == 0 && $9 == 0 && $11 == 0 && $13 == 0 }
		END { exit !ok }' "$out/both"
}
ok "$kills times recorder and watchdog are killed together: --resume-paused lets the guest go on" both both "$kills"
ok "$kills times while somebody else has paused the guest: that pause stays" both both-foreign "$kills"
# ends NAME [TIMES]: the recorder was ended so often, and the guest always went on.
ends() {
	cat "$out/ends"
	grep -q "^$1 ends ${2:-$kills} .* left-paused 0 stopped 0 undone 0 unsound 0 " "$out/ends"
}
for signal in KILL SEGV INT TERM PIPE; do
	ok "$kills ends by SIG$signal: the guest always goes on, and every trace is sound up to its end" ends $signal
done
for signal in KILL INT; do
	ok "$kills ends by SIG$signal while somebody else has paused the guest: that pause stays" ends $signal-foreign
done
# That this says something: of those deaths at which the watchdog was held back to see it, some came inside a pause.
inside() {
	cat "$out/ends"
	awk '/^(KILL|SEGV) / { alone += $7 } /^KILL-foreign / { both += $7 } END { exit !(alone > 0 && both > 0) }' "$out/ends"
}
ok "some deaths came inside a pause, also of those that met somebody else's" inside
foreign() {
	cat "$out/foreign" "$out/foreign.err"
	grep -q p "$out/foreign"
	"$report" --dump "$out/foreign.upf" | grep -qi 'paused'
}
ok "a pause of somebody else's is left alone, and recorded" foreign
destroyed() {
	cat "$out/destroyed" "$out/destroyed.err"
	[ "$(tr '\n' ' ' < "$out/destroyed")" = "0 0 " ] && grep -q 'the domain ended' "$out/destroyed.err" &&
		"$report" --verify "$out/destroyed.upf"
}
ok "a destroyed domain ends the recording and leaves no zombie" destroyed
no_watchdogs() {
	cat "$out/watchdogs"
	[ "$(cat "$out/watchdogs")" = 0 ]
}
ok "no watchdog process is left behind" no_watchdogs

done_testing
