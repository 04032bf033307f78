# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of life.t: domains that end under the recorder, each in another way.
for reason in 0 1 2 3; do
	guest_start end$reason 1 "work=end:$reason after=480"
	id=$(domid end$reason)
	uniprof-record -F 500 -d 60 -o /out/end$reason.upf end$reason 2> /out/end$reason.err
	echo $? > /out/end$reason.rc
	sleep 1
	xl list > /out/end$reason.list
	xl list | awk -v id="$id" '$2 == id { print $5 }' > /out/end$reason.state
	xl destroy end$reason 2> /dev/null
done

is_paused() {
	uniprof-record --list | grep -q " $1 .* paused "
}
# It asks to be reset, as for a kexec, and waits until its toolstack has done so; here an administrator destroys it.
guest_config reset 1 "work=end:5 after=480"
echo 'on_soft_reset="preserve"' >> /tmp/reset.cfg
uniprof-record -F 500 -o /out/reset.upf --start 'xl create -q -p /tmp/reset.cfg' 2> /out/reset.err &
await is_paused reset
uniprof-record --list > /out/reset.list
xl destroy reset
wait $!
echo $? > /out/reset.rc

# An administrator destroys it; and one renames it, pauses it, and lets it go on.
guest_start gone 1 "work=shares"
uniprof-record -F 500 -d 60 -o /out/gone.upf gone 2> /out/gone.err &
sleep 1
xl rename gone other
sleep 0.5
xl pause other
sleep 0.5
xl unpause other
sleep 0.5
xl destroy other
wait $!
echo $? > /out/gone.rc
sleep 1
xl list > /out/gone.list

# Destroyed between rounds that are far apart, and while the recorder is stopped by Ctrl-Z.
for name in slow stopped; do
	guest_start $name 1 "work=shares"
	rate=500
	[ $name != slow ] || rate=0.1
	uniprof-record -F $rate -o /out/$name.upf $name 2> /out/$name.err &
	sleep 1
	[ $name != stopped ] || kill -TSTP $!
	sleep 0.5
	xl destroy $name
	sleep 1
	xl list > /out/$name.list
	[ $name != stopped ] || kill -CONT $!
	wait $!
	echo $? > /out/$name.rc
done

# came_back NAME TIMES: the recorder, which is $!, has followed it so often, and is told to end.
came_back() {
	await is_back "$@"
	kill -INT $!
	wait $!
	echo $? > "/out/$1.rc"
}
is_back() {
	[ "$(grep -c ' is back as domain ' "/out/$1.err")" -ge "$2" ]
}
# no_more NAME: it goes, and so does the xl that brings it back.
no_more() {
	for process in /proc/[0-9]*; do
		! grep -qs "/tmp/$1.cfg" "$process/cmdline" || kill "${process#/proc/}"
	done
	xl destroy "$1" 2> /dev/null
}
# It reboots again and again, and the recorder goes along.
on_reboot=restart guest_start again 1 "work=end:1 after=2000"
domid again > /out/again.first
uniprof-record -F 500 --follow -o /out/again.upf again 2> /out/again.err &
came_back again 2
xl list > /out/again.list
no_more again
# Its end, with nobody to bring it back: the recorder waits, until it is told not to.
guest_start last 1 "work=shares"
uniprof-record -F 500 --follow -o /out/last.upf last 2> /out/last.err &
sleep 1
xl destroy last
sleep 1
xl list > /out/last.list
kill -INT $!
wait $!
echo $? > /out/last.rc

# It reboots half a second after each start: when the recorder has found it, it may be gone again.
on_reboot=restart guest_config short 1 "work=end:1 after=480"
uniprof-record -F 500 --follow -o /out/short.upf --start 'xl create -q -p /tmp/short.cfg' 2> /out/short.err &
came_back short 3
no_more short

# vCPU 1 goes and comes.
guest_start plug 2 "work=plug others=down"
uniprof-record -F 500 -d 2 -o /out/plug.upf plug 2> /out/plug.err
echo $? > /out/plug.rc
guest_end plug

# From its first instruction: a guest that crashes 50 ms after its start, and a command that fails.
guest_config boot 1 "work=end:3 after=48"
uniprof-record -v -F 1k --max-overhead 100 -d 60 -o /out/boot.upf --start 'xl create -q -p /tmp/boot.cfg' 2> /out/boot.err
echo $? > /out/boot.rc
xl destroy boot
uniprof-record -o /out/never.upf --start 'xl create -q -p /tmp/none.cfg' 2> /out/never.err
echo $? > /out/never.rc
