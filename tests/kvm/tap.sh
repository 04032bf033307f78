# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the tests on KVM share: guests under the small monitor (vmm.c) and QEMU, and checks of traces against what the
# guests are known to do.
kvm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BUILD:?is set by make check-kvm}
work=$(mktemp -d)
# Copies, which every account may run: it may not enter the folder of the build.
chmod 755 "$work"
cp "$build/uniprof-record" "$build/uniprof-report" "$work"
report=$work/uniprof-report
# These tests are of stops, also on a host where guests are sampled live.
record=$work/record
printf '#!/bin/sh\nexec "%s" --sampler stop "$@"\n' "$work/uniprof-record" > "$record"
chmod +x "$record"
# Guests have the name of their monitor's command: one that no other guest of this host has.
called=t$$
vmm=$work/$called
cp "$build/tests/kvm/vmm" "$vmm"
machines=()
trap 'end_machines; rm -rf "$work"' EXIT
# shellcheck source=tests/tap.sh
. "$kvm/../tap.sh"

end_machines() {
	local pid

	for pid in "${machines[@]}"; do
		kill -KILL "$pid" && wait "$pid"
	done 2> /dev/null
	machines=()
}

beats() {
	awk '{ print $1; exit }' "$work/beats"
}
beats_beyond() {
	[ "$(beats)" -gt "$1" ]
}
# goes_on: the guest's heart beats.
goes_on() {
	local before

	before=$(beats)
	await beats_beyond "$before"
}

# start_vmm OPTION... LINE: a guest with this command line, in $pid.
start_vmm() {
	local line=${*: -1}

	rm -f "$work/beats" # one that another monitor writes to goes on without a name
	"$vmm" -b "$work/beats" "${@:1:$#-1}" -a "$line" "$guest" > /dev/null 2> "$work/vmm.err" &
	pid=$!
	machines+=("$pid")
	await beats_or_gone && [ -s "$work/beats" ]
}
beats_or_gone() {
	[ -s "$work/beats" ] || ! kill -0 "$pid"
} 2> /dev/null

# halted: a vCPU's thread sleeps in KVM_RUN.
halted() {
	grep -q ' 0xae80 ' "/proc/$pid/task/"*/syscall
}
# untouched: no thread of it is traced, and KVM is not asked for registers.
untraced() {
	! grep -q '^TracerPid:.*[1-9]' "/proc/$pid/task/"*/status
}
disarmed() {
	awk '{ exit $4 != 0 }' "$work/beats"
}
untouched() {
	await untraced && await disarmed
}

# Nothing is left, by what the monitor says after it.
unharmed() {
	await untraced && goes_on && await disarmed
}

# begin OPTION...: a recorder at work at 5 kHz, in $recorder.
begin() {
	rm -f "$work/kills.upf"
	LD_PRELOAD=$hook "$record" -F 5k --max-overhead 100% -f -o "$work/kills.upf" "$@" "$pid" 2> "$work/kills.err" &
	recorder=$!
	await [ -s "$work/kills.upf" ]
}
# The test ends it at some moment, which no verdict depends on.
a_moment() {
	sleep "0.0$((RANDOM % 90 + 10))"
}
# For tests that stop recorders inside a pause: those that begin from now on have this in them.
hook=
make_hook() {
	hook=$work/stop_inside.so
	"${CC:-gcc}" -shared -fPIC -O2 -Wall -Wextra -DFILE_NAME="\"$work/stop\"" -o "$hook" "$kvm/stop_inside.c"
}
# The recorder stops by SIGSTOP at its next pause, if the watchdog does not let it go on.
ask_to_stop() {
	: > "$work/stop"
	await [ ! -e "$work/stop" ]
}
stop_inside() {
	ask_to_stop && await in_state T "$recorder" && ! untraced
}

# recorded NAME OPTION... GUEST: into $work/NAME.upf. On a busy machine a thread may wait long for a processor, to stop.
recorded() {
	local name=$1

	echo "$record ${*:2}" > "$work/$name.how"
	"$record" --max-overhead 100% --max-cpu 100% --max-pause 60s -f -o "$work/$name.upf" "${@:2}" 2> "$work/$name.err" || {
		cat "$work/$name.err"
		return 1
	}
	"$report" --verify "$work/$name.upf"
}

