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
# test. The bound, an hour, is only for what hangs: how long a run takes depends on the machine's load.
lab() {
	out=$work/out-$number-$RANDOM
	"$xen/lab" -T 3600 -f "$build/uniprof-record=/bin/uniprof-record" -g "$guest" -o "$out" "$@" \
		> "$work/lab.log" 2>&1 || {
		echo "Bail out! the lab ended with $?"
		sed 's/^/# /' "$work/lab.log"
		exit 1
	}
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

# shares_of FOLDED TRUTH [POINTS]: the same of folded stacks and a truth in files; a stack may stand in several lines.
shares_of() {
	awk -v points="${3:-3}" -v truth="$2" '
		BEGIN { FS = "\t"; while ((getline < truth) > 0) want[$1] = $2 }
		{ n = $0; sub(/.* /, "", n); stack = substr($0, 1, length($0) - length(n) - 1); got[stack] += n; all += n }
		END {
			for (s in got) if (!(s in want)) { print "impossible stack: " s " " got[s]; bad = 1 }
			for (s in want) {
				share = all ? 100 * got[s] / all : 0
				off = share - want[s]
				printf "%6.2f %% of %d, should be %g: %s\n", share, all, want[s], s
				if (off > points || off < -points) bad = 1
			}
			exit bad || !all
		}' "$1"
}

# seldom_retaken NAME: by what the recorder said in $out/NAME.err, under 1 % of the rounds were taken again.
seldom_retaken() {
	cat "$out/$1.err"
	awk '/^samples/ { sub("[(]", "", $6); rounds = $6 } /^retaken/ { again = $2 } END { exit !(rounds > 100 && again < rounds / 100) }' "$out/$1.err"
}
