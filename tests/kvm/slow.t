#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# vCPUs whose threads do not stop at once: they wait for a processor, or cannot be interrupted. They hold no other one,
# and are shown as what they are. And guests that do not run.
set -u
# What it mounts goes with it.
if [ -z "${own_mounts:-}" ] && unshare --mount true 2> /dev/null; then
	own_mounts=1 exec unshare --mount "$BASH" "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"

# --- a guest on a busy host ------------------------------------------------------------------------------------------
# Of two vCPUs the second one has a quota of a fifth of a processor, where a cgroup can be made; and each processor has
# a program that never sleeps.
mounts=$work/mounts
mkdir "$mounts"
quota=
end_quota() {
	end_machines
	[ "$quota" ] && rmdir "$quota"
	umount -q "$mounts"
	rm -rf "$work"
}
trap end_quota EXIT

# A thread's quota needs a threaded cgroup (v2), or v1.
make_quota() {
	local root type

	while read -r _ root type _; do
		[ "$type" = cgroup ] && [ -f "$root/cpu.cfs_quota_us" ] && mkdir "$root/uniprof$$" && quota=$root/uniprof$$ &&
			echo 20000 > "$quota/cpu.cfs_quota_us" && return
		[ "$type" = cgroup2 ] && make_threaded "$root" && return
	done < /proc/self/mounts
	mount -t cgroup2 none "$mounts" && make_threaded "$mounts"
}
make_threaded() {
	grep -qw cpu "$1/cgroup.controllers" && mkdir "$1/uniprof$$" && quota=$1/uniprof$$ && echo threaded > "$quota/cgroup.type" &&
		echo '20000 100000' > "$quota/cpu.max" && return
	[ "$quota" ] && rmdir "$quota"
	quota=
	return 1
}
limit() {
	if [ -f "$quota/cpu.max" ]; then
		echo "$1" > "$quota/cgroup.threads"
	else
		echo "$1" > "$quota/tasks"
	fi
}

# schedule TID: how long it has run, and waited for a processor, in ns. A wait counts when it is over.
schedule() {
	cut -d ' ' -f 1,2 "/proc/$pid/task/$1/schedstat"
}
vcpu_threads() {
	local task

	for task in "/proc/$pid/task/"*; do
		grep -q "^$called" "$task/comm" && [ "${task##*/}" != "$pid" ] && echo "${task##*/}"
	done
}

# busy SECONDS: records at 99 Hz beside those programs. $work/busy.truth: percent that each vCPU has run of the time that
# it has run or waited.
busy() {
	local tid before after hogs=() i

	for ((i = 0; i < $(nproc); i++)); do
		(while :; do :; done) &
		hogs+=("$!")
		machines+=("$!")
	done
	before=$(for tid in "${threads[@]}"; do schedule "$tid"; done)
	"$record" -d "$1" -F 99 -f -o "$work/busy.upf" "$pid" 2> "$work/busy.err"
	after=$(for tid in "${threads[@]}"; do schedule "$tid"; done)
	kill "${hogs[@]}"
	wait "${hogs[@]}" 2> /dev/null
	paste -d ' ' <(echo "$before") <(echo "$after") |
		awk '{ run = $3 - $1; wait = $4 - $2; print NR - 1, 100 * run / (run + wait), run, wait }' > "$work/busy.truth"
	cat "$work/busy.err" "$work/busy.truth"
	"$report" --verify "$work/busy.upf"
}
# Samples of each vCPU while it ran, of all in which it did not sleep.
states_are_right() {
	"$report" -q --dump "$work/busy.upf" | awk '
		NR == FNR { truth[$1] = $2; next }
		$5 == "sample" { all[$9]++; ran[$9] += $10 != "runnable" }
		END {
			for (v in truth) {
				share = all[v] ? 100 * ran[v] / all[v] : -100
				# Three points, and twice the standard error.
				p = truth[v] / 100
				most = 3 + 200 * sqrt(p * (1 - p) / (all[v] + 1))
				printf "vCPU %s ran for %.1f %%, of %d samples %.1f %%: at most %.1f points\n", v, truth[v], all[v], share, most
				bad += share - truth[v] > most || truth[v] - share > most
			}
			exit bad != 0
		}' "$work/busy.truth" -
}
# missed: deadlines that came too late, since the recorder itself got no processor; and rounds.
missed() {
	sed -n 's/^samples.* missed \([0-9]*\),.*/\1/p' "$work/busy.err"
}
rounds() {
	sed -n 's/^samples.* (\([0-9]*\) rounds.*/\1/p' "$work/busy.err"
}
all_taken() {
	(($(rounds) + $(missed) >= 99 * seconds * 97 / 100))
}
short() {
	grep '^paused' "$work/busy.err" | grep -qE "$1 ([0-9.]+ us|1(\.[0-9]+)? ms)"
}
# Whoever emulates this machine may keep also a program of real-time priority from running: then deadlines are missed,
# and pauses are long. One recording in which it hardly did is enough; run states must be right in each.
seconds=20
undisturbed() {
	local try

	for ((try = 0; try < 3; try++)); do
		busy "$seconds" > "$work/busy.out" || return 2
		states_are_right > "$work/busy.states" || return 3
		(($(missed) < seconds * 99 / 50)) && return
	done
	return 1
}
start_vmm -k -c 2 "work=shares others=same"
mapfile -t threads < <(vcpu_threads | tail -n 2)
if make_quota 2> "$work/quota.err"; then
	limit "${threads[1]}"
	what="two vCPUs, one with a quota of 20 %, on a busy host"
