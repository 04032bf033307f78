# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of save.t: a Debian kernel whose memory grows and shrinks, that is saved and comes back, under the recorder.
linux_start without-module || exit
export LIBXL_SAVE_HELPER=/bin/libxl-save-helper
turns() {
	grep -c '^COUNTED' $linux_log
}
# until_turns N: waits for so many turns more.
until_turns() {
	local first=$(turns)

	for try in $(seq 100); do
		[ "$(turns)" -ge $((first + $1)) ] && return
		sleep 0.5
	done
	echo "save: the guest makes no turns" >&2
}
memory() {
	xl list linux | awk 'NR == 2 { print $3 }'
}
until_turns 1
linux_kallsyms > /out/kallsyms

uniprof-record -F 500 --max-overhead 50% -o /out/balloon.upf linux 2> /out/balloon.err &
sleep 2
for size in 128 192 112 160; do
	xl mem-set linux $size
	for try in $(seq 20); do
		sleep 0.5
		[ "$(memory)" != $size ] || break
	done
	memory
done > /out/balloon.sizes
kill -INT $!
wait $!
echo $? > /out/balloon.rc

# Saved, and the recorder is not told to wait.
uniprof-record -F 500 --max-overhead 50% -o /out/saved.upf linux 2> /out/saved.err &
sleep 2
xl save linux /tmp/saved 2> /out/saved.xl &
saving=$!
wait %1
echo $? > /out/saved.rc
wait $saving
echo $? >> /out/saved.xl
sleep 1
xl list > /out/saved.list

# It comes back, is saved again, and comes back: followed.
xl restore /tmp/saved 2> /out/restored.xl
echo $? >> /out/restored.xl
rm /tmp/saved
until_turns 1
uniprof-record -F 500 --max-overhead 50% --follow -o /out/followed.upf linux 2> /out/followed.err &
recorder=$!
domid linux > /out/followed.domids
sleep 2
xl save linux /tmp/saved 2> /out/followed.xl
sleep 1
xl list > /out/followed.list
xl restore /tmp/saved 2>> /out/followed.xl
domid linux >> /out/followed.domids
until_turns 2
kill -INT $recorder
wait $recorder
echo $? > /out/followed.rc
guest_state linux > /out/followed.state
