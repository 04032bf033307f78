# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_live.t, of two processors: the guest has one, the recorder the other and interrupts it.
. /lab/kvm_guests.sh

options=
start shares "work=shares far"
record shares -v -F 999 -n 1500
record stops --sampler stop -F 999 -n 500
end
options="-c 2"
start spread "work=shares others=same far"
threads=$(ls "/proc/$pid/task" | grep -v "^$pid$")
processor=1
for thread in $threads; do
	taskset -p $processor "$thread" > /dev/null
	processor=2
done
record spread -F 499 -n 500
end
options=-i
start smm "work=count ring=0"
record smm -F 999 -n 500
end
options=
start exits "work=exits far ring=0"
record_told exits --host -F 1999
# Recorders that are killed, at any moment, and guests that end.
for try in 1 2 3 4 5 6 7 8; do
	rm -f /out/killed.upf
	uniprof-record --max-cpu 100 -F 2k -f -o /out/killed.upf "$pid" 2> /out/killed.err &
	recorder=$!
	await sh -c "test -s /out/killed.upf || ! kill -0 $recorder"
	sleep "0.0$try"
	kill -KILL "$recorder"
	wait "$recorder" 2> /dev/null
done
record again -F 999 -n 100
end
for try in 1 2 3 4; do
	start ended "work=exits far ring=0"
	rm -f /out/ended.upf
	uniprof-record --max-cpu 100 -F 2k -o /out/ended.upf "$pid" 2> /out/ended.err &
	recorder=$!
	await test -s /out/ended.upf
	sleep "0.0$try"
	kill -9 "$pid"
	wait "$recorder"
	echo $? >> /out/ended.rcs
done
# Pointers and page tables that lead astray, also to the registers of a network card: one of them tells causes of
# interrupts, and forgets them when it is read. A write to the one behind it sets them.
card=$(grep -l 0x020000 /sys/bus/pci/devices/*/class)
card=${card%/class}
registers=$(awk '{ print $1; exit }' "$card/resource")
devmem $((registers + 0xc8)) 32 4
options="-c 2 -o $card/resource0"
start hostile "work=hostile others=flip ring=0"
record hostile --call-graph fp -C 0 -F 999 -n 2000
record copies -C 0 -F 999 -n 200
record large --call-graph dwarf,65528 -C 0 -F 499 -n 300
kill -0 "$pid" && echo runs > /out/hostile.runs
end
for i in 1 2; do
	devmem $((registers + 0xc0)) 32 >> /out/causes
done
grep -c '\[bpf\]$' /proc/kallsyms > /out/programs
dmesg > /out/dmesg
exit 0
