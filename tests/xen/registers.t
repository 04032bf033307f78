#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --registers on guests of each kind and mode that somebody has paused, and on one that has crashed: all that xenctx -a -S
# shows of the same vCPU.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/registers.sh"

kernels=()
for mode in pv long pae two flat; do
	"$xen/guests/build" -m "$mode" "$work/$mode.elf"
	kernels+=(-g "$work/$mode.elf")
	add_symbols "$mode"
done
lab "${kernels[@]}" -f "$report=/bin/uniprof-report" "$xen/in_dom0/registers.sh" pv=pv,pv.elf,shares hvm=hvm,long.elf,shares long=pvh,long.elf,recursion \
	pae=pvh,pae.elf,levels two=pvh,two.elf,shares flat=pvh,flat.elf,levels crash=pvh,long.elf,end:3

check_registers <<-END
	pv pv paused kernel mode, 64-bit code
	hvm long paused kernel mode, 64-bit code
	long long paused kernel mode, 64-bit code
	pae pae paused kernel mode, 32-bit code, PAE
	two two paused kernel mode, 32-bit code, two-level page tables
	flat flat paused kernel mode, 32-bit code, paging off
	crash long crashed kernel mode, 64-bit code
END

# The same by one command, in dom0.
dumped() { # NAME: with both vCPUs' stacks
	cat "$out/$1.dump"
	[ "$(grep -c "^$1 ([0-9]*, .*), vCPU [01], .* s: .*, kernel mode, " "$out/$1.dump")" = 2 ] &&
		[ "$(grep -c '^The domain ' "$out/$1.dump")" = 2 ] && grep -q '  kernel_main+0x' "$out/$1.dump" &&
		grep -q '  secondary_main+0x' "$out/$1.dump"
}
for guest in pv hvm long pae two flat crash; do
	ok "$guest: --dump shows its state and its stacks by names" dumped $guest
done

done_testing
