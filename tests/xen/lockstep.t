#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests in step with the sampling: a cycle is exactly the sampling period, half of it, or one and a half times it. Every
# instant of the cycle is as likely to be sampled as any other, so the shares are the true ones. 9,000 samples each: 2
# points are almost four standard deviations of the largest share.
set -u
. "$(dirname "$0")/tap.sh"

lab -i -s 4 -T 1800 "$xen/t/lockstep.sh"

recorded() {
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
for rate in 100 250; do
	for cycle in one half more; do
		ok "$rate Hz, $cycle: recorded" recorded $cycle-$rate
		ok "$rate Hz, $cycle: true shares within 2 points" shares "$out/$cycle-$rate.upf" lockstep 2
	done
done

done_testing
