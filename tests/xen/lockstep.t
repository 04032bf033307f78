#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests in step with the sampling: a cycle is exactly the sampling period, half of it, or one and a half times it. Every
# instant of the cycle is as likely to be sampled as any other, so the shares are the true ones.
set -u
. "$(dirname "$0")/tap.sh"

lab -c 4 -T 600 "$xen/t/lockstep.sh"

recorded() {
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf"
}
# in_step RATE NAME: the shares of one guest, each within 2 points.
in_step() {
	folded --domain "$2" "$out/$1.upf" > "$work/shares"
	shares_of "$work/shares" "$xen/guests/truth/lockstep.txt" 2
}
for rate in 100 250; do
	ok "$rate Hz: recorded" recorded $rate
	ok "$rate Hz, a cycle of one period: true shares within 2 points" in_step $rate one
	ok "$rate Hz, a cycle of half a period: true shares within 2 points" in_step $rate half
	ok "$rate Hz, a cycle of one and a half periods: true shares within 2 points" in_step $rate more
done

done_testing