else
	what="two vCPUs on a busy host (no quota: $(tail -n 1 "$work/quota.err"))"
fi
undisturbed
disturbed=$?
ok "$what: recorded" test $disturbed != 2
ok "run states are those that the scheduler has counted, within 3 points" states_are_right
ok "no deadline is skipped for pauses" all_taken
ok "half of the pauses, or more, are not longer than 2 ms" short p50
if (($(missed) < seconds * 99 / 50)); then
	ok "99 of 100 are not longer than 2 ms" short p99
else
	ok "# SKIP this machine keeps real-time programs from running: $(missed) deadlines missed" true
fi
grep '^paused' "$work/busy.err" | sed 's/^/# /'
states_are_right | sed 's/^/# /'
ok "nothing is left behind" untouched
end_machines

# A guest that has a processor for less than a millisecond of thirty: most samples have no registers, but the first that
# there are suffice to find the build-id.
start_vmm -k "work=shares far"
for thread in "/proc/$pid/task/"*; do chrt --idle -p 0 "${thread##*/}"; done
perl -MTime::HiRes=time,sleep -e 'while (1) { my $until = time + 0.03; 1 while time < $until; sleep 0.0004 }' > /dev/null &
machines+=("$!")
one=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
for process in "${machines[@]}"; do taskset -a -p -c "$one" "$process"; done > /dev/null
starved() {
	local try

	for ((try = 0; try < 5; try++)); do
		recorded starved -F 2k -n 2000 "$pid" || return
		! "$report" -q --dump "$work/starved.upf" | grep -q 'end 0 (whole)' || says_build starved || return
	done
}
ok "a starved guest: the trace says which build ran" starved
end_machines

# --- two recorders ---------------------------------------------------------------------------------------------------
start_vmm -k work=shares
two_recorders() {
	local first

	recorded first -F 1k -n 1000 "$pid" &
	first=$!
	recorded second -F 1k -n 1000 "$pid" || return
	wait "$first"
}
ok "two recorders of one guest" two_recorders
of_the_guest() {
	local name

	for name in first second; do
		folded --state all "$work/$name.upf" | tee "$work/stacks"
		[ -s "$work/stacks" ] && ! grep -v '^_start;kernel_main;work_shares' "$work/stacks" || return
	done
}
ok "every stack is the guest's" of_the_guest
ok "nothing is left behind" untouched
end_machines

# --- a guest that cannot be stopped ----------------------------------------------------------------------------------
# Threads in the freezer of cgroup v1 do not stop, as those of a process that dumps core.
freezer=$(awk '$3 == "cgroup" && $4 ~ /(^|,)freezer(,|$)/ { print $2; exit }' /proc/self/mounts)/uniprof$$
# The other guest's samples of each second but the last.
other_is_sampled() {
	"$report" --dump -q "$work/kills.upf" | awk '
		$5 == "sample" && $7 == 1 { n[int($4)]++; last = int($4) }
		END { for (s = 0; s < last; s++) bad += n[s] < 1; exit bad || last < 3 }'
}
lives() {
	kill -0 "$recorder"
}
frozen_monitor() {
	local status

	begin -F 100 --max-cpu 100% "$first"
	a_moment
	echo "$first" > "$freezer/cgroup.procs"
	echo FROZEN > "$freezer/freezer.state"
	ends_by_interrupt
	status=$?
	echo THAWED > "$freezer/freezer.state"
	wait "$recorder"
	cat "$work/kills.err"
	[ $status = 0 ] && "$report" --verify "$work/kills.upf"
}
ends_by_interrupt() {
	sleep 3
	lives && kill -INT "$recorder" && await gone_recorder
}
gone_recorder() {
	! lives 2> /dev/null
}
start_vmm -k work=shares
first=$pid
start_vmm -k -c 2 "work=shares others=same"
if mkdir "$freezer" 2> "$work/freezer"; then
	ok "a guest that cannot be stopped: Ctrl-C ends the recording" frozen_monitor
	ok "meanwhile the other one is sampled" other_is_sampled
	ok "nothing is left behind" untouched
	end_machines
	await rmdir "$freezer"
else
	ok "# SKIP no freezer of cgroup v1 here: $(head -n 1 "$work/freezer")" true
fi
end_machines

# --- a guest that does not run ---------------------------------------------------------------------------------------
start_vmm -k work=shares
# is_refused TEXT: --list says so, and a single look.
is_refused() {
	"$record" --list | grep -E "^ *$pid .* no: $1" || return
	"$record" -n 1 --registers -f -o "$work/no.upf" "$pid" 2> "$work/no.err"
	[ $? = 4 ] && cat "$work/no.err" && grep -q "^uniprof-record: $pid: $1" "$work/no.err"
}
kill -STOP "$pid"
ok "one whose monitor is stopped by a signal" is_refused "it is paused: let it run first"
kill -CONT "$pid"
begin -F 100
event() {
	"$report" --dump -q "$work/kills.upf" 2> /dev/null | grep -q "event domain 0 . ($1)"
}
kill -STOP "$pid"
ok "that happens while it is recorded: told" await event paused
kill -CONT "$pid"
ok "it goes on: told" await event resumed
kill -INT "$recorder"
wait "$recorder"
end_machines

done_testing
