# SPDX-License-Identifier: BSD-2-Clause
# What tests of several kinds and modes of guests share, which are recorded at once in one trace: $out/all.upf, or of guests that
# lead astray $out/fp.upf and $out/dwarf.upf.

# The guests go on, too.
survived() { # TRACE
	cat "$out/state"
	recorded "$1" && ! grep -E ' .*[psc]' "$out/state"
}
listed() { # NAME KIND [VCPUS]
	grep -E "^ *[0-9]+  $1  *$2  *${3:-2}  *[0-9]+ (running|idle)  *[0-9.]+%  -  *yes$" "$out/list"
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

# Reads rows of NAME ELF KIND ARCH WORK. The tests' names begin with WHERE.
check_kinds() { # [WHERE]
	local name elf kind arch what

	while read -r name elf kind arch what; do
		guest=$work/$elf.elf
		ok "${1:-}$name: in the list as $kind" listed "$name" "$kind"
		ok "${1:-}$name: in the trace as $kind, $arch" head_says "$name" "$kind" "$arch"
		ok "${1:-}$name: every stack is the guest's, every share of time within 3 points" shares_in_all "$name" "$what"
		ok "${1:-}$name: the vCPU that sleeps shows its stack" sleeps "$name"
		ok "${1:-}$name: all stacks are whole" all_whole "$name"
	done
}

# The guests of in_dom0/kinds.sh, of every kind and mode: $kernels for the lab.
build_kinds() {
	local mode

	kernels=()
	for mode in pv long pae two two-small flat; do
		"$xen/guests/build" -m "$mode" "$work/$mode.elf"
		kernels+=(-g "$work/$mode.elf")
	done
}
check_all_kinds() { # [WHERE]
	check_kinds "$@" <<-END
		pv pv PV x86-64 shares
		hvm long HVM x86-64 shares
		long long PVH x86-64 recursion
		pae pae PVH x86-32 levels
		two two PVH x86-32 shares
		two-small two-small PVH x86-32 recursion
		flat flat PVH x86-64 levels
	END
}

# ends TRACE LEAF END [DEPTH [FRAMES]]: samples in LEAF, at least ten, ended so, each of them, with so many frames; but for those
# whose page was met for the first time.
ends() {
	"$report" -q --no-repair --dump --domain "$mode" -s "$guest" "$out/$1.upf" | grep -E " sample .*: $2(\+0x[0-9a-f]+)?( |$)" |
		grep -v ' (page not mapped in time), ' > "$work/samples"
	grep -vE " end [0-9]+ \($3\), depth ${4:-[0-9]+}: $2(\+0x[0-9a-f]+)?${5:-}" "$work/samples" | tee "$work/others" |
		cut -c 1-200 | head -n 3
	echo "$(wc -l < "$work/samples") samples in $2"
	[ "$(wc -l < "$work/samples")" -ge 10 ] && [ ! -s "$work/others" ]
}
