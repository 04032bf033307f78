# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of kinds.t: a guest of each kind and mode, all recorded at once.

type=pv guest_start pv pv.elf 2 "work=shares others=idle"
type=hvm guest_start hvm long.elf 2
type=pvh
guest_start long long.elf 2 "work=recursion others=idle"
guest_start pae pae.elf 2 "work=levels others=idle"
guest_start two two.elf 2 "work=shares others=idle"
guest_start two-small two-small.elf 2 "work=recursion others=idle"
guest_start flat flat.elf 2 "work=levels others=idle"
uniprof-record --list > /out/list
uniprof-record -F 1000 -d 15 -o /out/all.upf pv hvm long pae two two-small flat 2> /out/all.err
echo $? > /out/all.rc
