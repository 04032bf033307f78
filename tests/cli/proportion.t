#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A small trace takes little time, whatever it says: by CPU time, so that other work on the machine does not matter.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
# $tmp, report and mktrace as seen from there
report=$(realpath "$report")
mktrace=$(realpath "$mktrace")
cd "$tmp" || exit 1
"$mktrace" repeats >repeats.upf
"$mktrace" repeats-apart >apart.upf
[ "$(stat -c %s repeats.upf)" -lt 20000 ] && [ "$(stat -c %s apart.upf)" -lt 20000 ]
ok $? 'traces of less than 20 kB'

# quick NAME EXIT COMMAND...: ends with that code, within 4 s of CPU time (all but heat maps take
# some hundredths).
quick() {
	local name=$1 want=$2 code
	shift 2
	(ulimit -t 4 && exec "$@" >out 2>err </dev/null)
	code=$?
	sed 's/^/# /' err | head -5
	[ $code -eq "$want" ] || echo "# exit status $code, not $want"
	[ $code -eq "$want" ]
	ok $? "$name"
}

for view in --folded --tree --verify '--csv --state all' '--sort vcpu' --flamegraph --json --pprof --callgrind '--focus leaf' '--vcpu 0-99'; do
	# shellcheck disable=SC2086
	quick "$view" 0 "$report" $view -q -s syms repeats.upf
done
quick --archive 0 "$report" -q --force --archive -s "$report" -o archive.upf repeats.upf
"$report" --folded -q -s syms repeats.upf >folded
count=$(awk '{n += $NF} END {print n}' folded)
[ "$count" -gt 200000000 ] && [ $((count % 4096)) -eq 0 ] && [ "$(awk 'NR == 1 {n = $NF} $NF != n' folded)" = '' ]
ok $? "every repeated sample counts: $count"
"$report" --verify repeats.upf | grep -q '^OK: '
ok $? 'as many as the footer says'

# Where each one is another cell or row, they are gone through: as far as is in proportion to the file.
for view in '--sort time' --heatmap; do
	# shellcheck disable=SC2086
	quick "$view, each in another second than the last one" 1 "$report" $view -q -s syms apart.upf
done
quick 'without --sort time' 0 "$report" -q -s syms apart.upf
quick 'a part of it' 0 "$report" --dump -q --time 0,0.1 -s syms repeats.upf
done_testing
