# SPDX-License-Identifier: BSD-2-Clause
# An ARM64 host's part of kvm_arm64.t: the guests that /lab/kinds lists, live and by stops. With an argument, the host has two
# processors: the guest has one, the recorder the other and interrupts it; two vCPUs; two address spaces; so many recorders that are
# killed, and monitors.
. /lab/kvm_guests.sh

both() { # NAME KERNEL LINE
	guest=$2.img options=
	case $2 in arm32*) options=-3 ;; esac
	start "$1" "$3"
	record "$1-live" --sampler live -F 997 -n 1500
	record "$1-stop" --sampler stop -F 997 -n 1500
	end
}
while read -r name kernel work; do
	both "$name" "$kernel" "work=$work" < /dev/null
done < /lab/kinds
dmesg > /out/dmesg
[ "$1" ] || exit 0
kills=$1
guest=arm64-4k.img
options=
start shares "work=shares"
record shares -F 997 -n 2000
record fast -F 4999 -n 2000
for try in $(seq "$kills"); do
	for sampler in live stop; do
		rm -f /out/killed.upf
		uniprof-record --sampler $sampler --max-cpu 100 -F 2k -o /out/killed.upf "$pid" 2> /out/killed.err &
		recorder=$!
		await sh -c "test -s /out/killed.upf || ! kill -0 $recorder"
		sleep "0.0$((try % 10))"
		kill -KILL "$recorder"
		wait "$recorder" 2> /dev/null
	done
done
record again -F 997 -n 100
end
# KVM knows none of its hypercalls, and so it does not sleep.
start host "work=idle"
record host --host -F 997 -n 1000
end
start spaces "work=spaces"
record spaces -v -F 997 -n 2000
end
options="-c 2"
start two "work=shares others=same vcpus=2"
record two -F 997 -n 1000
end
options="-c 3"
start halted "work=shares others=halt vcpus=2"
record halted --sampler live -F 997 -n 500
record halted-stop --sampler stop -F 997 -n 500
end
options=
for try in $(seq "$kills"); do
	start ended "work=shares"
	rm -f /out/ended.upf
	uniprof-record --max-cpu 100 -F 2k -o /out/ended.upf "$pid" 2> /out/ended.err &
	recorder=$!
	await test -s /out/ended.upf
	sleep "0.0$((try % 10))"
	kill -9 "$pid"
	wait "$recorder"
	echo $? >> /out/ended.rcs
	wait "$pid" 2> /dev/null
done
# Programs are freed a moment later.
nothing_left() {
	{
		ls -l /proc/[0-9]*/fd | grep 'anon_inode:.perf_event\|anon_inode:bpf'
		grep '\[bpf\]$' /proc/kallsyms
	} > /out/left 2> /dev/null
	[ ! -s /out/left ]
}
await nothing_left
dmesg > /out/dmesg
exit 0
