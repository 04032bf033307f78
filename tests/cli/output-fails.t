#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Outputs that fail while the recorder runs: a full disk, a folder that is moved away, a pipe that is replaced, closed
# descriptors. The recording ends with one clear line, its summary and exit status 5, and what was written before is valid.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
record=$build/uniprof-record-sim work=$tmp/work
mkdir "$work" && cd "$work" || exit
# What ends by itself and waits for nobody is recorded on a simulated clock (tests/sim/clock.h).
simulated=(env UNIPROF_SIM_CLOCK=free UNIPROF_SEED=1)

# ended STATUS GOT TEXT: the exit status is as wanted; err has a summary and one line of the program's with TEXT in it.
ended() {
	cat err
	[ "$2" = "$1" ] && grep -q '^samples ' err && [ "$(grep -c '^uniprof-record: ' err)" = 1 ] &&
		grep -q "^uniprof-record: .*$3" err
}

# valid STATUS TRACE...: what uniprof-report says to each of them.
valid() {
	local trace status=$1

	shift
	for trace; do
		"$report" -q --verify "$trace"
		[ $? = "$status" ] || return 1
	done
}

# --- --switch-output -------------------------------------------------------------------------------------------------

full_disk() {
	(ulimit -f 1; exec "${simulated[@]}" "$record" -F 20k -d 1 --switch-output=300ms -o full.upf busy 2> err)
	ended 5 $? 'full.upf.[0-9]*: File too large; what was written before is valid'
}
ok "a trace that does not fit when the next one is due" full_disk
# settled PROCESS: it is stopped where its trace has its name: one with a temporary name would be lost.
settled() {
	kill -STOP "$1"
	await in_state T "$1" && ! ls -A folder | grep -q '^\.' && [ "$(ls folder | wc -l)" -ge 2 ] && return
	kill -CONT "$1"
	return 1
}
moved_away() {
	local pid status

	mkdir folder
	"$record" -F 2k --switch-output=300ms -o folder/run.upf busy 2> err &
	pid=$!
	await settled $pid
	mv folder moved
	kill -CONT $pid
	wait $pid
	status=$?
	ended 5 $status 'cannot write in folder/: No such file or directory; what was written before is valid'
}
ok "a folder that is moved away" moved_away
earlier() {
	ls -A moved
	[ -z "$(ls -A moved | grep -v '^run.upf.[0-9]*$')" ] && [ "$(ls moved | wc -l)" -ge 2 ] && valid 0 moved/*
}
ok "… and the traces before are whole, with nothing beside them" earlier
named() {
	grep '^written' err
	grep -q "^written .* the last one to folder/$(ls moved | tail -n 1)" err
}
ok "… and the summary names the last one that was written" named

# --- --overwrite -----------------------------------------------------------------------------------------------------

# The thread that writes has descriptors of its own.
descriptors() {
	ls /proc/"$1"/task/*/fd | wc -l
}
# The threads that write messages and the trace have begun.
at_work() {
	[ "$(ls "/proc/$1/task" | wc -l)" = 3 ]
}
failed() { # N: so many dumps have
	[ "$(grep -c 'File too large; the recording continues' err)" = "$1" ]
}
failed_dumps() {
	local pid before after i

	mkdir dumps
	mkfifo messages
	cat messages > err &
	(ulimit -f 0; cd dumps && exec "$record" -F 2k --overwrite -o run.upf busy) 2> messages &
	pid=$!
	await takes $pid USR2
	await at_work $pid
	before=$(descriptors $pid)
	for i in 1 2 3; do
		kill -USR2 $pid
		await failed $i
	done
	after=$(descriptors $pid)
	kill -INT $pid
	wait $pid
	wait
	cat err
	ls -A dumps
	echo "$before descriptors before, $after after"
	failed 3 && [ "$before" = "$after" ] && [ -z "$(ls -A dumps)" ]
}
ok "dumps that fail leave neither a descriptor open nor a file behind" failed_dumps

