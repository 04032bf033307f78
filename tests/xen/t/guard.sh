# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of guard.t: kills the recorder over and over; says after each kill what it left of the guest.

guest_start beat 2 "work=heartbeat others=idle"

# Is the guest paused, or does it still use CPU time?
left() {
	sleep 0.2
	case $(guest_state beat) in *p*) echo "paused"; xl unpause beat; return ;; esac
	echo "runs"
}

for try in $(seq 1 30); do
	uniprof-record -F 20k --max-overhead 100 -q -o /out/killed-$try.upf beat &
	usleep $((150000 + try * 7919 % 100000))
	case $((try % 3)) in 0) kill -SEGV $! ;; *) kill -KILL $! ;; esac
	wait $! 2> /dev/null
	left
done > /out/kill

for signal in INT TERM HUP; do
	uniprof-record -F 5k --max-overhead 100 -q -o /out/$signal.upf beat &
	usleep 500000
	kill -$signal $!
	wait $!
	echo "$signal $? $(left)"
done > /out/signals

# A pause of the administrator's is neither sampled through nor undone, whatever ends the recorder.
uniprof-record -F 1k --max-overhead 100 -o /out/foreign.upf beat 2> /out/foreign.err &
sleep 1
xl pause beat
sleep 1
kill -9 $!
sleep 0.3
guest_state beat > /out/foreign
xl unpause beat

# The domain is destroyed under the recorder: it ends by itself, and no zombie is left.
uniprof-record -F 1k --max-overhead 100 -o /out/destroyed.upf beat 2> /out/destroyed.err &
sleep 1
guest_end beat
wait $!
echo $? > /out/destroyed
sleep 1
xl list | grep -c '(null)\|beat' >> /out/destroyed
ps | grep -c '[u]niprof-guard' > /out/guards
exit 0
