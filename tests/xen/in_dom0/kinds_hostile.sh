# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of kinds_hostile.t: guests of each mode whose registers, page tables and memory lead astray, by frame pointers and
# by copies. One of them has less memory than it may have: what it has not touched yet is not there (populate on demand).
type=pvh
modes="pae two two-small flat"
maxmem=64 guest_start long long.elf 2 "work=hostile others=flip"
for mode in $modes; do
	guest_start $mode $mode.elf 2 "work=hostile others=flip"
done
for how in fp dwarf,4096; do
	# shellcheck disable=SC2086
	uniprof-record -F 500 -d 12 --max-overhead 50% -C 0 --call-graph $how -o /out/${how%,*}.upf long $modes 2> /out/${how%,*}.err
	echo $? > /out/${how%,*}.rc
done
for mode in long $modes; do
	echo "$mode $(guest_state $mode)"
done > /out/state
