# SPDX-License-Identifier: BSD-2-Clause
# What the lab's tests share: TAP output for prove, and checks of traces against what the guests are known to do.
xen=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BUILD:?is set by make check-lab}
report=$build/uniprof-report
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tap.sh
. "$xen/../tap.sh"

guest=$work/guest.elf
"$xen/guests/build" "$guest"

# lab OPTION... SCRIPT: one run, with the recorder and the guest; leaves everything in $out. A lab that fails ends the
# test. So does one that takes more than $CPU_LIMIT seconds of CPU time: it hangs, as the longest takes 550 on a quiet
# machine. The traces' hashes tell whether a run was the same as another one: with the same $SEED it is, but in real time
# (lab -t, -r).
lab() {
	out=$work/out-$number-$RANDOM
	"$xen/lab" -T "${CPU_LIMIT:-2000}" -f "$build/uniprof-record=/bin/uniprof-record" -g "$guest" -o "$out" "$@" \
		> "$work/lab.log" 2>&1 || {
		echo "Bail out! the lab ended with $?"
		sed 's/^/# /' "$work/lab.log"
		exit 1
	}
	(cd "$out" && sha256sum -- *.upf 2> /dev/null | sed -E 's/^(.{12})[^ ]*/# \1/')
}

# recorded NAME: the recorder ended in order, and the trace is whole.
recorded() {
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}

# Truths are of functions as they were compiled: what DWARF tells of inlined ones is left out.
folded() {
	"$report" -q --folded --no-inline -s "$guest" "$@"
}

# shares TRACE TRUTH [POINTS]: every stack is one that the guest can have, and owns its share of time within POINTS. Names are
# those of $guest.
shares() {
	folded "$1" > "$work/shares"
	shares_of "$work/shares" "$xen/guests/truth/$2.txt" "${3:-3}"
}

# shellcheck source=tests/shares.sh
. "$xen/../shares.sh"

# retaken NAME MOST: by what the recorder said in $out/NAME.err, at most so many rounds of a thousand or more were
# taken again. Where each stack of a guest has a tenth of the samples, none leaves the list of what is read in a pause,
# and no round has to be (docs/overhead.md).
retaken() {
	cat "$out/$1.err"
	awk -v most="$2" '/^samples/ { sub("[(]", "", $6); rounds = $6 } /^retried/ { again = $2 }
		END { exit rounds < 1000 || again > most }' "$out/$1.err"
}

# calls_a_round NAME N: between two sleeps of the warm recorder there are N ioctls, and nothing is mapped.
calls_a_round() {
	[ "$(cat "$out/$1.rc")" = 0 ] || return 1
	awk '/rt_sigtimedwait\(/ { if (n > 20 && n < 180) print calls + 0, maps + 0; n++; calls = maps = 0 }
		/ ioctl\(/ { calls++ } / (mmap|munmap)\(/ { maps++ }' "$out/$1.txt" | sort | uniq -c | tee "$work/calls"
	[ "$(wc -l < "$work/calls")" = 1 ] && grep -q " $2 0\$" "$work/calls"
}

# $out/dmesg, the log of Linux, has no complaint. By whole words, as modules are "Installing" file systems.
quiet_kernel() {
	[ -s "$out/dmesg" ] || return 1
	tail -n 5 "$out/dmesg"
	! grep -wE 'BUG|Oops|WARNING|stall|stalls|stalled|refcount|refcount_t' "$out/dmesg"
}
