# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# TAP for prove, for every test that is a shell script.
number=0

# No test runs for longer than $LIMIT seconds, or as much longer as it shares processors with others: it is then ended
# with all that it has started, and cleans up behind itself. Only what hangs gets there. The guard has no file of the
# test's, and ends with it.
guard() {
	local all try load processors left=$((${LIMIT:-1800} * 100))

	processors=$(nproc)
	while ((left > 0)); do # hundredths of seconds, as the load is of processes
		timeout $((left < 1000 ? left / 100 + 1 : 10)) tail --pid=$$ -f /dev/null
		[ $? = 124 ] || return
		read -r load _ < /proc/loadavg
		load=$((10#${load/./}))
		((left -= 1000 * 100 * processors / (load > 100 * processors ? load : 100 * processors)))
	done
	all="$(descendants $$) $$"
	{
		echo "# $0: ended after ${LIMIT:-1800} s, with"
		# shellcheck disable=SC2086
		ps -o pid,stat,etimes,args -p "${all//[[:space:]]/,}" | cut -c 1-200 | sed 's/^/# /'
	} > /proc/$$/fd/2
	# shellcheck disable=SC2086
	{
		kill -TERM $all
		for ((try = 0; try < 100; try++)); do kill -0 $all && sleep 0.1 || break; done
		kill -KILL $all
	}
}
descendants() { # PROCESS
	local child

	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}
(guard &) < /dev/null > /dev/null 2>&1

# ok NAME COMMAND...: passes if the command succeeds; what it prints is shown if it does not. A name is no number.
# ok STATUS NAME [TEXT]: passes if the status is 0, as $? of what was just done; TEXT is shown if it is not.
ok() {
	local name=$1 status=0 text

	case $1 in
	*[!0-9]*)
		shift
		text=$("$@" 2>&1) || status=$?
		;;
	*) status=$1 name=$2 text=${3:-} ;;
	esac
	number=$((number + 1))
	if [ "$status" = 0 ]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		[ -z "$text" ] || printf '%s\n' "$text" | sed 's/^/# /'
	fi
}

# await COMMAND...: waits until it succeeds. Tests wait for what must become so, not for a time in which it should have:
# how long that is depends on the machine's load. The bound, a minute or more, is only for what never comes.
await() {
	local try

	for ((try = 0; try < 600; try++)); do
		"$@" && return
		sleep "0.$((try < 20 ? 0 : 1))1"
	done
	echo "# waited in vain: $*"
	return 1
}

# takes PID SIGNAL...: the process blocks or catches the signals: it is so far that they do not kill it. While it waits for
# blocked ones in sigtimedwait(), /proc does not show them as blocked.
takes() {
	local pid=$1 signal blocked caught

	shift
	grep -qs sigtimedwait "/proc/$pid/wchan" && return
	blocked=0x$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$pid/status")
	caught=0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status")
	for signal; do
		(((blocked | caught) >> ($(kill -l "$signal") - 1) & 1)) || return
	done
}

# in_state STATE PROCESS: all its threads are, as /proc tells it: R, S, D, T, ...
in_state() {
	grep -qs '^State:' "/proc/$2/task/"*/status && ! grep -hs '^State:' "/proc/$2/task/"*/status | grep -qv "^State:.$1"
}

# seed: of what is left to chance. It comes from the commit, so that a tree has one verdict; SEED=NUMBER replays one.
seed() {
	local hash

	hash=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse HEAD 2> /dev/null) || hash=1
	echo "${SEED:-$((16#${hash:0:7} + 1))}"
}

done_testing() {
	echo "1..$number"
}
