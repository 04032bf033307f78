#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, and whatever stops the recorder, the guest runs on: no thread of its monitor stays stopped or
# traced, KVM is not left asked for registers, no signal of the monitor's is lost.
set -u
. "$(dirname "$0")/tap.sh"

# KILLS=1000 tests/kvm/kills.t is the long run.
kills=${KILLS:-10}

# begin OPTION...: a recorder at work at 5 kHz, in $recorder.
begin() {
	rm -f "$work/kills.upf"
	"$record" -F 5k --max-overhead 100% -f -o "$work/kills.upf" "$@" "$pid" 2> "$work/kills.err" &
	recorder=$!
	await [ -s "$work/kills.upf" ]
}
a_moment() {
	sleep "0.0$((RANDOM % 90 + 10))"
}
gone() {
	! kill -0 "$1" 2> /dev/null
}

# killed SIGNAL: so many times; the guest goes on each time.
killed() {
	local i

	for ((i = 0; i < kills; i++)); do
		begin
		a_moment
		kill "-$1" "$recorder"
		wait "$recorder" 2> /dev/null
		untouched && goes_on || {
			echo "after SIG$1 number $i"
			cat "$work/kills.err" "/proc/$pid/task/"*/status
			return 1
		}
	done
}
# The recorder is stopped, some of the time inside a pause; meanwhile the guest goes on, and then the recorder.
stopped() {
	local i status=0

	begin --max-pause 20ms
	for ((i = 0; i < kills && status == 0; i++)); do
		a_moment
		kill -STOP "$recorder"
		await in_state T "$recorder" && goes_on || status=1
		kill -0 "$recorder" || return
		kill -CONT "$recorder"
	done
	kill -INT "$recorder"
	wait "$recorder" || status=1
	cat "$work/kills.err"
	untouched && "$report" --verify "$work/kills.upf" || status=1
	return $status
}
in_state() {
	grep -qs "^State:.$1" "/proc/$2/status"
}
told() {
	cat "$work/kills.err"
	grep -q '^overrun' "$work/kills.err"
}
no_watchdog() {
	begin
	kill -KILL "$(pgrep -P "$recorder" uniprof-wdog)"
	kill -KILL "$recorder"
	wait "$recorder" 2> /dev/null
	await untraced && goes_on
}
all_arrived() {
	awk '{ exit !($2 > 1000 && $2 == $3) }' "$work/beats"
}
signals_kept() {
	kill -USR1 "$pid"
	await all_arrived
	local status=$?
	cat "$work/beats"
	return $status
}

for options in "-k -c 2 -n" "-s -c 2"; do
	# shellcheck disable=SC2086
	start_vmm $options "work=heartbeat others=same"
	for signal in KILL SEGV INT; do
		ok "vmm $options: $kills ends by SIG$signal: the guest goes on, untouched" killed $signal
	done
	ok "vmm $options: $kills stops by SIGSTOP: the guest goes on meanwhile, and the recorder afterwards" stopped
	ok "vmm $options: pauses that the watchdog ended are told" told
	ok "vmm $options: recorder and watchdog killed at once: the guest goes on" no_watchdog
	ok "vmm $options: the next recording leaves nothing behind" recorded later -F 1k -n 100 "$pid"
	ok "vmm $options: nothing indeed" untouched
	[ "${options%-n}" = "$options" ] || ok "vmm $options: no signal of the monitor's was lost" signals_kept
	end_machines
done

# A monitor whose filter lacks restart_syscall, and whose thread sleeps outside KVM_RUN most of the time.
rounds=${ROUNDS:-20000}
start_vmm -s -w work=storm
survives() {
	recorded storm -F 20k -n "$rounds" "$pid" || return
	cat "$work/storm.err"
	kill -0 "$pid"
}
ok "$rounds rounds of a thread that sleeps where a stop would kill it: it lives" survives
ok "it is untouched" untouched
in_monitor() {
	"$report" -q --folded --no-inline --state all -s "$guest" "$work/storm.upf" | tee "$work/storm.folded"
	grep -q '^\[no stack\] [0-9]' "$work/storm.folded"
}
ok "it is recorded as in its monitor" in_monitor
end_machines

done_testing
