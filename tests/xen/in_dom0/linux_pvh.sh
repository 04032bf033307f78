# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of linux_pvh.t: a Debian kernel that GRUB starts in a PVH guest, and that relocates itself. Its start is recorded,
# then its work.
both_work() {
	grep -q '^USED /fixed' $linux_log && grep -q '^USED /moved' $linux_log
}
boot() {
	uniprof-record -F 100 -d 600 -f -o /out/boot.upf --start 'xl create -q -p /tmp/linux.cfg' 2> /out/boot.err &
	linux_kallsyms > /out/kallsyms && await both_work
	kill -INT $!
	wait $!
}
again() {
	xl destroy linux 2> /dev/null
	rm $linux_log
	boot
}
# Some 3,000 samples in each program's functions: 5 points are 6 standard errors.
work() {
	# Of hundreds of places one is where it was linked.
	while grep -q '^ffffffff81000000 . _text$' /out/kallsyms; do
		again
	done
	tr -d '\r' < $linux_log > /out/before
	uniprof-record -F 500 -d 24 -f -o /out/pvh.upf linux 2> /out/pvh.err
	tr -d '\r' < $linux_log > /out/after
}
# It is destroyed and created again while it is recorded, and then lies elsewhere.
over_two_boots() {
	cp /out/kallsyms /out/kallsyms.1
	uniprof-record -F 200 --follow -f -o /out/twice.upf linux 2> /out/twice.err &
	sleep 4
	xl destroy linux
	rm $linux_log
	xl create -q /tmp/linux.cfg
	linux_kallsyms > /out/kallsyms && await both_work
	sleep 4
	kill -INT $!
	wait $!
}
type=pvh linux_config
boot
work
# See "Guests that fail" in README.md.
if grep -E 'Kernel panic|double fault|stack guard' /out/after > /out/failed || ! xl list linux 2>> /out/failed; then
	again
	work
fi
cp /out/kallsyms /out/kallsyms.work
over_two_boots
while grep -q "$(grep ' _text$' /out/kallsyms.1)" /out/kallsyms; do
	over_two_boots
done
