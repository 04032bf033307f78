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
# start NAME LINE: a guest on the first of two processors; the script goes on on the second. end: its end.
start() { # NAME LINE
	taskset -p 1 $$ > /dev/null
	vmm_start "$1" "$2"
	taskset -p 2 $$ > /dev/null
}
end() {
	kill -9 "$pid"
	wait "$pid" 2> /dev/null
}
# hold_keys: the first virtual machine and the first perf event of a task have the kernel patch __schedule(), and so has
# the end of the last one. An emulated processor may then go on for ever with what the other one has patched (QEMU
# before 8.1). So there is always one of each.
hold_keys() {
	onlooker hold &
	await sh -c 'ls /run/debug/kvm | grep -q "^[0-9]"'
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

