#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The work of a view grows with the number of different addresses, not with its square. Instructions are counted, so
# neither the machine nor its load matters.
set -u
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
few=1000 times=8
most=$((times * 15 / 10)) # sorting is a little worse than linear; the square would be 64 times

grows() { # grows VIEW...
	local small
	counted "$build/uniprof-report" -q "$@" -o out.any few.upf && small=$instructions &&
		counted "$build/uniprof-report" -q "$@" -o out.any many.upf
	[ $? = 0 ] && [ "$instructions" -lt $((small * most)) ]
	ok $? "$* is linear in the number of addresses"
	echo "# ${small:-none} instructions, $instructions for $times times the addresses"
}

needs_valgrind
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
