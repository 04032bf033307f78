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
# Of two vCPUs the second one has a quota of a twentieth of a processor, where a cgroup can be made; and each processor
# has programs that never sleep.
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
			set_quota 5000 100000 && return
		[ "$type" = cgroup2 ] && make_threaded "$root" && return
	done < /proc/self/mounts
	mount -t cgroup2 none "$mounts" && make_threaded "$mounts"
}
make_threaded() {
	grep -qw cpu "$1/cgroup.controllers" && mkdir "$1/uniprof$$" && quota=$1/uniprof$$ && echo threaded > "$quota/cgroup.type" &&
		set_quota 5000 100000 && return
	[ "$quota" ] && rmdir "$quota"
	quota=
	return 1
}
# set_quota USEC PERIOD
set_quota() {
	if [ -f "$quota/cpu.max" ]; then
		echo "$1 $2" > "$quota/cpu.max"
	else
		echo "$2" > "$quota/cpu.cfs_period_us" && echo "$1" > "$quota/cpu.cfs_quota_us"
	fi
}
limit() {
	if [ -f "$quota/cpu.max" ]; then
		echo "$1" > "$quota/cgroup.threads"
	else
		echo "$1" > "$quota/tasks"
	fi
}

vcpu_threads() {
	local task

	for task in "/proc/$pid/task/"*; do
		grep -q "^$called" "$task/comm" && [ "${task##*/}" != "$pid" ] && echo "${task##*/}"
	done
}
# now: the time before and after, and between: for how many seconds / 100 the host was without a processor, and for how
# many ns the recorder and each vCPU have run.
now() {
	LC_ALL=C
	local before=$EPOCHREALTIME task stolen ran own=0 all=()

	for task in "/proc/$recorder/task/"*; do
		read -r ran _ < "$task/schedstat" && own=$((own + ran))
	done
	read -r _ _ _ _ _ _ _ _ stolen _ < /proc/stat
	for task in "${threads[@]}"; do
		read -r ran _ < "/proc/$pid/task/$task/schedstat"
		all+=("$ran")
	done
	echo "$before $EPOCHREALTIME $stolen $own ${all[*]}"
}
rounds_beyond() {
	[ "$("$report" -q --dump "$work/busy.upf" 2> /dev/null | grep -c ' round domain ')" -gt "$1" ]
}
# Records two vCPUs beside programs that never sleep, two on each processor.
rate=200
busy() {
	local hogs=() i

	for ((i = 0; i < 2 * $(nproc); i++)); do
		(while :; do :; done) &
		hogs+=("$!")
		machines+=("$!")
	done
	"$record" -r -F $rate --max-overhead 100% --max-cpu 100% -f -o "$work/busy.upf" "$pid" 2> "$work/busy.err" &
	recorder=$!
	await rounds_beyond 0 && now > "$work/schedule" && await rounds_beyond 2000 && now >> "$work/schedule"
	kill "${hogs[@]}"
	kill -INT "$recorder"
	wait "${hogs[@]}" 2> /dev/null
	wait "$recorder"
	cat "$work/busy.err"
	"$report" --verify "$work/busy.upf"
}
# A vCPU here never sleeps. So between two moments it has run for what the scheduler has counted, and in the same share
# of the samples between them, give or take four standard errors and what is known to be missing: deadlines without a
# sample, and samples after them, which are not at random moments; the time in which the recorder had a vCPU's
# processor, which is shown as running, or a vCPU was paused; what the host itself did not run; and a tick at either
# end, in which the scheduler counts. Besides, a vCPU that was stopped may wait for a processor again, and nobody looks
# before the next period: that is half a period, of those in which it was seen to run.
states_are_right() {
	local began

	began=$(date -d "$("$report" --header "$work/busy.upf" | sed -n 's/^started *//p')" +%s.%6N)
	"$report" -q --dump "$work/busy.upf" | awk -v began="$began" -v rate="$rate" -v tick=0.01 '
		NR == FNR {
			for (i = 1; i <= NF; i++)
				if (FNR == 1) first[i] = $i - (i < 3 ? began : 0)
				else last[i] = $i - (i < 3 ? began : first[i])
			vcpus = NF - 4
			next
		}
		$4 < first[2] || $4 > last[1] { next }
		$5 == "late" { late = 1 }
		$5 == "round" { rounds++; unknown += late; late = 0; paused += $9 }
		$5 == "sample" { all[$9]++; ran[$9] += $10 != "runnable" }
		END {
			time = last[2] - first[1]
			due = rate * time
			unknown += due > rounds ? due - rounds : 0
			own = last[4] / 1e9 + last[3] / 100 + paused / 1e6
			missing = unknown / due + (own + first[2] - first[1] + last[2] - last[1] + 2 * tick) / time
			for (v = 0; v < vcpus; v++) {
				p = last[5 + v] / 1e9 / time
				share = all[v] ? ran[v] / all[v] : -1
				most = missing + 4 * sqrt((p * (1 - p) + 1 / due) / due)
				printf "vCPU %d ran for %.1f %% of %.2f s, ", v, 100 * p, time
				printf "and in %.1f %% of %d samples: ", 100 * share, all[v]
				printf "at most %.1f points less, %.1f more; ", 100 * most, 100 * (most + share / 2)
				printf "%.1f are missing\n", 100 * missing
				bad += share - p > most + share / 2 || p - share > most
			}
			exit bad || !vcpus || !rounds
		}' "$work/schedule" -
}
# Where no vCPU has a processor, none is stopped: but for rounds that were taken twice.
waiting_are_not_stopped() {
	"$report" -q --dump "$work/busy.upf" | awk -v retried="$(count retried)" '
		$5 == "round" { pause = $9; ran = 0; rounds++ }
		$5 == "sample" { ran += $10 != "runnable"; if ($9 == 1 && !ran) { waited++; stopped += pause > 0 } }
		END {
			print waited + 0, "rounds in which both waited,", stopped + 0, "of them with a stop"
			exit stopped > retried
		}'
}
# count LINE [WORD]: the number in the summary after LINE, or after WORD in the line of samples; 0: there is none.
count() {
	sed -n "s/^$1 ${2:+.* ${2}} *\([0-9]*\).*/\1/p" "$work/busy.err" | awk '{ n += $1 } END { print n + 0 }'
}
# sums RATE: each deadline from the first round to the end was sampled, or is counted as missed or throttled. One at
# either end may be late by a period, and of those after the last round not all are counted.
sums() {
	local all

	all=$(($(count samples '(') + $(count samples missed) + $(count throttled)))
	cat "$work/busy.err"
	"$report" -q --dump "$work/busy.upf" | awk -v all="$all" -v rate="$1" '
		$5 == "late" && !rounds { all -= $9 }
		$5 == "round" { if (!rounds++) first = $4; last = $4 }
		$1 == "end" {
			least = rate * (last - first) + 1
			most = rate * ($(NF - 1) - first) + 1
			printf "%d deadlines counted, of %.1f to %.1f\n", all, least, most
			exit all < least - 2 || all > most + 2
		}'
}

