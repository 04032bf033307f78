#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of every kind and in every mode, recorded at once in one trace: PV, PVH and HVM; 64-bit code, 32-bit code with each
# format of page tables, and without paging.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kinds.sh"

build_kinds
lab "${kernels[@]}" "$xen/in_dom0/kinds.sh"

ok "recorded" recorded all
check_all_kinds

done_testing
