# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of versions.t, of the recorder by libxc.
guest_start shares 1 "work=shares"
uniprof-record -F 1000 -d 2 -o /out/shares.upf shares 2> /out/shares.err
echo $? > /out/shares.rc
type=pvh guest_start pvh long.elf 1 "work=shares"
uniprof-record --list > /out/list 2>&1
