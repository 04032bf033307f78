# SPDX-License-Identifier: BSD-2-Clause
# What kinds.t and arm.t share: guests of several kinds and modes, recorded at once in one trace, $out/all.upf.

recorded() {
	cat "$out/all.err"
	[ "$(cat "$out/all.rc")" = 0 ] && "$report" --verify "$out/all.upf"
}
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

# Reads rows of NAME ELF KIND ARCH WORK.
check_kinds() {
	local name elf kind arch what

	while read -r name elf kind arch what; do
		guest=$work/$elf.elf
		ok "$name: in the list as $kind" listed "$name" "$kind"
		ok "$name: in the trace as $kind, $arch" head_says "$name" "$kind" "$arch"
		ok "$name: every stack is the guest's, every share of time within 3 points" shares_in_all "$name" "$what"
		ok "$name: the vCPU that sleeps shows its stack" sleeps "$name"
		ok "$name: all stacks are whole" all_whole "$name"
	done
}
