# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of pvh_dom0.t. Arguments: how often to kill the recorder, and where the PV guest counts its beats.

type=pv guest_start pv pv.elf 2 "work=shares others=idle"
type=hvm guest_start hvm long.elf 2
type=pvh guest_start long long.elf 2 "work=recursion others=idle"
uniprof-record --list > /out/list
uniprof-record --max-overhead 100 --max-cpu 100 -F 1000 -d 8 -o /out/all.upf pv hvm long 2> /out/all.err
echo $? > /out/all.rc
traced one long
for guest in pv hvm long; do
	guest_end $guest
done
guest_start beat pv.elf 2 "work=heartbeat others=idle"
onlooker kill KILL "$1" beat "$2" > /out/ends 2> /out/ends.err
