# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of linux.t: a Debian kernel as a PV guest, at work in user space, in the kernel and in a module.
# Preemptible: else the module keeps the processor for whole seconds, and shares depend on when these were.
linux_start preempt=full || exit
linux_kallsyms > /out/kallsyms
works() { # each of its programs has begun
	[ "$(grep -c '^COUNTED' $linux_log)" -ge 3 ]
}
await works
uniprof-record -F 500 -d 8 --call-graph fp -o /out/fp.upf linux 2> /out/fp.err
grep '^COUNTED' $linux_log | tr -d '\r' > /out/counted
# Without any option: nobody must know how a kernel was compiled.
uniprof-record -F 500 -d 8 -o /out/auto.upf linux 2> /out/auto.err
