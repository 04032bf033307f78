#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Recordings that go on for months: --switch-output, --switch-max-files, --overwrite, on a simulated hypervisor. Two
# million samples must take no more files, memory and mapped pages than a tenth of that.
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
record=${BUILD:?is set by make check-cli}/uniprof-record-sim
report=$BUILD/uniprof-report
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
export ASAN_OPTIONS=quarantine_size_mb=0 # else what was freed counts as used

# run NAME OPTION...: a recording in a folder of its own, told to stderr in NAME/err.
run() {
	mkdir "$1"
	(cd "$1" && "$record" -v "${@:2}" -o run.upf busy > out 2> err)
}

# sound FOLDER TRACES: so many, all of them whole.
sound() {
	local traces=("$1"/run.upf*)

	cat "$1/err"
	ls -l "$1"
	[ ${#traces[@]} = "$2" ] || return 1
	for trace in "${traces[@]}"; do
		"$report" --verify "$trace" || return 1
	done
}
samples() { # TRACE...: in all of them
	for trace; do "$report" -q --folded --weight samples --state all "$trace"; done | awk '{ n += $NF } END { print n + 0 }'
}
# used FOLDER WORD: what the recorder says that it used before that word: MiB or mapped.
used() {
	grep -oE "[0-9.]+ $2" "$1/err" | cut -d ' ' -f 1
}

# --- a week ---------------------------------------------------------------------------------------------------------------

# Two million samples and a tenth of them, of two vCPUs, as fast as they come.
week=(-F max --max-overhead 100 --max-cpu 100% --switch-output=16k --switch-max-files=4)
ok "a short recording" run short "${week[@]}" -n 100000
ok "two million samples" run long "${week[@]}" -n 1000000
bounded_files() {
	sound long 4 || return 1
	grep -E 'in [0-9]+ traces' long/err | awk '{ for (i = 1; i < NF; i++) if ($i == "in") exit !($(i + 1) > 20) }' &&
		[ "$(find long -name 'run.upf*' -size +80k | wc -l)" = 0 ]
}
ok "… leave the last four files, each about as large as was asked for" bounded_files
bounded() {
	echo "$1: $(used short "$1") for 200,000 samples, $(used long "$1") for 2,000,000; $2 more are allowed"
	awk -v short="$(used short "$1")" -v long="$(used long "$1")" -v more="$2" 'BEGIN { exit !(short > 0 && long <= short + more) }'
}
# How many of the four blocks were ever in use depends on the machine's load; what is allowed is 1.2 bytes a sample.
ok "… take no more memory" bounded MiB 2
ok "… and no more mapped pages" bounded "mapped pages" 0
bounded MiB 2 | sed 's/^/# /'
bounded "mapped pages" 0 | sed 's/^/# /'
# The writer thread is still busy with a switch when the next rounds come.
ok "as many samples in as many files as it takes" run all -F max --max-overhead 100 --max-cpu 100% --switch-output=16k -n 100000
full() {
	ls -l all
	[ "$(find all -name 'run.upf*' | wc -l)" -gt 2 ] && [ "$(find all -name 'run.upf*' -size -16384c | wc -l)" -le 1 ]
}
ok "… each but the last has reached its size" full
# --- when to switch -------------------------------------------------------------------------------------------------------

traces() { # N: so many, at least
	[ "$(find . -name 'run.upf*' | wc -l)" -ge "$1" ]
}
signalled() { # FOLDER OPTION...: SIGUSR2 comes twice, and each time there is a trace more
	local before

	mkdir "$1"
	cd "$1" || return
	"$record" -F 1k "${@:2}" -o run.upf busy 2> err &
	await takes $! USR2 INT
	for _ in 1 2; do
		sleep 1.6 # blocks of up to a second are kept or dropped whole
		before=$(find . -name 'run.upf*' | wc -l)
		kill -USR2 $!
		await traces $((before + 1)) || break
	done
	sleep 0.4
	kill -INT $!
	wait $!
}
# All samples have been handed to the writer thread by then, and the guest adds none.
dead_guest() { # FOLDER OPTION
	local before n

	mkdir "$1"
	cd "$1" || return
	UNIPROF_SIM_BORN=$PWD/born "$record" -F 20 "$2" --follow -o run.upf --start 'touch born' 2> err &
	await takes $! USR2 INT
	sleep 0.5
	rm born
	await grep -q 'waiting for .* to come back' err
	sleep 2
	before=$(find . -name 'run.upf*' | wc -l)
	for n in 1 2; do
		kill -USR2 $!
		await traces $((before + n)) || break
	done
	kill -INT $!
	wait $!
}
# They take seconds: beside each other. done_with NAME TEXT: waits for that one.
declare -A running
run timed -F 1k -d 2.9 --switch-output=1s &
running[timed]=$!
signalled signal --switch-output 2> /dev/null &
running[signal]=$!
signalled flight --overwrite=500ms 2> /dev/null &
running[flight]=$!
dead_guest dead --overwrite=60s 2> /dev/null &
running[dead]=$!
dead_guest dead-signal --switch-output 2> /dev/null &
running[dead-signal]=$!
done_with() {
	wait "${running[$1]}"
	ok $? "$2" "$(cat "$1/err")"
}
done_with timed "a switch every so often"
ok "… three traces, all whole" sound timed 3
# Each trace but the first is named when the one before it is complete.
told_switches() {
	cat timed/err
	diff <(cd timed && ls run.upf.* | paste -d ' ' - - - | awk '{ print $1, $2; print $2, $3 }') \
		<(sed -n 's/^uniprof-record: \(.*\) is complete; recording to \(.*\)$/\1 \2/p' timed/err)
}
ok "… with -v it is said which one is complete, and which is next" told_switches
all_there() {
	samples timed/run.upf*
	[ "$(samples timed/run.upf*)" = "$(sed -n 's/^samples *\([0-9]*\) in.*/\1/p' timed/err)" ]
}
ok "… and every sample in one of them" all_there
done_with signal "a switch whenever SIGUSR2 comes"
ok "… three traces, all whole" sound signal 3
done_with flight "a flight recorder writes what it has whenever SIGUSR2 comes, and at the end"
ok "… three traces, all whole" sound flight 3
# Blocks of up to a second are kept or dropped whole.
recent_only() {
	for trace in flight/run.upf*; do
		"$report" --dump "$trace" | awk '/ sample / { if (!n++) first = $4; last = $4 } END { print n, last - first; exit !(n > 200 && last - first <= 1.6) }' || return 1
	done
}
ok "… each with the last moments only" recent_only
named() {
	ls flight
	[ -e flight/run.upf ] && [ "$(find flight -name 'run.upf.20????????????*' | wc -l)" = 2 ]
}
ok "… under names that say when; the end's under its own" named
done_with dead "a flight recorder writes what it has also when the guest is dead, as often as it is asked"
ok "… three traces, all whole" sound dead 3
has_samples() {
	for trace in dead/run.upf.*; do [ "$(samples "$trace")" -gt 3 ] || return; done
}
ok "… that have its last samples" has_samples
done_with dead-signal "a switch whenever SIGUSR2 comes also when the guest is dead"
ok "… three traces, all whole" sound dead-signal 3
# --- signals and deadlines ------------------------------------------------------------------------------------------------

# Each deadline is a round, or is counted, but for the time that a busy machine needs to start. A signal comes about three
# times between two of them.
all_deadlines() {
	local _

	mkdir deadlines
	"$record" -F 10 -d 4 --overwrite -o deadlines/run.upf busy 2> deadlines/err &
	await takes $! USR2 INT
	for _ in $(seq 100); do kill -USR2 $! && sleep 0.03; done
	wait $!
	cat deadlines/err
	awk '/^samples/ { gsub("[(;,]", ""); for (i = 1; i < NF; i++) { if ($(i + 1) == "rounds") n += $i; if ($i == "missed") n += $(i + 1) } }
		/^throttled/ { n += $2 } END { print n " of 40 deadlines"; exit !(n >= 25 && n <= 41) }' deadlines/err
}
ok "SIGUSR2 costs no deadline" all_deadlines
# --- a file that comes while the flight recorder runs ---------------------------------------------------------------------

dumps() { # PID: it has samples
	kill -USR2 "$1"
	sleep 0.3
	"$report" -q --folded run.upf.20* | grep -q . || { rm -f run.upf.20*; return 1; }
	rm run.upf.20*
}
came_between() {
	mkdir between
	cd between || return
	"$record" -F 1k --overwrite -o run.upf busy 2> err &
	await takes $! USR2 INT
	await dumps $! || return
	echo precious > run.upf
	kill -INT $!
	wait $! || return
	cat err
	ls
	grep -qx precious run.upf && "$report" --verify run.upf.20* && [ "$(samples run.upf.20*)" -gt 0 ] &&
		grep -q '^uniprof-record: run.upf exists: .*; trying another name$' err &&
		grep -qx "uniprof-record: the samples are in $(ls run.upf.20*)" err &&
		grep -q "^written .*run.upf.20" err
}
ok "a file that is there at the end is kept, and so are the samples, under another name" came_between
# --- blocks ---------------------------------------------------------------------------------------------------------------

# blocks: a trace of nine seconds, to standard output.
blocks() {
	"$record" -q -F 99 -d 9 -o - busy
}
begin_after() { # SECONDS LEAST: each block but the first begins so long after the one before, or later; so many at least
	"$report" -q --dump - | awk -v want="$1" -v least="$2" '/ samples: / { sub(".* lost, ", ""); at = $1
			if (n++) { print at - last; early += at - last < want - 0.1 }
			last = at }
		END { exit early || n < least }'
}
to_file() { blocks > to.upf && begin_after 4 2 < to.upf; }
ok "at 99 Hz a file has a block every four seconds" to_file
to_pipe() { blocks | cat | begin_after 1 4; }
ok "… a pipe every second" to_pipe
killed() {
	"$record" -F 99 -o killed.upf busy 2> err &
	await takes $! INT
	sleep 5
	kill -KILL $!
	wait $!
	"$report" -q --dump killed.upf | awk '/ sample / { last = $4 } END { print last; exit !(last > 0.5) }'
}
ok "… of a recorder that is killed the last four seconds may be missing" killed
# --- what does not go together --------------------------------------------------------------------------------------------

refused() { # STATUS TEXT OPTION...
	local got

	"$record" "${@:3}" busy > out 2> err
	got=$?
	cat err
	[ $got = "$1" ] && [ "$(wc -l < err)" = 1 ] && grep -q -- "$2" err
}
ok "max-files alone" refused 2 'is for --switch-output or --overwrite' --switch-max-files 3 -o x.upf
ok "max-files 0" refused 2 'not a number' --switch-output --switch-max-files 0 -o x.upf
ok "a switch by nonsense" refused 2 'switch-output' --switch-output=soon -o x.upf
ok "a switch by nothing" refused 2 'switch-output' --switch-output=0 -o x.upf
ok "a flight recorder of nonsense" refused 2 'overwrite' --overwrite=much -o x.upf
ok "a flight recorder that switches by time" refused 2 'size or time cannot be combined with --overwrite' --overwrite --switch-output=1h -o x.upf
ok "several traces to standard output" refused 2 'need a file to write to' --switch-output -o -
ok "a flight recorder of less than a block" refused 2 "less than 4M" --overwrite=64k -o x.upf
ok "none of these left a file" test -z "$(ls -d x.upf* 2> /dev/null)"
done_testing
