#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One figure for one thing: what the recorder says of pauses at its end, and what the report says of its trace. The
# pauses of ten rounds are 10 us to 90 us, and one of 3 ms, of simulated time (tests/sim/clock.h).
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
record=$(realpath "$build/uniprof-record-sim")
report=$(realpath "$report")
cd "$tmp" || exit 1
# shellcheck source=tests/sim/clock.sh
work=$tmp . "$here/../sim/clock.sh"
export UNIPROF_SIM_READ_NS=10000,20000,30000,40000,50000,60000,70000,80000,90000,3000000

# "paused N times, A in all, S% of the time; p50 B, p99 C, max D" and the report's words for it, as: N A S B C D
recorders() {
	sed -n 's/^paused  *\([0-9]*\) times, \(.*\) in all, \(.*\)% of the time; p50 \(.*\), p99 \(.*\), max \([^;]*\).*/\1|\2|\3|\4|\5|\6/p' "$1"
}
reports() {
	tr '\n' ' ' <"$1" | sed -n 's/.*Pauses *\([0-9,]*\) of the guests*: \(.*\) in all, \([^ ]*\)% of .*p50 \(.*\), p99 \(.*\), max \([0-9.]* [a-z]*\).*/\1|\2|\3|\4|\5|\6\n/p' | tr -d ','
}

for rate in 200 2k; do
	"$record" -F $rate -d 2 --max-overhead 100 --max-cpu 100 -o run-$rate.upf busy 2>said
	"$report" run-$rate.upf >shown 2>&1
	recorders said >a
	reports shown >b
	[ -s a ] && cmp -s a b
	same=$?
	[ $same = 0 ] || sed -s 's/^/# '"$rate"' Hz, recorder, then report: /' a b >&2
	ok $same "$rate Hz: number, total, share, p50, p99 and maximum are the same"
	[ $rate = 2k ] || ok '... and those that were (p50 50 us, to a 16th)' grep -qx '400|138.0 ms|6.9|51.2 us|3.0 ms|3.0 ms' a
done

# Of a part of the trace, and of one without a footer, the records tell.
"$report" --time 0,1 run-2k.upf >shown 2>&1
reports shown >part
[ -s part ] && ! cmp -s part b && [ "$(cut -d'|' -f1 part)" -lt "$(cut -d'|' -f1 b)" ]
ok $? 'half of the time has fewer'
head -c -100 run-2k.upf >cut.upf
"$report" cut.upf >shown 2>&1
reports shown >part
[ -s part ]
ok $? 'a trace without its footer has them, too'
"$report" --json run-2k.upf 2>/dev/null | perl -MJSON::PP -0777 -ne '
	my ($n) = split /\|/, `cat b`;
	exit !(decode_json($_)->{totals}{pauses}{count} == $n)'
ok $? '--json has the same number'

# The share is of the time of those guests that count, each trace's own.
"$mktrace" small >small.upf && "$mktrace" domains >domains.upf && "$mktrace" later >later.upf
share() {
	local name=$1 want=$2
	shift 2
	"$report" "$@" >shown 2>&1
	[ "$(reports shown | cut -d'|' -f1-3)" = "$want" ]
	ok $? "$name"
}
share 'two guests' '5|160 us|0.16' domains.upf
share 'one of two guests' '3|120 us|0.24' --domain web1 domains.upf
share 'traces of one guest and of two' '19|888 us|0.355' small.upf later.upf
share 'a guest that only one of the traces has' '2|40 us|0.08' --domain 7 small.upf later.upf
for guests in '50000 web1' '100000 web1,7'; do
	"$report" -q --flamegraph --domain "${guests#* }" domains.upf | grep -q "\"guests_us\":${guests% *}\>"
	ok $? "--flamegraph: the time of ${guests#* }"
done
done_testing
