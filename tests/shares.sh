# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# shares_of FOLDED TRUTH [POINTS]: the same of folded stacks and a truth in files; a stack may stand in several lines. With
# POINTS "any" shares are only shown; with "chance" they are within five standard deviations, those of as many independent
# samples, where a share below 1 % has that of 1 %.
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
				p = (want[s] > 1 ? want[s] : 1) / 100
				most = points == "chance" ? 500 * sqrt(p * (1 - p) / (all ? all : 1)) : points
				if (points != "any" && (off > most || off < -most)) bad = 1
			}
			exit bad || !all
		}' "$1"
}
