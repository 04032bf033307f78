# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_live.t, of one processor: guests of KVM recorded without a stop, and by stops.
. /lab/kvm_guests.sh

# --sampler auto is live here.
for work in shares levels recursion depth:16; do
	options= samples=4000
	vmm_start "${work%:*}" "work=$work far"
	work=${work%:*}
	[ "$work" != shares ] || samples=9000
	record "$work" -v -F 1999 -n $samples
	[ "$work" != shares ] || record stops --sampler stop -F 999 -n 1000
	[ "$work" != shares ] || record registers --registers -F 999 -n 10
	end
done
options=
vmm_start exits "work=exits far ring=0"
record_told exits -F 1999
end
# Two vCPUs, a hog and the recorder want the one processor, and may have half of it.
options="-c 2"
vmm_start scarce "work=shares far others=same"
mkdir /run/cgroup
mount -t cgroup2 cgroup /run/cgroup
echo +cpu > /run/cgroup/cgroup.subtree_control
mkdir /run/cgroup/half
echo "50000 100000" > /run/cgroup/half/cpu.max
echo "$pid" > /run/cgroup/half/cgroup.procs
while :; do :; done &
hog=$!
uniprof-record --max-cpu 100 --max-overhead 100 -F 499 -d 60s -o /out/scarce.upf "$pid" 2> /out/scarce.err &
recorder=$!
await has_samples /out/scarce.upf 1
now > /out/scarce.told
cat "/proc/$pid/task/"*/schedstat > /out/scarce.before
sleep 6
{ echo && now; } >> /out/scarce.told
cat "/proc/$pid/task/"*/schedstat > /out/scarce.after
kill -INT "$recorder"
wait "$recorder"
echo $? > /out/scarce.rc
kill "$hog"
end
vmm_start halted "work=shares far others=idle"
# The thread that sleeps in KVM_RUN, and how often it has been on a processor.
halted=$(grep -l ' 0xae80 ' "/proc/$pid/task/"*/syscall)
arrivals() {
	cut -d ' ' -f 3 "${halted%/*}/schedstat"
}
arrivals > /out/arrivals
record halted --sampler live -F 999 -n 1000
arrivals >> /out/arrivals
# However the recorder ends, the guest goes on, and can be recorded again.
for signal in KILL TERM; do
	rm -f /out/killed.upf
	uniprof-record --sampler live -F 999 -f -o /out/killed.upf "$pid" 2> /out/killed.err &
	recorder=$!
	await test -s /out/killed.upf
	kill -$signal "$recorder"
	wait "$recorder" 2> /dev/null
done
record again --sampler live -F 999 -n 200
end
# As nobody, with four capabilities; with Debian's own sysctl they do not suffice.
options=
vmm_start few "work=shares far"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
few() { # NAME OPTION...
	name=$1
	shift
	mkdir -m 777 "/run/$name"
	set_privileges --reuid 65534 --regid 65534 --clear-groups --inh-caps "-all,$four" --ambient-caps "$four" \
		--bounding-set "-all,$four" uniprof-record --max-cpu 100 --max-overhead 100 -o "/run/$name/x.upf" -F 1999 -n 4000 "$@" "$pid" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	cp "/run/$name/x.upf" "/out/$name.upf"
}
four=+sys_ptrace,+dac_read_search,+bpf,+perfmon
few strict --sampler live
echo 2 > /proc/sys/kernel/perf_event_paranoid
few few -v
# A guest that comes back is sampled live again.
uniprof-record --max-cpu 100 --max-overhead 100 --follow --sampler live -v -F 199 -d 60s -o /out/follow.upf vmm 2> /out/follow.err &
recorder=$!
await test -s /out/follow.upf
end
await grep -q waiting /out/follow.err
vmm_start few "work=shares far"
await grep -q back /out/follow.err
signal_exits > /out/follow.before
sleep 3
signal_exits > /out/follow.after
kill -INT "$recorder"
wait "$recorder"
echo $? > /out/follow.rc
end
# A vCPU that is plugged in: where the recorder, which has given up CAP_SYS_ADMIN, gets a timer for it, and where not.
plug() { # NAME
	vmm_start "$1" "work=shares others=same far"
	uniprof-record --max-cpu 100 --max-overhead 100 -F 199 -d 60s -o "/out/$1.upf" "$pid" 2> "/out/$1.err" &
	recorder=$!
	await test -s "/out/$1.upf"
	kill -USR2 "$pid"
	sleep 5
	kill -INT "$recorder"
	wait "$recorder"
	echo $? > "/out/$1.rc"
	end
}
options="--cpus boot=1,max=2"
plug plugged
echo "$paranoid" > /proc/sys/kernel/perf_event_paranoid
plug strictly_plugged
options=
# A monitor that ends while it is recorded.
vmm_start ended "work=shares far"
uniprof-record --sampler live -F 999 -o /out/ended.upf "$pid" 2> /out/ended.err &
recorder=$!
await test -s /out/ended.upf
kill -9 "$pid"
wait "$recorder"
echo $? > /out/ended.rc
# One that has the device for guests with encrypted memory open; there is none here, but its name is what counts.
: > /dev/sev
exec 9< /dev/sev
vmm_start encrypted "work=shares far"
exec 9<&-
record encrypted -d 1s
end
rm /dev/sev
dmesg > /out/dmesg
exit 0
