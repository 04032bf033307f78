# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of tests/xen/pictures: four rounds of a Linux guest's varied work.
linux_start varied || exit
linux_kallsyms > /out/kallsyms
await grep -q '^ROUND' $linux_log
uniprof-record -F 499 -d 40 -o /out/linux.upf linux
