#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests in step with the sampling: a cycle is exactly the sampling period, half of it, or one and a half times it.
# Every instant must be as likely to be sampled as any other, so the shares must be those that the guest counted
# (guests/pv/lockstep.c). Each sample is of one part or another by chance, whatever the last one was: of 3,700 samples
# 2 points are five standard deviations of a share of 1/16.
set -u
. "$(dirname "$0")/tap.sh"

base=$(nm "$guest" | awk '$3 == "lockstep_ns" { print "0x" $1 }')
addresses=()
for part in {0..15}; do
	addresses+=("$(printf '0x%x' $((base + 8 * part)))")
done

# What the guest counted while it was recorded, as a truth for shares_of.
counted() { # NAME
	awk 'NR == 1 { split($0, before) }
		NR == 2 {
			for (i = 1; i <= NF; i++) all += $i - before[i]
			for (i = 1; i <= NF; i++)
				printf "%s;part_%d\t%.2f\n", work, i - 1, 100 * ($i - before[i]) / all
			print work "\t0"
		}' work="_start;kernel_main;work_lockstep" "$out/$1.words"
}
in_step() { # NAME
	counted "$1" > "$work/truth"
	folded "$out/$1.upf" > "$work/shares"
	shares_of "$work/shares" "$work/truth" 2
}
# in_step_at RATE SHIFT: SHIFT is as large as it can be without rounds being a large part of the period: while dom0 has
# the only processor for a round, the guest stands still, and a deadline that passes meanwhile is late.
#
# dom0's own timer, whose period is 4 ms, makes samples late, too: Linux lets 100 us pass before the next one (see
# docs/overhead.md). So RATE is one whose periods begin all over those 4 ms: else the same part of each cycle would be
# sampled late. Xen's rate limit, by which dom0 would wait until the guest has had the processor for 1 ms, is off.
in_step_at() {
	lab -s "$2" -b sched_ratelimit_us=0 -f "$build/tests/xen/onlooker=/bin/onlooker" \
		"$xen/in_dom0/lockstep.sh" "$1" "${addresses[@]}"
	for cycle in one half more; do
		ok "$1 Hz, $cycle: recorded" recorded $cycle
		ok "$1 Hz, $cycle: the guest's own shares within 2 points" in_step $cycle
	done
}
in_step_at 100 4
in_step_at 160 3

done_testing
