# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of arm.t and arm_kinds.t: the guests of /lab/kinds, all recorded at once.

type=pvh names=
while read -r name kernel arch work; do
	guest_start "$name" "$kernel.img" 2 "work=$work others=idle" < /dev/null
	names="$names $name"
done < /lab/kinds
uniprof-record --list > /out/list
# shellcheck disable=SC2086
uniprof-record -F 1000 -d 80 -o /out/all.upf $names 2> /out/all.err
echo $? > /out/all.rc
