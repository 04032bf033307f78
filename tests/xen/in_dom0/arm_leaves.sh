# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of arm_leaves.t.

type=pvh
record() { # NAME [OPTION...]
	name=$1
	shift
	guest_start "$name" "$name.img" 1 work=leaves
	uniprof-record -F 1000 -d 2 "$@" -o "/out/$name.upf" "$name" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	guest_end "$name"
}

record gcc64
record gcc32
record clang32
record nofp64 --call-graph dwarf
