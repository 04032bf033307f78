#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Recordings that go on for months: --switch-output, --switch-max-files, --overwrite, on a simulated hypervisor. Two
# million samples must take no more files, memory and mapped pages than a tenth of that. Time is simulated too: so the
# numbers are exact.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
record=$build/uniprof-record-sim work=$tmp/work
mkdir "$work" && cd "$work" || exit
# shellcheck source=tests/sim/clock.sh
. "$here/../sim/clock.sh"
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

# Two million samples and a tenth of them, of two vCPUs: where no time is measured a block of 40,000 has 6 kB.
week=(-F max --max-overhead 100 --max-cpu 100% --switch-output=4k --switch-max-files=4)
ok "a short recording" run short "${week[@]}" -n 100000
ok "two million samples" run long "${week[@]}" -n 1000000
bounded_files() {
	sound long 4 || return 1
	grep -E 'in [0-9]+ traces' long/err | awk '{ for (i = 1; i < NF; i++) if ($i == "in") exit !($(i + 1) > 20) }' &&
		[ "$(find long -name 'run.upf*' -size +20k | wc -l)" = 0 ]
}
ok "… leave the last four files, each about as large as was asked for" bounded_files
bounded() {
	echo "$1: $(used short "$1") for 200,000 samples, $(used long "$1") for 2,000,000; $2 more are allowed"
	awk -v short="$(used short "$1")" -v long="$(used long "$1")" -v more="$2" 'BEGIN { exit !(short > 0 && long <= short + more) }'
}
# How many of the four blocks were ever in use is a race of two threads; what is allowed is 1.2 bytes a sample.
ok "… take no more memory" bounded MiB 2
ok "… and no more mapped pages" bounded "mapped pages" 0
bounded MiB 2 | sed 's/^/# /'
bounded "mapped pages" 0 | sed 's/^/# /'
in_real_time() { UNIPROF_SIM_CLOCK='' "$@"; }
# In real time the writer thread is still busy with a switch when the next rounds come.
ok "as many samples in as many files as it takes" in_real_time run all -F max --max-overhead 100 --max-cpu 100% --switch-output=16k -n 100000
full() {
	ls -l all
	[ "$(find all -name 'run.upf*' | wc -l)" -gt 2 ] && [ "$(find all -name 'run.upf*' -size -16384c | wc -l)" -le 1 ]
}
ok "… each but the last has reached its size" full
# --- when to switch -------------------------------------------------------------------------------------------------------

