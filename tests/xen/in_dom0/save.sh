# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of save.t: a Debian kernel whose memory grows and shrinks, that is saved and comes back, under the recorder.
linux_start without-module || exit
export LIBXL_SAVE_HELPER=/bin/libxl-save-helper
turns() {
	grep -c '^COUNTED' $linux_log
}
# until_turns N: waits for so many turns more.
until_turns() {
	await turned $(($(turns) + $1))
}
turned() {
	[ "$(turns)" -ge "$1" ]
}
memory() {
	xl list linux | awk 'NR == 2 { print $3 }'
}
memory_is() {
	[ "$(memory)" = "$1" ]
}
# gone: saved, and let go of.
gone() {
	! xl list | grep -qE '\(null\)|^linux'
}
until_turns 1
linux_kallsyms > /out/kallsyms

uniprof-record -F 500 --max-overhead 50% -o /out/balloon.upf linux 2> /out/balloon.err &
recorder=$!
await has_samples /out/balloon.upf 200
for size in 128 192 112 160; do
	xl mem-set linux $size
	await memory_is $size >&2
	memory
done > /out/balloon.sizes
kill -INT $recorder
wait $recorder
echo $? > /out/balloon.rc

# Saved, and the recorder is not told to wait.
uniprof-record -F 500 --max-overhead 50% -o /out/saved.upf linux 2> /out/saved.err &
recorder=$!
await has_samples /out/saved.upf 100
xl save linux /tmp/saved 2> /out/saved.xl &
saving=$!
wait $recorder
echo $? > /out/saved.rc
wait $saving
echo $? >> /out/saved.xl
await gone
xl list > /out/saved.list

# It comes back, is saved again, and comes back: followed.
xl restore /tmp/saved 2> /out/restored.xl
echo $? >> /out/restored.xl
rm /tmp/saved
until_turns 1
uniprof-record -F 500 --max-overhead 50% --follow -o /out/followed.upf linux 2> /out/followed.err &
recorder=$!
domid linux > /out/followed.domids
await has_samples /out/followed.upf 100
xl save linux /tmp/saved 2> /out/followed.xl
await gone
xl list > /out/followed.list
xl restore /tmp/saved 2>> /out/followed.xl
domid linux >> /out/followed.domids
until_turns 2
await has_samples /out/followed.upf $(($(onlooker samples /out/followed.upf | cut -d ' ' -f 1) + 100))
kill -INT $recorder
wait $recorder
echo $? > /out/followed.rc
guest_state linux > /out/followed.state