# --- a pipe that is replaced -----------------------------------------------------------------------------------------

# The recorder waits for a reader of the pipe; COMMAND... puts something else in its place.
replaced() {
	local pid status

	rm -f err # of the one before
	mkfifo pipe
	echo precious > victim
	"$record" -n 1 -o pipe busy 2> err &
	pid=$!
	await grep -q 'waiting for a reader' err
	"$@"
	wait $pid
	status=$?
	cat err victim
	[ $status = 5 ] && grep -qx precious victim && [ "$(wc -l < err)" = 2 ]
}
by_link() {
	ln -s victim link
	mv -T link pipe
}
ok "a named pipe that becomes a symbolic link to a file" replaced by_link
by_file() {
	mv victim pipe
	ln -s pipe victim
}
rm -f pipe victim
ok "a named pipe that becomes a file" replaced by_file
rm -f pipe victim
by_other_pipe() {
	mkfifo other
	exec 9<> other # somebody reads it
	ln -s other link
	mv -T link pipe
}
ok "a named pipe that becomes a symbolic link to another pipe" replaced by_other_pipe
rm -f pipe victim
patient() {
	rm -f err
	mkfifo pipe
	ln -s pipe to-pipe
	"$record" -n 100 -o to-pipe busy 2> err &
	await grep -q 'to-pipe: waiting for a reader' err
	cat pipe > piped.upf
	wait $! && valid 0 piped.upf
}
ok "a symbolic link to a named pipe is what the user named" patient

# --- closed descriptors ----------------------------------------------------------------------------------------------

closed() { # TRACE COMMAND...: the command records a whole trace with these descriptors closed
	"${@:2}" "${simulated[@]}" "$record" -v -F 1k -n 500 -o "$1" busy
	[ $? = 0 ] && valid 0 "$1" &&
		[ "$("$report" -q --folded --weight samples --state all "$1" | awk '{ n += $NF } END { print n }')" = 1000 ]
}
without_all() { "$@" <&- >&- 2>&-; }
without_outputs() { "$@" >&- 2>&-; }
without_errors() { "$@" 2>&-; }
ok "standard input, output and error are closed" closed all.upf without_all
ok "standard output and error are closed" closed outputs.upf without_outputs
ok "standard error is closed" closed errors.upf without_errors
report_closed() {
	"$report" --folded -o all.txt - < all.upf && "$report" --folded -o closed.txt - < all.upf 2>&- && diff all.txt closed.txt
}
ok "… and the report's notes do not go to its output" report_closed
no_stdout() {
	"$record" -v -n 1 -o - busy >&- 2> err
	[ $? = 5 ] && cat err && grep -q 'Bad file descriptor' err
}
ok "no trace goes to a standard output that is closed" no_stdout

# --- small outputs ---------------------------------------------------------------------------------------------------

no_room() { # PROGRAM STATUS OPTION
	"$1" "$3" > /dev/full 2> err
	[ $? = "$2" ] && cat err && [ "$(wc -l < err)" = 1 ] && grep -q 'standard output: No space left on device' err
}
for option in --help --version --list; do
	ok "uniprof-record $option to a full device" no_room "$record" 5 $option
done
for option in --help --version; do
	ok "uniprof-report $option to a full device" no_room "$report" 1 $option
done
too_large() {
	(ulimit -f 0; "$report" -q --json -o all.json all.upf 2>&1; echo "exit status $?") |
		diff - <(echo 'uniprof-report: all.json: File too large'; echo 'exit status 1') && ! ls all.json*
}
ok "a report that exceeds the file size limit, which leaves nothing behind" too_large
nameless() {
	"$record" -o '' busy 2> err
	[ $? = 2 ] && cat err && grep -qx "uniprof-record: -o '': a file name is needed" err
}
ok "an output without a name" nameless
done_testing