# says_build NAME: the trace has the guest's build-id, found in its memory.
says_build() {
	local id

	id=$(readelf -n "$guest" | awk '/Build ID/ { print $3 }')
	"$report" --header "$work/$1.upf" | tail -2 | tee "$work/build-id"
	[ "$id" ] && grep -q "^build-id  *$id\$" "$work/build-id" && grep -q 'in its memory, at 0x' "$work/build-id"
}

# Truths are of functions. Where the vCPU's thread was in its monitor there is no stack.
folded() {
	"$report" -q --folded --no-inline -s "$guest" "$@" | sed 's/^\[user\];//' | grep -v '^\[no stack\]'
}

# counted TRACE VCPU: folded stacks of the vCPU, each with the number of samples that count. On a busy machine a thread that
# is stopped again and again makes little progress in between, and its samples are at one place. So a sample counts
# after 300 us of CPU time since the last one that did, which is two cycles of the guest's work.
counted() {
	"$report" -q --dump -s "$guest" "$1" | awk -v vcpu="$2" '
		$5 != "sample" || $9 != vcpu { next }
		{ progress += substr($0, match($0, / cpu /) + 5) }
		$10 != "running" || !match($0, /depth [1-9][0-9]*: /) { next }
		{ all++ }
		!/ end 0 / { cut++; next } # said to be no whole stack: those must be few
		{
			stack = ""
			n = split(substr($0, RSTART + RLENGTH), names, " ")
			for (i = n; i > 0; i--) {
				sub(/\+0x[0-9a-f]*[*]?$/, "", names[i])
				stack = stack (i < n ? ";" : "") names[i]
			}
			count[stack] += progress >= 300
			if (progress >= 300)
				progress = 0
		}
		END {
			for (s in count) print s, count[s]
			if (cut * 1000 > all) print "[cut]", cut
		}' | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/'
}

# shares NAME TRUTH VCPU...: every stack of each of these vCPUs is one that the guest can have, and owns its share of time
# within half a point and 4.5 standard errors. As many recordings like $work/NAME.upf as it takes for $enough samples
# that count: within 5.5 points with 2,000, and 2.75 with 10,000.
enough=2000
shares() {
	local name=$1 truth=$kvm/../xen/guests/truth/$2.txt trace=$1 vcpu n

	rm -f "$work/counted."*
	while :; do
		for vcpu in "${@:3}"; do
			counted "$work/$trace.upf" "$vcpu" >> "$work/counted.$vcpu"
		done
		n=$(fewest "${@:3}")
		((n < enough)) || break
		trace=again
		again "$name" || return
	done
	for vcpu in "${@:3}"; do
		echo "vCPU $vcpu"
		shares_of "$work/counted.$vcpu" "$truth" "$(perl -e "print 0.5 + 225 / sqrt($n)")" || return
	done
}
fewest() {
	local vcpu

	for vcpu; do
		awk '{ n += $NF } END { print n + 0 }' "$work/counted.$vcpu"
	done | sort -n | head -n 1
}
# again NAME: a recording like that one.
again() {
	local record arguments

	read -r record arguments < "$work/$1.how"
	# shellcheck disable=SC2086
	recorded again $arguments
}

# asleep TRACE: the second vCPU has halted beside one at work. On its way back from a stop its thread is not asleep, and
# maybe not in the guest: for how long is up to the machine's load. But then it comes to rest, and is not stopped.
asleep() {
	"$report" -q --folded --no-inline --state all --vcpu 1 -s "$guest" "$work/$1.upf" | tee "$work/second"
	! grep -vE '^(_start_secondary;secondary_main;work_idle|\[no stack\]) [0-9]+$' "$work/second" &&
		at_rest "$1" ' vcpu 1 ' ' vcpu 1 blocked .*work_idle'
}
# at_rest TRACE WHICH WANTED: of the records that match WHICH, a hundred in a row match WANTED, too.
at_rest() {
	"$report" -q --dump --no-inline -s "$guest" "$work/$1.upf" 2> /dev/null | awk -v which="$2" -v wanted="$3" '
		$0 ~ which { n = $0 ~ wanted ? n + 1 : 0 }
		n > most { most = n }
		END { print most + 0, "in a row"; exit most < 100 }'
}

# shellcheck source=tests/shares.sh
. "$kvm/../shares.sh"

guest=$work/guest.elf
"$kvm/guests/build" "$guest"

# Without a KVM that runs the guest, the test says so and is skipped.
{ start_vmm work=heartbeat && goes_on; } > "$work/why" || {
	echo "1..0 # SKIP no KVM here that runs a guest: $(cat "$work/vmm.err" "$work/why" | head -n 1)"
	exit
}
end_machines
