#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --start: the command, the domain that it creates, and what goes wrong with either. Simulated: tests/sim/sim.h has "born", a
# domain that its creator leaves paused. The recorder's time is simulated, too; a command's is real.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
record=$build/uniprof-record-sim work=$tmp/work
mkdir "$work" && cd "$work" || exit
# shellcheck source=tests/sim/clock.sh
. "$here/../sim/clock.sh"

by=(env)

# starts STATUS COMMAND [ARGUMENT...]: the recorder's exit status; its output is in out and err.
starts() {
	local want=$1 command=$2

	shift 2
	rm -f born
	UNIPROF_SIM_BORN=$work/born "${by[@]}" "$record" -F 1k -n 20 -o run.upf "$@" --start "$command" > out 2> err < /dev/null
	got=$?
	cat err
	[ "$got" = "$want" ]
}
says() { # LINE: the last one on standard error
	[ "$(tail -n 1 err)" = "uniprof-record: $1" ]
}

recorded() {
	starts 0 'echo from the command; touch born' && grep -qx 'from the command' err && [ ! -s out ] && "$report" --verify run.upf &&
		"$report" --header run.upf | grep -q born
}
ok "the only new domain is recorded; the command's output is no trace" recorded
# shellcheck disable=SC2016
huge_pages() {
	rm run.upf
	starts 0 'grep THP_enabled /proc/self/status; touch born' &&
		[ "$(grep THP_enabled err)" = "$(grep THP_enabled /proc/self/status)" ]
}
ok "… it has huge pages, though the recorder has none" huge_pages
ignoring() { rm run.upf; local by=(env --ignore-signal=CHLD); recorded; }
ok "… also by a parent that ignores SIGCHLD" ignoring
# shellcheck disable=SC2016 # for the command's shell
blocking() { rm run.upf; local by=(env --block-signal=TERM); starts 143 'kill $PPID'; }
ok "a signal during the command ends the recorder, also where its parent has blocked it" blocking
# shellcheck disable=SC2016
held_by_signal() {
	starts 143 'touch born; kill $PPID' && grep -q 'Terminated during the command of --start: nothing is recorded' err &&
		says 'domain 9 is still paused, as the command of --start left it: xl unpause 9, or xl destroy 9'
}
ok "… and by then there is a domain: it is said that it stays paused" held_by_signal
# The command does not end before the recorder.
# shellcheck disable=SC2016
impatient() {
	mkfifo hold
	starts 143 'kill $PPID; until grep -q "another signal" err; do sleep 0.1; done; kill $PPID; exec cat hold'
	: <> hold
	[ "$got" = 143 ]
}
ok "… a second signal does not wait for the command's end" impatient
# shellcheck disable=SC2016
unblocked() { starts 6 'kill $$; true' && says '--start: the command was ended by signal 15 (Terminated)'; }
ok "the command itself has no signal blocked" unblocked
# A signal that comes when the recording is about to begin, and only waits for the reader of its output.
before_loop() {
	rm -f born run.upf
	mkfifo run.upf
	UNIPROF_SIM_BORN=$work/born "$record" -f -F 1k -n 20 -o run.upf --start 'touch born' 2> err &
	await grep -qs 'waiting for a reader' err
	kill -INT $!
	wait $!
	got=$?
	rm run.upf
	cat err
	[ $got = 5 ] && says 'domain 9 is still paused, as the command of --start left it: xl unpause 9, or xl destroy 9'
}
ok "… nor is the domain forgotten when a signal comes before the first sample" before_loop
half_done() {
	starts 6 'touch born; exit 3' && grep -q 'the command failed with exit status 3' err &&
		says 'domain 9 is still paused, as the command of --start left it: xl unpause 9, or xl destroy 9'
}
ok "… or when the command fails after it has created the domain" half_done
by_name() { rm -f run.upf; starts 0 'touch born' born; }
ok "… by its name" by_name
exists() { starts 5 'touch born' && says 'run.upf exists: choose another name, or replace it with -f' && [ ! -e born ]; }
ok "where the trace cannot be written, nothing is created" exists
rm -f run.upf
failed() { starts 6 'exit 3' && says '--start: the command failed with exit status 3'; }
ok "a command that fails" failed
killed() { starts 6 'kill -9 $$' && says '--start: the command was ended by signal 9 (Killed)'; }
ok "… that is killed" killed
missing() { starts 6 'no-such-command' && says '--start: the command failed with exit status 127' && grep -q 'no-such-command.*not found' err; }
ok "… that is not there" missing
never() { starts 4 true && says '--start: the command succeeded, but no new domain appeared within 10 seconds'; }
ok "a domain that never appears" never
held() {
	starts 4 'touch born' -C 3 && grep -q 'it has vCPUs 0 to 0, none of those asked for' err || return 1
	says 'domain 9 is still paused, as the command of --start left it: xl unpause 9, or xl destroy 9' && [ ! -e run.upf ]
}
ok "a domain that cannot be recorded stays paused, and that is said" held
two() { starts 2 'touch born' busy idle && says '--start records one domain: give at most one name'; }
ok "two domains" two
empty() { starts 2 '' && says "--start '': a command is needed, such as 'xl create -p web1.cfg'"; }
ok "no command" empty

done_testing
