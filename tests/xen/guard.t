#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, the guest runs on; on processors that really run side by side.
set -u
. "$(dirname "$0")/tap.sh"

# KILLS=1000 tests/xen/guard.t is the long run, of an hour or so.
kills=${KILLS:-40}
beats=0x$(nm "$guest" | awk '$3 == "beats" { print $1 }')
lab -c 4 -T "$((3600 + kills * 60))" -f "$build/tests/xen/onlooker=/bin/onlooker" "$xen/t/guard.sh" "$kills" "$beats"

# ends NAME [TIMES]: the recorder was ended so often, and the guest always went on.
ends() {
	cat "$out/ends"
	grep -q "^$1 ends ${2:-$kills} .* left-paused 0 stopped 0 undone 0 unsound 0 " "$out/ends"
}
for signal in KILL SEGV INT TERM PIPE; do
	ok "$kills ends by SIG$signal: the guest always goes on, and every trace is sound up to its end" ends $signal
done
for signal in KILL INT; do
	ok "$((kills / 2)) ends by SIG$signal while somebody else has paused the guest: that pause stays" ends $signal-foreign $((kills / 2))
done
# That this says something: of those deaths at which the guard was held back to see it, some came inside a pause.
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
no_guards() {
	cat "$out/guards"
	[ "$(cat "$out/guards")" = 0 ]
}
ok "no guard process is left behind" no_guards

done_testing
