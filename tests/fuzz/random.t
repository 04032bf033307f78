#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each fuzzer on its corpus, which holds everything that was found before, and on RUNS inputs that it makes of that.
# With FUZZ_SECONDS, as make fuzz has it, for so long; what it finds is then kept in $BUILD/corpus.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=$work limits=(-runs="${RUNS:-5000}" -seed="$(seed)")
[ -z "${FUZZ_SECONDS:-}" ] || corpus=$BUILD/corpus limits=(-max_total_time="$FUZZ_SECONDS")

# What it fails on is printed, as what was found is gone with $work.
fuzz() { # NAME
	mkdir -p "$corpus/$1"
	"${BUILD:?is set by make check}/fuzz/tests/fuzz/fuzz_$1" "${limits[@]}" -timeout=20 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$corpus/found-" "$corpus/$1" "$here/corpus/$1" > "$work/$1.log" 2>&1 && return
	cat "$work/$1.log"
	base64 "$corpus"/found-* | head -n 100
	return 1
}
echo "# ${limits[*]}"
for source in "$here"/fuzz_*.c; do
	name=${source##*/fuzz_} name=${name%.c}
	ok "$name" fuzz "$name"
	sed -n 's/^stat::number_of_executed_units: */# runs: /p' "$work/$name.log"
done
done_testing
