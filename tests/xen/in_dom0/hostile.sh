# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of hostile.t: a guest whose registers and page tables lead astray, by frame pointers, by copies, and by what seems right.
guest_start hostile 2 "work=hostile others=flip"
for mode in fp dwarf,65536 auto; do
	uniprof-record -F 500 -d 12 --max-overhead 50% -C 0 --call-graph $mode -o /out/${mode%,*}.upf hostile 2> /out/${mode%,*}.err
	echo $? > /out/${mode%,*}.rc
done
guest_state hostile > /out/state
