#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of every kind and in every mode, recorded at once in one trace: PV, PVH and HVM; 64-bit code, 32-bit code with each
# format of page tables, and without paging.
set -u
. "$(dirname "$0")/tap.sh"

modes=(pv long pae two two-small flat)
kernels=()
for mode in "${modes[@]}"; do
	"$xen/guests/build" -m "$mode" "$work/$mode.elf"
	kernels+=(-g "$work/$mode.elf")
done
lab -i "${kernels[@]}" "$xen/t/kinds.sh"

recorded() {
	cat "$out/all.err"
	[ "$(cat "$out/all.rc")" = 0 ] && "$report" --verify "$out/all.upf"
}
ok "recorded" recorded

listed() { # NAME KIND
	grep -E "^ *[0-9]+  $1  *$2  *2  yes$" "$out/list"
}
# The kind and the instruction set that the head of the trace names.
head_says() { # NAME KIND ARCH
	"$report" --header "$out/all.upf" | tee "$work/header" | awk -v name="$1" -v kind="$2" -v arch="$3" '
		$1 == "domain" { is = "" } $1 == "name" { is = $2 } is != name { next }
		$1 == "kind" { k = $2 } $1 == "arch" { a = $2 } END { print k, a; exit k != kind || a != arch }'
}
folded_of() { # NAME OPTION...
	local name=$1

	shift
	"$report" -q --folded --no-inline --domain "$name" -s "$guest" "$@" "$out/all.upf" | sed "s/^$name;//"
}
# By CPU time: all guests share one processor, and a vCPU stands anywhere while it waits for its turn.
shares_in_all() { # NAME WORK
	folded_of "$1" --weight cpu > "$work/shares"
	shares_of "$work/shares" "$xen/guests/truth/$2.txt"
}
# The second vCPU sleeps all the time, and its stack lies on large pages, where the mode has them.
sleeps() { # NAME
	folded_of "$1" --state blocked | tee "$work/blocked"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = "_start_secondary;secondary_main;work_idle" ]
}
all_whole() { # NAME
	"$report" --state all --domain "$1" -s "$guest" "$out/all.upf" | tee "$work/profile"
	grep -q '^Stacks *all whole' "$work/profile"
}

while read -r name mode kind arch what; do
	guest=$work/$mode.elf
	ok "$name: in the list as $kind" listed "$name" "$kind"
	ok "$name: in the trace as $kind, $arch" head_says "$name" "$kind" "$arch"
	ok "$name: every stack is the guest's, every share of time within 3 points" shares_in_all "$name" "$what"
	ok "$name: the vCPU that sleeps shows its stack" sleeps "$name"
	ok "$name: all stacks are whole" all_whole "$name"
done <<-END
	pv pv PV x86-64 shares
	hvm long HVM x86-64 shares
	long long PVH x86-64 recursion
	pae pae PVH x86-32 levels
	two two PVH x86-32 shares
	two-small two-small PVH x86-32 recursion
	flat flat PVH x86-64 levels
END

done_testing