start_vmm -k -c 2 "work=shares others=same"
mapfile -t threads < <(vcpu_threads | tail -n 2)
if make_quota 2> /dev/null; then
	limit "${threads[1]}"
	what="two vCPUs, one with a quota of 5 %, on a busy host"
else
	what="two vCPUs on a busy host (no cgroup that limits threads)"
fi
ok "$what: recorded" busy
ok "run states are those that the scheduler has counted" states_are_right
states_are_right | sed 's/^/# /'
ok "while both vCPUs wait for a processor, none is stopped" waiting_are_not_stopped
waiting_are_not_stopped | sed 's/^/# /'
ok "each deadline is sampled, or counted as missed" sums $rate
# By default, pauses and CPU time are limited. (With -d, deadlines after the end are counted, too.)
throttled() {
	"$record" -F 20k -n 1000 -f -o "$work/busy.upf" "$pid" 2> "$work/busy.err" && sums 20000 &&
		(($(count throttled) > 0))
}
ok "... or as throttled" throttled
ok "nothing is left behind" untouched
end_machines

# vCPU 0 shares the recorder's processor with programs that never sleep, so it cannot stop before its turn comes; vCPU 1
# has another processor to itself. It does not stand still until then: to wait for the other one while it is held, and
# give up, took a whole millisecond.
holds_no_other() {
	"$report" -q --dump "$work/kills.upf" 2> /dev/null | awk '
		$5 == "round" { pause = $9; lacks = 0 }
		$5 == "sample" && $9 == 0 { lacks = $10 == "running" && /no registers/ }
		$5 == "sample" && $9 == 1 { found += lacks && pause > 0 && pause < 1000 && /depth [1-9]/ }
		END { exit !found }'
}
waits_alone() {
	local status

	begin -r -F 200 --max-cpu 100%
	taskset -a -p -c "$1" "$recorder"
	await holds_no_other
	status=$?
	kill -INT "$recorder"
	wait "$recorder"
	return $status
}
mapfile -t processors < <(taskset -c -p $$ |
	perl -ne 's/.*: //; s/(\d+)-(\d+)/join ",", $1 .. $2/ge; print join "\n", split /,/')
