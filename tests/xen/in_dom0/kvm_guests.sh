# SPDX-License-Identifier: BSD-2-Clause
# What scripts of hosts with KVM share: guests under the small monitor, and recordings of them.

# vmm_start NAME OPTION... LINE: in $pid, when it runs; of $guest.
guest=guest.elf
vmm_start() {
	name=$1
	shift
	for line; do :; done
	rm -f /run/beats
	vmm -k -b /run/beats -a "$line" $options "$guest" 2> "/out/$name.vmm" &
	pid=$!
	await test -s /run/beats
}
# start NAME LINE: where there are two processors, a guest on the first; the script goes on on the second. end: its end.
start() { # NAME LINE
	pin 1
	vmm_start "$1" "$2"
	pin 2
}
pin() {
	[ ! -e /sys/devices/system/cpu/cpu1 ] || taskset -p "$1" $$ > /dev/null
}
end() {
	kill -9 "$pid"
	wait "$pid" 2> /dev/null
}
# signal_exits: how often the guest had to leave for a signal, which each stop is.
mkdir -p /run/debug
mount -t debugfs debugfs /run/debug
signal_exits() {
	cat /run/debug/kvm/"$pid"-*/signal_exits
}
record() { # NAME OPTION...
	name=$1
	shift
	signal_exits > "/out/$name.before"
	uniprof-record --max-cpu 100 --max-overhead 100 -o "/out/$name.upf" "$@" "$pid" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	signal_exits > "/out/$name.after"
}
# record_told NAME OPTION...: for five seconds at least; NAME.told has two moments of these, each with the guest's counts at
# it, which the monitor tells every 5 ms.
record_told() {
	name=$1
	shift
	uniprof-record --max-cpu 100 --max-overhead 100 -o "/out/$name.upf" "$@" "$pid" 2> "/out/$name.err" &
	recorder=$!
	await has_samples "/out/$name.upf" 1
	{ now && cat /run/beats; } > "/out/$name.told"
	sleep 5
	{ now && cat /run/beats; } >> "/out/$name.told"
	kill -INT "$recorder"
	wait "$recorder"
	echo $? > "/out/$name.rc"
}
now() {
	adjtimex | awk '/time.tv_sec/ { s = $2 } /time.tv_usec/ { printf "%d.%06d ", s, $2 }'
}
