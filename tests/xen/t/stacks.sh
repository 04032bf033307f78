# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of stacks.t: guests built in several ways, with a vCPU that works and one blocked in a hypercall.

# record NAME KERNEL WORK ARGUMENT...: leaves NAME.upf, .err and .rc.
record() {
	name=$1 kernel=$2 work=$3
	shift 3
	guest_start "$name" "$kernel.elf" 2 "work=$work others=block"
	uniprof-record -F 1000 -d 6 "$@" -o "/out/$name.upf" "$name" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	guest_end "$name"
}

record leaf leaf leaves
record leaf-tables leaf-tables leaves
record nofp nofp leaves --call-graph dwarf
record nofp-debug nofp-debug leaves --call-graph dwarf,4096
record frames guest shares
record omit leaf-omit leaves
record omit-small leaf-omit leaves --call-graph fp,64
record omit-copy leaf-omit leaves --call-graph dwarf