# held FOLDER OPTION...: a recording in a folder of its own, on a clock that the test holds.
held() {
	mkdir "$1"
	on_clock in_folder "$@"
}
in_folder() {
	cd "$1" && exec "$record" -o run.upf "${@:2}" > out 2> err
}
signalled() { # FOLDER OPTION...: SIGUSR2 comes after 1.6 s and after 3.2, the end after 3.6
	local at

	held "$1" -F 1k "${@:2}" busy
	for at in 1.6 3.2; do
		go_to $at
		kill -USR2 $!
	done
	go_to 3.6
	ended_by INT
	cat "$1/err"
}
# All samples have been handed to the writer thread by then, and the guest adds none.
dead_guest() { # FOLDER OPTION
	UNIPROF_SIM_BORN=born held "$1" -F 20 "$2" --follow --start 'touch born'
	go_to 0.5
	rm "$1/born"
	go_to 2.5
	kill -USR2 $!
	go_to 2.5
	kill -USR2 $!
	go_to 3
	ended_by INT
	cat "$1/err"
}
traces() { # FOLDER SECOND...: it has a trace that begins then, and no other one
	diff <(cd "$1" && printf '%s\n' run.upf.*) <(printf 'run.upf.202601010000%s\n' "${@:2}")
}
# seconds FOLDER: of each trace the samples of the running vCPU, and the times of the first and the last one, in the trace.
seconds() {
	local trace

	for trace in "$1"/run.upf*; do
		"$report" -q --dump "$trace" | awk '/ (sample|repeated) domain 0 vcpu 0 / { if (!n++) first = $4; last = $4 }
			END { printf "%d %.3f %.3f\n", n, first, last }'
	done
}
have() { # FOLDER LINE...: as seconds() prints
	diff <(seconds "$1") <(printf '%s\n' "${@:2}")
}
ok "a switch every so often" run timed -F 1k -d 2.9 --switch-output=1s
ok "… three traces, all whole" sound timed 3
ok "… that begin a second after each other" traces timed 0000 0100 0200
ok "… with the round that is due then" have timed '1001 0.001 1.000' '1001 0.001 1.001' '898 0.001 0.898'
# Each trace but the first is named when the one before it is complete.
told_switches() {
	cat timed/err
	diff <(cd timed && ls run.upf.* | paste -d ' ' - - - | awk '{ print $1, $2; print $2, $3 }') \
		<(sed -n 's/^uniprof-record: \(.*\) is complete; recording to \(.*\)$/\1 \2/p' timed/err)
}
ok "… with -v it is said which one is complete, and which is next" told_switches
all_there() {
	samples timed/run.upf*
	[ "$(samples timed/run.upf*)" = 5800 ] && grep -q '^samples  5800 in 2.90 s (2900 rounds, .*; missed 0, lost 0$' timed/err
}
ok "… and every sample in one of them" all_there
ok "a switch whenever SIGUSR2 comes" signalled signal --switch-output
ok "… three traces, all whole" sound signal 3
ok "… that begin when it came" traces signal 0000 0160 0320
ok "… with all samples until then" have signal '1600 0.001 1.599' '1600 0.001 1.600' '400 0.001 0.400'
ok "a flight recorder writes what it has whenever SIGUSR2 comes, and at the end" signalled flight --overwrite=500ms
ok "… three traces, all whole" sound flight 3
# Blocks of up to a second are kept or dropped whole: one is from 1 s on, those after the signals from 1.6 s and 2.6 s.
ok "… under names that say when; the end's under its own" traces flight 0100 0260
ok "… each with the last moments only" have flight '1000 0.000 0.999' '600 0.000 0.599' '600 0.000 0.599'
ok "a flight recorder writes what it has also when the guest is dead, as often as it is asked" dead_guest dead --overwrite=60s
ok "… three traces, all whole" sound dead 3
ok "… that have its last samples" have dead '10 0.028 0.490' '10 0.028 0.490' '10 0.028 0.490'
ok "a switch whenever SIGUSR2 comes also when the guest is dead" dead_guest dead-signal --switch-output
ok "… three traces, all whole" sound dead-signal 3
ok "… of which the first has its samples" have dead-signal '10 0.028 0.490' '0 0.000 0.000' '0 0.000 0.000'
# --- signals and deadlines ------------------------------------------------------------------------------------------------

# A signal comes about three times between two of them.
all_deadlines() {
	local n

	held deadlines -F 10 -d 1 --overwrite busy
	for n in {03..90..3}; do
		go_to "0.$n"
		kill -USR2 $!
	done
	go_on
	wait $!
	cat deadlines/err
	grep -q '^samples  20 in 1.00 s (10 rounds, .*; missed 0, lost 0$' deadlines/err && ! grep '^throttled' deadlines/err
}
ok "SIGUSR2 costs no deadline" all_deadlines
# --- a file that comes while the flight recorder runs ---------------------------------------------------------------------

came_between() {
	held between -F 1k --overwrite busy
	go_to 1.2
	kill -USR2 $!
	go_to 1.2
	[ "$(samples between/run.upf.2026010100000000)" = 2400 ] || return
	rm between/run.upf.*
	echo precious > between/run.upf
	go_to 1.5
	ended_by INT || return
	cat between/err
	ls between
	grep -qx precious between/run.upf && "$report" --verify between/run.upf.20* && [ "$(samples between/run.upf.20*)" = 3000 ] &&
		grep -q '^uniprof-record: run.upf exists: .*; trying another name$' between/err &&
		grep -qx "uniprof-record: the samples are in $(cd between && ls run.upf.20*)" between/err &&
		grep -q "^written .*run.upf.20" between/err
}
ok "a file that is there at the end is kept, and so are the samples, under another name" came_between
# --- blocks ---------------------------------------------------------------------------------------------------------------

# blocks: a trace of nine seconds, to standard output.
blocks() {
	"$record" -q -F 99 -d 9 -o - busy
}
begin_at() { # SECOND...: its blocks
	diff <("$report" -q --dump - | sed -n 's/.* samples: .* lost, \([0-9]*\)\.[0-9]*.*/\1/p') <(printf '%s\n' "$@")
}
to_file() { blocks > to.upf && begin_at 0 4 8 < to.upf; }
ok "at 99 Hz a file has a block every four seconds" to_file
to_pipe() { blocks | cat | begin_at 0 1 2 3 4 5 6 7 8; }
ok "… a pipe every second" to_pipe
killed() {
	held killed -F 99 busy
	go_to 5
	ended_by KILL
	have killed '396 0.006 3.999'
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
