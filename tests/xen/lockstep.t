#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests in step with the sampling: a cycle is exactly the sampling period, half of it, or one and a half times it. Every
# instant of the cycle is as likely to be sampled as any other, so the shares are the true ones. 6,000 samples each: 2
# points are three standard deviations of the largest share.
set -u
. "$(dirname "$0")/tap.sh"

recorded() {
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
# in_step RATE SHIFT: SHIFT as large as the rate allows, as what dom0 does takes time from the guest: its own timer has 250
# Hz, which takes it from the same part of a 4 ms cycle each time.
in_step() {
	lab -i -s "$2" -T 1800 "$xen/t/lockstep.sh" "$1"
	for cycle in one half more; do
		ok "$1 Hz, $cycle: recorded" recorded $cycle
		ok "$1 Hz, $cycle: true shares within 2 points" shares "$out/$cycle.upf" lockstep 2
	done
}
in_step 100 3
in_step 250 1

done_testing
