#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, the guest runs on; on processors that really run side by side.
set -u
. "$(dirname "$0")/tap.sh"

lab -c 4 -T 600 "$xen/t/guard.sh"

none_paused() {
	sort "$out/kill" | uniq -c
	[ "$(grep -c '^runs$' "$out/kill")" = 30 ] && [ "$(wc -l < "$out/kill")" = 30 ]
}
ok "30 deaths, by SIGKILL and by SIGSEGV: no guest left paused" none_paused
killed_traces() {
	for trace in "$out"/killed-*.upf; do
		"$report" --verify "$trace" > "$work/verify" 2>&1
		[ $? = 4 ] || { echo "$trace"; cat "$work/verify"; return 1; }
	done
}
ok "traces of killed recorders can be read, and are known to be cut" killed_traces
signals() {
	cat "$out/signals"
	cmp - "$out/signals" <<-END
		INT 0 runs
		TERM 0 runs
		HUP 0 runs
	END
	for signal in INT TERM HUP; do
		"$report" --verify "$out/$signal.upf" || return 1
	done
}
ok "SIGINT, SIGTERM and SIGHUP complete the trace and let the guest run" signals
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
