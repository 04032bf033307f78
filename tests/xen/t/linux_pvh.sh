# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of linux_pvh.t: a Debian kernel that GRUB starts in a PVH guest, and that relocates itself.
boot() {
	linux_start || return
	linux_kallsyms > /out/kallsyms
}
# Of hundreds of places one is where it was linked.
type=pvh
boot || exit
while grep -q '^ffffffff81000000 . _text$' /out/kallsyms; do
	xl destroy linux
	rm $linux_log
	boot || exit
done
both_work() {
	grep -q '^USED /fixed' $linux_log && grep -q '^USED /moved' $linux_log
}
await both_work
tr -d '\r' < $linux_log > /out/before
uniprof-record -F 500 -d 6 -o /out/pvh.upf linux 2> /out/pvh.err
tr -d '\r' < $linux_log > /out/after