if ((${#processors[@]} > 1)); then
	start_vmm -k -c 2 "work=shares others=same"
	mapfile -t threads < <(vcpu_threads | tail -n 2)
	for ((i = 0; i < 3; i++)); do
		(while :; do :; done) &
		machines+=("$!")
		taskset -p -c "${processors[0]}" "$!" > /dev/null
	done
	for i in 0 1; do taskset -p -c "${processors[i]}" "${threads[i]}"; done > /dev/null
	ok "a vCPU that waits for its processor holds no other one" waits_alone "${processors[0]}"
	ok "nothing is left behind" untouched
	end_machines
else
	ok "# SKIP a single processor: no two vCPUs run at once" true
fi

# A guest that has a processor for a millisecond of thirty: most samples have no registers, but the first that there are
# suffice to find the build-id.
whole() {
	"$report" -q --dump "$work/kills.upf" 2> /dev/null | grep -q 'end 0 (whole)'
}
starved() {
	local status

	begin -r -F 2k --max-cpu 100%
	await whole && await says_build kills
	status=$?
	kill -INT "$recorder"
	wait "$recorder"
	return $status
}
if [ "$quota" ]; then
	start_vmm -k "work=shares far"
	set_quota 1000 30000
	limit "$(vcpu_threads | tail -n 1)"
	ok "a starved guest: the trace says which build ran" starved
	end_machines
else
	ok "# SKIP no cgroup that limits threads" true
fi
lives() {
	kill -0 "$recorder"
}

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
freezer=$(awk '$3 == "cgroup" && $4 ~ /(^|,)freezer(,|$)/ { print $2 "/uniprof"; exit }' /proc/self/mounts)
freezer=${freezer:+$freezer$$}
others() {
	"$report" --dump -q "$work/kills.upf" 2> /dev/null | grep -c ' sample domain 1 '
}
others_beyond() {
	[ "$(others)" -gt "$1" ]
}
frozen_monitor() {
	local status

	begin -F 100 --max-cpu 100% "$first"
	echo "$first" > "$freezer/cgroup.procs"
	echo FROZEN > "$freezer/freezer.state"
	# The trace has a block every few seconds.
	await grep -q FROZEN "$freezer/freezer.state" && await others_beyond "$(others)" &&
		await others_beyond "$(others)" && lives && kill -INT "$recorder" && await gone_recorder
	status=$?
	echo THAWED > "$freezer/freezer.state"
	wait "$recorder"
	cat "$work/kills.err"
	[ $status = 0 ] && "$report" --verify "$work/kills.upf"
}
gone_recorder() {
	! lives 2> /dev/null
}
start_vmm -k work=shares
first=$pid
start_vmm -k -c 2 "work=shares others=same"
if [ "$freezer" ] && mkdir "$freezer" 2> "$work/freezer"; then
	ok "a guest that cannot be stopped: the other one is sampled, and Ctrl-C ends the recording" frozen_monitor
	ok "nothing is left behind" untouched
	end_machines
	await rmdir "$freezer"
else
	ok "# SKIP no freezer of cgroup v1 here: ${freezer:+$(head -n 1 "$work/freezer")}" true
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
