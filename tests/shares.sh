# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
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
