# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of arm_hostile.t, as kinds_hostile.sh.
type=pvh
modes="arm64-4k arm64-flat arm32-short arm32-lpae"
for mode in $modes; do
	guest_start $mode $mode.img 2 "work=hostile others=flip"
done
for how in fp dwarf,4096; do
	# shellcheck disable=SC2086
	uniprof-record -F 500 -d 8 --max-overhead 50% -C 0 --call-graph $how -o /out/${how%,*}.upf $modes 2> /out/${how%,*}.err
	echo $? > /out/${how%,*}.rc
done
for mode in $modes; do
	echo "$mode $(guest_state $mode)"
done > /out/state
