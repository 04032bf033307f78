# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034
# What tests of uniprof-report's command line share: a folder of their own in $tmp, where commands run, and checks of
# what they print.
# Expected outputs are in tests/cli/expected; UPDATE=1 writes them anew: look at the difference before committing it.
# script's commands are a shell's: the one of whoever runs the tests may know other words, or none is set.
export LC_ALL=C.UTF-8 SHELL=/bin/bash
unset DEBUGINFOD_URLS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "${BUILD:-$here/../../build}")
report=$build/uniprof-report
mktrace=$build/tests/tools/mktrace
expected=$here/expected
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

# same NAME EXIT COMMAND...: output, messages and exit status are as in expected/NAME.
same() {
	local name=$1 want=$2 code
	shift 2
	(cd "$tmp" && "$@" >out 2>err </dev/null)
	code=$?
	{ cat "$tmp/out"; sed 's/^/2> /' "$tmp/err"; } >"$tmp/all"
	[ -n "${UPDATE:-}" ] && cp "$tmp/all" "$expected/$name"
	diff -u "$expected/$name" "$tmp/all" | sed 's/^/# /'
	[ "$code" -eq "$want" ] || echo "# exit status $code, not $want"
	cmp -s "$expected/$name" "$tmp/all" && [ "$code" -eq "$want" ]
	ok $? "$name"
}

# fails NAME EXIT TEXT COMMAND...: nothing on standard output, one line of messages with TEXT in it.
fails() {
	local name=$1 want=$2 text=$3 code
	shift 3
	(cd "$tmp" && "$@" >out 2>err </dev/null)
	code=$?
	sed 's/^/# /' "$tmp/err"
	[ "$code" -eq "$want" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
		grep -q '^uniprof-report: ' "$tmp/err" && grep -qF -- "$text" "$tmp/err"
	ok $? "$name"
}

# prints NAME TEXT COMMAND...: exactly TEXT, and succeeds. It runs where the test is, not in $tmp.
prints() {
	local name=$1 text=$2 code
	shift 2
	"$@" >out 2>err </dev/null
	code=$?
	sed 's/^/# /' err
	[ "$(cat out)" = "$text" ] || diff <(echo "$text") out | sed 's/^/# /'
	[ $code -eq 0 ] && [ "$(cat out)" = "$text" ]
	ok $? "$name"
}

address() { # address FILE SYMBOL [OFFSET]: hexadecimal
	printf '%x' $((0x$(nm "$1" | awk -v name="$2" '$3 == name {print $1}') + ${3:-0}))
}

# counted COMMAND...: its exit status; $instructions: how many instructions all its threads have executed. Neither the
# machine nor its load matters.
counted() {
	local code
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$tmp/counted" "$@"
	code=$?
	instructions=$(sed -n 's/.* I *refs: *//p' "$tmp/counted" | tr -d ,)
	return $code
}
needs_valgrind() {
	command -v valgrind >/dev/null || { echo '1..0 # SKIP there is no valgrind'; exit; }
}

# views [NAME...]: every view of --help but these and --top, which needs a terminal, an option a line; where it takes an expression, one that all matches.
views() {
	local but="^(top|$(IFS='|'; echo "$*"))( |\$)"
	"$report" --help | sed -n '/^Views:/,/^$/ { s/^ *--\([a-z-]*\) RE .*/\1 ./p; t; s/^ *--\([a-z-]*\) .*/\1/p }' | grep -vE "$but"
}

cp "$here/report.syms" "$tmp/syms"
cp "$here/kallsyms" "$tmp/kallsyms"
