#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Outputs that fail or stall: what was written is valid, what was lost is counted, and the guest runs on.
set -u
. "$(dirname "$0")/tap.sh"

beats=0x$(nm "$guest" | awk '$3 == "beats" { print $1 }')
lab -f "$build/tests/xen/onlooker=/bin/onlooker" "$xen/in_dom0/output.sh" "$beats"

# ended NAME STATUS TEXT: the recorder said so, once, and the guest goes on.
ended() {
	cat "$out/$1.err" "$out/$1.rc" "$out/$1.beats"
	[ "$(cat "$out/$1.rc")" = "$2" ] && [ "$(grep -c -- "$3" "$out/$1.err")" = 1 ] && runs "$1"
}
runs() {
	awk 'NR == 1 { first = $1 } NR == 2 { second = $1 } NR == 3 { state = $1 }
		END { exit !(NR == 3 && second > first && state !~ /p/) }' "$out/$1.beats"
}
# cut NAME: known to be cut, and valid up to there.
cut() {
	"$report" --verify "$out/$1.upf"
	[ $? = 4 ] && "$report" -q --header "$out/$1.upf" | grep -q '^name  *out$'
}
has_samples() {
	[ "$("$report" -q --folded -s "$guest" "$out/$1.upf" | awk '/work_heartbeat/ { n += $NF } END { print n }')" -gt 100 ]
}
ok "a full disk ends the recording at once, and is said" ended full 5 'No space left on device; what was written before is valid'
ok "a full disk: what was written is valid" cut full
ok "… and has what was sampled until then" has_samples full

ok "a reader that stops and goes on: recorded" ended stalled 0 '^samples .* lost [1-9]'
stalled() {
	"$report" --verify "$out/stalled.upf" || return 1
	"$report" --dump "$out/stalled.upf" > "$work/dump"
	awk '/ lost domain 0 count .*output too slow/ { for (i = 1; i < NF; i++) if ($i == "count") n += $(i + 1) }
		END { print n + 0 }' "$work/dump" > "$work/lost"
	sed -n 's/^samples .* lost \([0-9]*\).*/\1/p' "$out/stalled.err" | cat - "$work/lost"
	[ "$(sed -n 's/^samples .* lost \([0-9]*\).*/\1/p' "$out/stalled.err")" = "$(cat "$work/lost")" ]
}
ok "… the trace is whole, and has counted what was lost" stalled
went_on() {
	awk '/ lost domain 0 count .*output too slow/ { n = 0 } / sample domain 0 / { n++ }
		END { print n + 0, "samples after the last loss"; exit n < 100 }' "$work/dump"
}
ok "… and goes on" went_on
stuck() {
	cat "$out/stuck.err" "$out/stuck.rc" "$out/stuck.beats"
	[ "$(cat "$out/stuck.rc")" = 130 ] && runs stuck
}
ok "a reader that never reads on: the second Ctrl-C ends the recorder" stuck
unread() {
	cat "$out/unread.err" "$out/unread.rc"
	[ "$(cat "$out/unread.rc")" = 5 ] && grep -q 'no program reads it' "$out/unread.err"
}
ok "a named pipe that nobody reads: Ctrl-C ends the waiting" unread
ok "a reader that goes away ends the recording, and is said" ended head 5 'its reader went away; what was written before is valid'
ok "a reader that goes away: what it got is valid" cut head
refused() {
	local domid what

	cat "$out/refused.err"
	domid=$(sed -n 's/.*multicall that pauses domain \([0-9]*\):.*/\1/p' "$out/refused.err" | head -n 1)
	for what in "domctl getdomaininfo of domain 0" "domctl get_address_size of domain $domid" "multicall that pauses domain $domid"; do
		grep -qx "uniprof-record: out: $what: Operation not permitted" "$out/refused.err" || return
	done
	[ "$(grep -cE '^uniprof-record: out: (domctl|multicall) .* domain [0-9]+: Operation not permitted$' "$out/refused.err")" = 8 ] &&
		[ "$(wc -l < "$out/refused.err")" = 8 ] && runs refused
}
ok "calls that Xen refuses are named, and what they were about" refused

done_testing
