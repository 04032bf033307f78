# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of watchdog.t: ends the recorder over and over, and looks what that leaves of the guest.
# Arguments: how often by each signal, where the guest counts its beats, and where it keeps its longest pause.

# For pause files.
mkdir -p /run/uniprof
mount -t tmpfs tmpfs /run/uniprof

# Stopped inside a pause and let go on, over and over: first, so that the longest pause is of these.
guest_start frozen 2 "work=heartbeat others=idle"
onlooker freeze "$(($1 / 2))" frozen "$2" "$3" > /out/freezes 2> /out/freezes.err
cp /tmp/onlooker.upf /out/frozen.upf
onlooker freeze "$(($1 / 2))" frozen "$2" "$3" foreign >> /out/freezes 2> /out/freezes-foreign.err
guest_end frozen

# Killed together, over and over, and what is left undone by a process that comes later.
guest_start both 2 "work=heartbeat others=idle"
onlooker both "$1" both "$2" > /out/both 2> /out/both.err
onlooker both "$1" both "$2" foreign >> /out/both 2>> /out/both.err
guest_end both

guest_start beat 2 "work=heartbeat others=idle"
for signal in KILL SEGV INT TERM PIPE; do
	onlooker kill $signal "$1" beat "$2"
done > /out/ends 2> /out/ends.err
for signal in KILL INT; do
	onlooker kill $signal "$1" beat "$2" foreign
done >> /out/ends 2>> /out/ends.err
cp /tmp/onlooker.upf /out/last.upf

no_watchdog() {
	! ps | grep -q '[u]niprof-wdog'
}
# lost TRACE: how many samples are lost up to now.
lost() {
	onlooker samples "$1" | cut -d ' ' -f 2
}
# has_lost TRACE N: more than N.
has_lost() {
	[ "$(lost "$1")" -gt "$2" ]
}
# A pause of the administrator's is neither sampled through nor undone, whatever ends the recorder.
uniprof-record -F 1k --max-overhead 100 -o /out/foreign.upf beat 2> /out/foreign.err &
await has_samples /out/foreign.upf 1
xl pause beat
# Some may be lost before that; so many are lost only while somebody else holds the guest.
await has_lost /out/foreign.upf $(($(lost /out/foreign.upf) + 400))
kill -9 $!
await no_watchdog
guest_state beat > /out/foreign
xl unpause beat

# The domain is destroyed under the recorder: it ends by itself, and no zombie is left.
uniprof-record -F 1k --max-overhead 100 -o /out/destroyed.upf beat 2> /out/destroyed.err &
await has_samples /out/destroyed.upf 1
guest_end beat
wait $!
echo $? > /out/destroyed
await no_zombie
xl list | grep -c '(null)\|beat' >> /out/destroyed
await no_watchdog
ps | grep -c '[u]niprof-wdog' > /out/watchdogs
exit 0
