# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of output.t: outputs that fail or stall under a recording. Argument: where the guest counts its beats.

# alive NAME: leaves in NAME.beats how the guest's count stood twice, and its state.
alive() {
	{ onlooker words out "$beats"; sleep 0.3; onlooker words out "$beats"; guest_state out; } > "/out/$1.beats"
}
beats=$1
guest_start out 1 "work=heartbeat"

# A disk that gets full.
mkdir /tmp/small
mount -t tmpfs -o size=16k small /tmp/small
uniprof-record -F 2k -d 60 -o /tmp/small/full.upf out 2> /out/full.err
echo $? > /out/full.rc
alive full
cp /tmp/small/full.upf /out

# A pipe whose reader stops reading, for longer than what is waiting can be kept; then it reads on.
mkfifo /tmp/pipe
onlooker stall 12 < /tmp/pipe > /out/stalled.upf &
reader=$!
uniprof-record -F 2k -d 10 -o /tmp/pipe out 2> /out/stalled.err
echo $? > /out/stalled.rc
wait $reader
alive stalled

# One that never reads on: Ctrl-C once ends the sampling, twice ends the program.
onlooker stall 0 < /tmp/pipe > /dev/null &
reader=$!
uniprof-record -F 2k -o /tmp/pipe out 2> /out/stuck.err &
sleep 7
kill -INT $!
sleep 1
kill -INT $!
wait $!
echo $? > /out/stuck.rc
alive stuck
kill $reader

# Nobody comes to read it.
uniprof-record -o /tmp/pipe out 2> /out/unread.err &
sleep 1
kill -INT $!
wait $!
echo $? > /out/unread.rc

# A reader that has enough.
{ uniprof-record -F 2k -d 60 -o - out 2> /out/head.err; echo $? > /out/head.rc; } | head -c 1000 > /out/head.upf
sleep 0.5
alive head
