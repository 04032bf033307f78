# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of versions.t.
record() {
	uniprof-record -F 1000 -d 2 -o "/out/$1.upf" "$1" 2> "/out/$1.err"
	echo $? > "/out/$1.rc"
}
guest_start shares 1 "work=shares"
record shares
type=pvh guest_start pvh pvh.elf 1 "work=shares"
uniprof-record --list > /out/list.txt 2>&1
guest_end shares
record pvh
