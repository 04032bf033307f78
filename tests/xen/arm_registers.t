#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --registers on ARM64 and ARM32 guests that somebody has paused, and on one that has crashed: all that xenctx -a -S shows of
# the same vCPU.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/arm.sh"
. "$xen/registers.sh"

for mode in arm64-4k arm64-flat arm32-lpae arm32-short arm32-thumb; do
	add_guest $mode $mode
	add_symbols $mode $mode.img
done
lab_arm "$xen/in_dom0/registers.sh" 4k=pvh,arm64-4k.img,shares flat64=pvh,arm64-flat.img,levels lpae=pvh,arm32-lpae.img,recursion \
	short=pvh,arm32-short.img,shares thumb=pvh,arm32-thumb.img,levels crash=pvh,arm64-4k.img,end:3

check_registers <<-END
	4k arm64-4k paused kernel mode, AArch64 in EL1h
	flat64 arm64-flat paused kernel mode, AArch64 in EL1h, MMU off
	lpae arm32-lpae paused kernel mode, A32 in SVC
	short arm32-short paused kernel mode, A32 in SVC
	thumb arm32-thumb paused kernel mode, T32 in SVC
	crash arm64-4k crashed kernel mode, AArch64 in EL1h
END

done_testing
