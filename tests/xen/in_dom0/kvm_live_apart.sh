# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_live.t, of two processors: the guest has one, the recorder the other and interrupts it.
#
# A sample costs the emulator what the host's scheduler takes to run the other processor's thread, tens of milliseconds
# on a starved machine: there are no more of them than the tests need.
. /lab/kvm_guests.sh
hold_keys

options=
taskset -p 1 $$ > /dev/null
vmm_start shares "work=shares far"
taskset -p 2 $$ > /dev/null
record shares -v -F 999 -n 1500
record stops --sampler stop -F 999 -n 500
kill -9 "$pid"
wait "$pid" 2> /dev/null
start_exits() {
	taskset -p 1 $$ > /dev/null
	vmm_start exits "work=exits far ring=0"
	taskset -p 2 $$ > /dev/null
}
start_exits
cp /run/beats /out/exits.told
record exits --host -F 999 -n 3000
cat /run/beats >> /out/exits.told
# Recorders that are killed, at any moment, and guests that end.
kill_recorders() {
	for try in 1 2 3 4 5 6 7 8; do
		rm -f /out/killed.upf
		uniprof-record --max-cpu 100 -F 2k -f -o /out/killed.upf "$pid" 2> /out/killed.err &
		recorder=$!
		await sh -c "test -s /out/killed.upf || ! kill -0 $recorder"
		sleep "0.$try"
		kill -KILL "$recorder"
		wait "$recorder" 2> /dev/null
	done
}
kill_recorders
# See "Guests that fail" in README.md.
if grep 'exit 8 at' /out/exits.vmm > /out/failed; then
	start_exits
	kill_recorders
fi
record again -F 999 -n 100
kill -9 "$pid"
wait "$pid" 2> /dev/null
for try in 1 2 3 4; do
	vmm_start ended "work=exits far ring=0"
	rm -f /out/ended.upf
	uniprof-record --max-cpu 100 -F 2k -o /out/ended.upf "$pid" 2> /out/ended.err &
	recorder=$!
	await test -s /out/ended.upf
	sleep "0.$try"
	kill -9 "$pid"
	wait "$recorder"
	echo $? >> /out/ended.rcs
done
# Pointers and page tables that lead astray.
taskset -p 1 $$ > /dev/null
options="-c 2"
vmm_start hostile "work=hostile others=flip ring=0"
taskset -p 2 $$ > /dev/null
record hostile --call-graph fp -C 0 -F 999 -n 2000
record copies -C 0 -F 999 -n 200
kill -0 "$pid" && echo runs > /out/hostile.runs
kill -9 "$pid"
wait "$pid" 2> /dev/null
grep -c '\[bpf\]$' /proc/kallsyms > /out/programs
dmesg > /out/dmesg
exit 0
