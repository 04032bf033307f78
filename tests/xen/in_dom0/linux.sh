# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of linux.t: a Debian kernel as a PV guest, at work in user space, in the kernel and in a module.
linux_start || exit
linux_kallsyms > /out/kallsyms
sleep 1
counted() {
	grep '^COUNTED' $linux_log | tail -n 1 | tr -d '\r'
}
counted > /out/counted
uniprof-record -F 500 -d 8 --call-graph fp -o /out/fp.upf linux 2> /out/fp.err
counted >> /out/counted
# Without any option: nobody must know how a kernel was compiled.
uniprof-record -F 500 -d 8 -o /out/auto.upf linux 2> /out/auto.err
