#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The work of a view grows with the number of different addresses, not with its square. Instructions are counted, so
# neither the machine nor its load matters.
set -u
. "$(dirname "$0")/tap.sh"
build=$(cd "$build" && pwd)
cd "$tmp" || exit 1
few=1000 times=8
most=$((times * 15 / 10)) # sorting is a little worse than linear; the square would be 64 times

instructions() { # instructions TRACE VIEW...
	local trace=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/uniprof-report" -q "$@" -o out.any "$trace" 2>&1 |
		sed -n 's/.*Collected : //p'
}

grows() { # grows VIEW...
	local small large
	small=$(instructions few.upf "$@")
	large=$(instructions many.upf "$@")
	echo "# $*: ${small:-none} instructions, ${large:-none} for $times times the addresses"
	[ -n "$small" ] && [ -n "$large" ] && [ "$large" -lt $((small * most)) ]
	ok $? "$* is linear in the number of addresses"
}

if ! command -v valgrind >valgrind.path; then
	echo '1..0 # SKIP there is no valgrind'
	exit 0
fi
"$build/tests/tools/mktrace" scattered $few 4 >few.upf
"$build/tests/tools/mktrace" scattered $((few * times)) 4 >many.upf
for view in --flat --folded --flamegraph --heatmap --pprof --firefox --speedscope --callgrind --csv --json; do
	grows $view
done
grows --tree --percent-limit 0
grows --tree --bottom-up
grows --peek '^0x7f'
grows --annotate '^0x13'
grows --folded --focus 0x
done_testing
