#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a debugger or a cgroup's freezer does to the recorder or to the monitor: the guest goes on wherever that is in
# somebody's power, and the user is told.
set -u
. "$(dirname "$0")/tap.sh"

make_hook || exit
start_vmm -k -c 2 "work=heartbeat others=same"

# held COMMAND: it holds the recorder inside a pause until $release. The guest goes on all the same. The watchdog says
# why after the guest is let go.
held() {
	local status

	begin && "$1" && unharmed
	status=$?
	$release
	[ $status = 0 ] || kill -KILL "$recorder"
	wait "$recorder"
	[ $? = 137 ] && [ $status = 0 ] &&
		await grep -q '^uniprof-record: killed by its watchdog: it was traced, frozen' "$work/kills.err" && return
	cat "$work/kills.err"
	return 1
}

# --- debuggers -------------------------------------------------------------------------------------------------------
# debugged PROCESS [COMMAND...]: gdb holds it until it is told to go, after these commands.
debugged() {
	local process=$1 commands=()

	shift
	for command; do commands+=(-ex "$command"); done
	rm -f "$work/go" "$work/gdb"
	mkfifo "$work/go"
	gdb -q -nx -batch -p "$process" "${commands[@]}" -ex 'echo holds it\n' -ex "shell cat $work/go" \
		> "$work/gdb" 2>&1 &
	debugger=$!
	await grep -q 'holds it' "$work/gdb" || { kill -KILL "$debugger"; return 1; }
}
undebugged() {
	echo > "$work/go"
	wait "$debugger"
}
# It waits so for vCPUs that it has begun to stop, and for nothing else.
gdb_holds() {
	debugged "$recorder" 'catch syscall waitid' continue
}
command -v gdb > /dev/null && {
	release=undebugged
	ok "gdb holds the recorder inside a pause: the watchdog ends it and says why, the guest goes on" held gdb_holds

	debugged "$pid"
	refused() {
		"$record" -f -o "$work/no.upf" "$pid" 2> "$work/no.err"
		echo "exit status $?" | tee "$work/status" | cat - "$work/no.err"
		grep -qx 'exit status 4' "$work/status" && [ "$(grep -c . "$work/no.err")" = 1 ] &&
			grep -q "^uniprof-record: $pid: another program traces it, such as gdb or strace: end that" "$work/no.err"
	}
	ok "gdb holds the monitor before a recorder comes: one line says so" refused
	undebugged

	# gdb attaches to the threads that it can, then tries again with those that the recorder had.
	taken_over() {
		local status

		begin
		debugged "$pid"
		wait "$recorder"
		status=$?
		undebugged
		cat "$work/kills.err"
		[ $status = 1 ] && grep -q "^uniprof-record: $called: another program traces it" "$work/kills.err" &&
			"$report" --verify "$work/kills.upf" && unharmed
	}
	ok "gdb takes the monitor from a recorder: the recording ends and says why, its trace is whole" taken_over
}

# --- freezers --------------------------------------------------------------------------------------------------------
# Of cgroup v2: the recorder alone, the watchdog outside. Both together cannot be helped, nor can v1's freezer, which not
# even SIGKILL gets out of.
make_freezer() {
	local root

	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || { echo "none is mounted"; return 1; }
	freezer=$root/uniprof$$
	mkdir "$freezer" 2>&1 || return
	[ -w "$freezer/cgroup.freeze" ] && [ -w "$freezer/cgroup.kill" ] && return
	rmdir "$freezer"
	echo "$root has none, or none that kills"
	return 1
}
# The watchdog would let a recorder go on that is stopped for long.
freeze_recorder() {
	local watchdog

	watchdog=$(pgrep -P "$recorder" uniprof-wdog) &&
		kill -STOP "$watchdog" && await in_state T "$watchdog" &&
		echo "$recorder" > "$freezer/cgroup.procs" && stop_inside && freeze &&
		kill -CONT "$recorder" "$watchdog"
}
freeze() {
	echo 1 > "$freezer/cgroup.freeze"
	await grep -qx 'frozen 1' "$freezer/cgroup.events"
}
thaw() {
	echo 0 > "$freezer/cgroup.freeze"
}
if make_freezer > "$work/freezer"; then
	trap 'echo 1 > "$freezer/cgroup.kill"; end_machines; await rmdir "$freezer"; rm -rf "$work"' EXIT
	release=thaw
	ok "a freezer holds the recorder inside a pause: the watchdog ends it and says why, the guest goes on" held freeze_recorder

	records() {
		"$report" -q --dump "$work/kills.upf" 2> /dev/null | wc -l
	}
	recorded_beyond() {
		[ "$(records)" -gt "$1" ]
	}
	# Its threads can be stopped all the same, and the recording goes on.
	frozen_monitor() {
		begin
		echo "$pid" > "$freezer/cgroup.procs" && freeze && await recorded_beyond "$(records)" || return
		kill -0 "$recorder" || return
		kill -INT "$recorder"
		wait "$recorder" || return
		cat "$work/kills.err"
		await untraced || return
		thaw
		unharmed && "$report" --verify "$work/kills.upf"
	}
	ok "a freezer holds the monitor: the recording goes on and ends, then the guest goes on" frozen_monitor
else
	ok "# SKIP no freezer of cgroup v2 here: $(head -n 1 "$work/freezer")" true
fi

done_testing
