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

# Without any option on how to read stacks: nobody must know how a guest was compiled.
for variant in leaf leaf-tables leaf-omit nofp nofp-debug; do
	record $variant $variant leaves
done
record frames guest shares
# The guest changes from one style to the other and back in 600 ms: one more or less is a point of 6 s. And while stacks
# are copied, dom0 takes more of the processor that it shares with the guest: 1.5 points in any case.
record styles leaf styles -d 18

record omit-fp leaf-omit leaves --call-graph fp
record omit-small leaf-omit leaves --call-graph fp,64
record omit-copy leaf-omit leaves --call-graph dwarf
record nofp-copy nofp-debug leaves --call-graph dwarf,4096
