#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --follow: a guest ends and comes back by another process; at first one that cannot be recorded; beside it are two other
# guests of the same name, of which one is recorded, too.
set -u
. "$(dirname "$0")/tap.sh"

said() {
	grep -qE "$1" "$work/follow.err"
}
sampled() {
	[ "$("$report" --dump "$work/follow.upf" 2> /dev/null | grep -c "sample domain $1 vcpu 0 running")" -gt "${2:-20}" ]
}
times_back() {
	"$report" --dump "$work/follow.upf" | grep -c 'event domain 0 .*(reboot)'
}

start_vmm -k work=heartbeat
start_vmm -g -k "work=levels far"
beside=$pid
start_vmm -g -m -k "work=levels far"
# Without CAP_BPF the kernel does not tell where a guest's memory is, and the search fails for the second monitor's (memory.t).
setpriv --bounding-set=-bpf,-perfmon,-sys_admin --inh-caps=-bpf,-perfmon,-sys_admin \
	"$record" --follow -F 500 --max-overhead 100% --max-cpu 100% --max-pause 60s -o "$work/follow.upf" "$pid" "$beside" 2> "$work/follow.err" &
recorder=$!
ok "two guests of one name: recorded" await sampled 0
watchdog=$(pgrep -P "$recorder" uniprof-wdog)
ok "the memory of one, which it shares, is mapped" grep -q memfd:guest "/proc/$recorder/maps"
end_machine() {
	kill -KILL "$1" && wait "$1"
} 2> /dev/null
end_machine "$pid"
ended() {
	"$report" --dump "$work/follow.upf" 2> /dev/null | grep -q 'event domain 0 .*(dying)'
}
ok "one ends: told" await ended
# Each thread of the recorder may have descriptors of its own. The other guest's memory is private.
let_go() {
	! ls -l "/proc/$recorder/task/"*/fd "/proc/$watchdog/fd" | grep memfd:guest &&
		! grep memfd:guest "/proc/$recorder/maps" &&
		! grep kvm-vcpu "/proc/$watchdog/maps" &&
		[ "$(grep -c kvm-vcpu "/proc/$recorder/maps")" = 1 ]
}
ok "its memory and its vCPU are let go" let_go
start_vmm -k work=heartbeat
refused="back as domain $pid, but cannot be recorded: cannot find its memory: CAP_BPF and CAP_PERFMON are missing, .*; trying again\$"
ok "it comes back, and cannot be recorded: told" await said "$refused"
ok "the other guest is recorded all the same" await sampled 1 1000
end_machine "$pid"
# But for the moment of another try.
one_vcpu() {
	[ "$(grep -c kvm-vcpu "/proc/$recorder/maps")" = 1 ]
}
ok "it ends: its vCPU is let go" await one_vcpu
start_vmm -g -k "work=levels far"
ok "it comes back again: told" await said "back as domain $pid\$"
kill -INT "$recorder"
wait "$recorder"
ok $? "the recording ends in order" "$(cat "$work/follow.err")"
ok "the trace is sound" "$report" --verify "$work/follow.upf"
ok "it came back once" test "$(times_back)" = 1
ok "nothing is left behind" untouched

done_testing
