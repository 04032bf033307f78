# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_kills.t, of two processors: recorders that end in every way, and monitors that do, so many of each as
# /lab/kills says.
. /lab/kvm_guests.sh

kills=$(cat /lab/kills)
left() {
	for of in prog map link; do
		bpftool "$of" list | grep -c '^[0-9]' | sed "s/^/$of /"
	done
	ls /proc/[0-9]*/fd -l 2> /dev/null | grep -c 'anon_inode:\[perf_event\]' | sed 's/^/event /'
}
# A moment of up to 0.3 s, another one each time.
moment() {
	moment=$(((moment * 7 + 3) % 31))
	sleep "0.0$moment"
}
moment=1
begin() {
	rm -f /out/killed.upf
	uniprof-record --max-cpu 100 --max-overhead 100 -F 5k -f -o /out/killed.upf "$@" "$pid" 2> /out/killed.err &
	recorder=$!
	await sh -c "test -s /out/killed.upf || ! kill -0 $recorder"
	moment
}
options=
left > /out/left.before
start kills "work=exits far ring=0"
signal_exits > /out/kills.before
for signal in KILL TERM; do
	for try in $(seq "$kills"); do
		begin
		kill -$signal "$recorder"
		wait "$recorder" 2> /dev/null
	done
done
# Stopped at any moment, and killed then or let go on.
for try in $(seq "$kills"); do
	begin
	kill -STOP "$recorder"
	moment
	[ $((try % 2)) = 0 ] || kill -KILL "$recorder"
	kill -CONT "$recorder" 2> /dev/null
	kill -INT "$recorder" 2> /dev/null
	wait "$recorder" 2> /dev/null
done
signal_exits > /out/kills.after
record again -F 999 -n 500
end
for try in $(seq "$kills"); do
	start ended "work=exits far ring=0"
	begin --host
	kill -9 "$pid"
	wait "$recorder"
	rc=$?
	echo "$rc" >> /out/ended.rcs
	[ "$rc" = 0 ] || cat /out/killed.err /out/ended.vmm >> /out/ended.err
	wait "$pid" 2> /dev/null
done
# Programs and maps are freed a moment later.
as_before() {
	left > /out/left.after
	cmp -s /out/left.before /out/left.after
}
await as_before
dmesg > /out/dmesg
exit 0
