#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, and whatever stops the recorder, the guest runs on: no thread of its monitor stays stopped
# or traced, KVM is not left asked for registers, no signal of the monitor's is lost.
set -u
. "$(dirname "$0")/tap.sh"

# LIMIT=20000 KILLS=1000 STOPS=400000 tests/kvm/kills.t is the long run, of some hours: that many of each kind, half of
# them under either monitor.
kills=${KILLS:-8}
share=$(((kills + 1) / 2))
make_hook || exit

# killed SIGNAL: so many times; the guest goes on each time. Every second time the recorder holds the guest then.
killed() {
	local i

	for ((i = 0; i < share; i++)); do
		begin --max-pause 60s
		if ((i % 2)); then
			stop_inside || return
		else
			a_moment
		fi
		kill "-$1" "$recorder"
		kill -CONT "$recorder" 2> /dev/null
		wait "$recorder" 2> /dev/null
		unharmed || {
			echo "after SIG$1 number $i"
			cat "$work/kills.err" "/proc/$pid/task/"*/status
			return 1
		}
	done
}
# ended PROCESS: it is a zombie, or the shell has reaped it.
ended() {
	! grep -qs '^State:.[^Z]' "/proc/$1/task/"*/status
}
overruns() {
	sed -n 's/^overrun *\([0-9]*\) .*/\1/p' "$work/kills.err"
}
# The recorder is stopped, every second time while it holds the guest; meanwhile the guest goes on, and then the
# recorder. It tells of the pauses that its watchdog has ended.
stopped() {
	local i status=0

	begin --max-pause 20ms
	for ((i = 0; status == 0 && i < share; i++)); do
		a_moment
		! in_state T "$recorder" || status=1
		if ((i % 2)); then ask_to_stop; else kill -STOP "$recorder"; fi
		await untraced && await in_state T "$recorder" && goes_on || status=1
		kill -0 "$recorder" || return
		kill -CONT "$recorder"
	done
	kill -INT "$recorder"
	await ended "$recorder" || kill -KILL "$recorder"
	wait "$recorder" || status=1
	cat "$work/kills.err"
	unharmed && "$report" --verify "$work/kills.upf" || status=1
	(($(overruns) >= share / 2)) && return $status
}
# As soon as it is attached, the recorder stops the guest to learn where its memory is mapped.
stopped_at_start() {
	local i status=0

	for ((i = 0; status == 0 && i < share; i++)); do
		: > "$work/stop"
		LD_PRELOAD=$hook "$record" -F 5k --max-pause 20ms -f -o "$work/kills.upf" "$pid" 2> "$work/kills.err" &
		recorder=$!
		await [ ! -e "$work/stop" ] && await untraced && goes_on || status=1
		kill -KILL "$recorder"
		wait "$recorder" 2> /dev/null
	done
	return $status
}
no_watchdog() {
	begin --max-pause 60s
	stop_inside || return
	kill -KILL "$(pgrep -P "$recorder" uniprof-wdog)"
	kill -KILL "$recorder"
	wait "$recorder" 2> /dev/null
	await untraced && goes_on
}
all_arrived() {
	awk '{ exit !($2 > 0 && $2 == $3) }' "$work/beats"
}
signals_kept() {
	kill -USR1 "$pid"
	await all_arrived
	local status=$?
	awk '{ print $2 " signals sent, " $3 " arrived" }' "$work/beats" | tee "$work/told"
	return $status
}
# What was counted, beside the result.
told() {
	sed 's/^/# /' "$work/told"
}

for options in "-k -c 2 -n" "-s -c 2 -n"; do
	# shellcheck disable=SC2086
	start_vmm $options "work=heartbeat others=same"
	for signal in KILL SEGV INT; do
		ok "vmm $options: $share ends by SIG$signal: the guest goes on, untouched" killed $signal
	done
	ok "vmm $options: $share stops by SIGSTOP, of which it tells: the guest goes on meanwhile, the recorder afterwards" stopped
	ok "vmm $options: $share stops by SIGSTOP at the start of the recorder: the guest goes on" stopped_at_start
	ok "vmm $options: recorder and watchdog killed at once: the guest goes on" no_watchdog
	ok "vmm $options: the next recording leaves nothing behind" recorded later -F 1k -n 100 "$pid"
	ok "vmm $options: nothing indeed" unharmed
	ok "vmm $options: no signal of the monitor's was lost" signals_kept
	told
	end_machines
done

# A monitor whose filter lacks restart_syscall, and whose thread sleeps outside KVM_RUN most of the time. A thread that
# was seen awake is stopped, and may have fallen asleep by then.
stops=${STOPS:-1000}
start_vmm -s -w 100 work=storm
stops_of() {
	"$report" -q --folded --weight samples --no-inline --state "$1" -s "$guest" "$work/storm.upf" > "$work/storm.folded"
	awk -v stack="$2" 'index($0, stack) { n += $NF } END { print n + 0 }' "$work/storm.folded"
}
survives() {
	local all=0 inside=0 asleep=0

	while ((all < stops || inside == 0 || asleep == 0)); do
		recorded storm -F 20k -n 20000 "$pid" || return
		kill -0 "$pid" || return
		all=$((all + $(stops_of running,vmm '')))
		inside=$((inside + $(stops_of running work_storm)))
		asleep=$((asleep + $(stops_of blocked '[no stack]')))
	done
	echo "$all stops, $inside of them in the guest; $asleep times the thread was asleep, and was not stopped" > "$work/told"
}
ok "$stops stops of a thread that sleeps where a stop would kill it: it lives" survives
told
ok "it is untouched" unharmed
end_machines

done_testing
