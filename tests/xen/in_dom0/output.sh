# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of output.t: outputs that fail or stall under a recording. Argument: where the guest counts its beats.

beats=$1
# went_on: the guest's count has changed since the last line of /tmp/beats.
went_on() {
	[ "$(onlooker words out "$beats")" != "$(tail -n 1 /tmp/beats)" ]
}
# alive NAME: leaves in NAME.beats the guest's count twice, and its state.
alive() {
	onlooker words out "$beats" > /tmp/beats
	await went_on
	{ cat /tmp/beats; onlooker words out "$beats"; guest_state out; } > "/out/$1.beats"
}
# No bound on the pauses: else a slow machine's recorder samples too seldom to fill anything.
record="uniprof-record -F 2k --max-overhead 100"
# stuck PID: one of its threads waits to write to a full pipe.
stuck() {
	grep -qs pipe_write /proc/"$1"/task/*/wchan
}
ended() {
	! kill -0 "$1" 2> /dev/null
}
# interrupt PID: by Ctrl-C, as often as it takes.
interrupt() {
	kill -INT "$1"
	sleep 1
	ended "$1"
}
guest_start out 1 "work=heartbeat"

# A disk that gets full.
mkdir /tmp/small
mount -t tmpfs -o size=16k small /tmp/small
$record -d 600 -o /tmp/small/full.upf out 2> /out/full.err
echo $? > /out/full.rc
alive full
cp /tmp/small/full.upf /out

# A pipe whose reader stops reading, for longer than what is waiting can be kept (a block a second, four of them); then
# it reads on.
mkfifo /tmp/pipe
onlooker stall /tmp/go < /tmp/pipe > /out/stalled.upf &
reader=$!
$record -o /tmp/pipe out 2> /out/stalled.err &
recorder=$!
await stuck $recorder
sleep 8
touch /tmp/go
sleep 3
kill -INT $recorder
wait $recorder
echo $? > /out/stalled.rc
wait $reader
alive stalled

# One that never reads on: Ctrl-C once ends the sampling, twice ends the program.
onlooker stall < /tmp/pipe > /dev/null &
reader=$!
$record -o /tmp/pipe out 2> /out/stuck.err &
recorder=$!
await stuck $recorder
await interrupt $recorder
wait $recorder
echo $? > /out/stuck.rc
alive stuck
kill $reader

# Nobody comes to read it.
$record -o /tmp/pipe out 2> /out/unread.err &
recorder=$!
await interrupt $recorder
wait $recorder
echo $? > /out/unread.rc

# A reader that has enough.
{ $record -d 600 -o - out 2> /out/head.err; echo $? > /out/head.rc; } | head -c 1000 > /out/head.upf
alive head

# From some call on, Xen refuses all: while domains are listed, when the guest is attached to, in the first pause. The
# guest runs on, as the pause was refused as well.
for call in 8 9 10 11 12 13 14 15; do
	strace -f -o /dev/null -e trace=ioctl -e inject=ioctl:error=EPERM:when=$call+ \
		uniprof-record -q -n 200 -f -o /tmp/refused.upf out 2>> /out/refused.err && echo "exit status 0" >> /out/refused.err
done
alive refused
