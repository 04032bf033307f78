# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of stacks.t: one guest, built in several ways, with a vCPU that works and one blocked in a hypercall.

# record KERNEL ARGUMENT...: leaves KERNEL.upf, .err and .rc.
record() {
	name=$1
	shift
	guest_start "$name" "$name.elf" 2 "work=leaves others=block"
	uniprof-record -F 1000 -d 6 "$@" -o "/out/$name.upf" "$name" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	guest_end "$name"
}

record leaf
record leaf-tables
record nofp --call-graph dwarf
record nofp-debug --call-graph dwarf,4096
