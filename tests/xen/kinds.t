#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of every kind and in every mode, recorded at once in one trace: PV, PVH and HVM; 64-bit code, 32-bit code with each
# format of page tables, and without paging.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

modes=(pv long pae two two-small flat)
kernels=()
for mode in "${modes[@]}"; do
	"$xen/guests/build" -m "$mode" "$work/$mode.elf"
	kernels+=(-g "$work/$mode.elf")
done
lab -i "${kernels[@]}" "$xen/t/kinds.sh"

ok "recorded" recorded all

check_kinds <<-END
	pv pv PV x86-64 shares
	hvm long HVM x86-64 shares
	long long PVH x86-64 recursion
	pae pae PVH x86-32 levels
	two two PVH x86-32 shares
	two-small two-small PVH x86-32 recursion
	flat flat PVH x86-64 levels
END

done_testing
