#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However a recording ends, and whatever stops the recorder, the guest runs on: no thread of its monitor stays stopped
# or traced, KVM is not left asked for registers, no signal of the monitor's is lost.
set -u
. "$(dirname "$0")/tap.sh"

# KILLS=1000 STOPS=400000 tests/kvm/kills.t is the long run, of an hour or so: that many of each kind, half of them
# under either monitor.
kills=${KILLS:-20}
share=$(((kills + 1) / 2))

# killed SIGNAL: so many times; the guest goes on each time. Every second one is stopped first, to see whether it holds
# the guest. That some do is what makes the test say something: it goes on until one has.
killed() {
	local i inside=0

	for ((i = 0; i < share || (inside == 0 && i < share + 500); i++)); do
		begin
		a_moment
		if ((i % 2)); then
			kill -STOP "$recorder"
			await in_state T "$recorder"
			untraced || inside=$((inside + 1))
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
	echo "$i ends by SIG$1, of which $((i / 2)) were looked at: $inside held the guest" > "$work/told"
	((inside > 0))
}
# ended PROCESS: it is a zombie, or the shell has reaped it.
ended() {
	! grep -qs '^State:.[^Z]' "/proc/$1/task/"*/status
}
# The recorder is stopped, some of the time inside a pause; meanwhile the guest goes on, and then the recorder.
stopped() {
	local i inside=0 status=0

	begin --max-pause 20ms
	for ((i = 0; status == 0 && (i < share || (inside == 0 && i < share + 500)); i++)); do
		a_moment
		! in_state T "$recorder" || status=1
		kill -STOP "$recorder"
		untraced || inside=$((inside + 1))
		await untraced && await in_state T "$recorder" && goes_on || status=1
		kill -0 "$recorder" || return
		kill -CONT "$recorder"
	done
	kill -INT "$recorder"
	await ended "$recorder" || kill -KILL "$recorder"
	wait "$recorder" || status=1
	cat "$work/kills.err"
	unharmed && "$report" --verify "$work/kills.upf" || status=1
	echo "$i stops by SIGSTOP, of which $inside held the guest; $(grep '^overrun' "$work/kills.err")" > "$work/told"
	grep -q '^overrun' "$work/kills.err" && return $status
}
# As soon as it is attached, the recorder stops the guest to learn where its memory is mapped.
stopped_at_start() {
	local i inside=0 status=0

	for ((i = 0; status == 0 && (i < share || (inside == 0 && i < share + 500)); i++)); do
		"$record" -F 5k --max-pause 20ms -f -o "$work/kills.upf" "$pid" 2> "$work/kills.err" &
		recorder=$!
		await grep -qs . "/proc/$recorder/task/$recorder/children"
		kill -STOP "$recorder"
		untraced || inside=$((inside + 1))
		await untraced && goes_on || status=1
		kill -KILL "$recorder"
		wait "$recorder" 2> /dev/null
	done
	echo "$i stops by SIGSTOP, of which $inside held the guest" > "$work/told"
	return $status
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
	echo "$(awk '{ print $2 " signals sent, " $3 " arrived" }' "$work/beats")" | tee "$work/told"
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
		told
	done
	ok "vmm $options: $share stops by SIGSTOP, of which it tells: the guest goes on meanwhile, the recorder afterwards" stopped
	told
	ok "vmm $options: $share stops by SIGSTOP at the start of the recorder: the guest goes on" stopped_at_start
	told
	ok "vmm $options: recorder and watchdog killed at once: the guest goes on" no_watchdog
	ok "vmm $options: the next recording leaves nothing behind" recorded later -F 1k -n 100 "$pid"
	ok "vmm $options: nothing indeed" unharmed
	ok "vmm $options: no signal of the monitor's was lost" signals_kept
	told
	end_machines
done

# A monitor whose filter lacks restart_syscall, and whose thread sleeps outside KVM_RUN most of the time. A thread that
# was seen awake is stopped, and may have fallen asleep by then.
stops=${STOPS:-1500}
start_vmm -s -w 100 work=storm
stops_of() {
	"$report" -q --folded --weight samples --no-inline --state "$1" -s "$guest" "$work/storm.upf" > "$work/storm.folded"
	awk -v stack="$2" 'index($0, stack) { n += $NF } END { print n + 0 }' "$work/storm.folded"
}
survives() {
	local all=0 inside=0 asleep=0

	while ((all < stops)); do
		recorded storm -F 20k -n 100000 "$pid" || return
		kill -0 "$pid" || return
		all=$((all + $(stops_of running,vmm '')))
		inside=$((inside + $(stops_of running work_storm)))
		asleep=$((asleep + $(stops_of blocked '[no stack]')))
	done
	echo "$all stops, $inside of them in the guest; $asleep times the thread was asleep, and was not stopped" > "$work/told"
	((inside > 0 && asleep > all))
}
ok "$stops stops of a thread that sleeps where a stop would kill it: it lives" survives
told
ok "it is untouched" unharmed
end_machines

done_testing
