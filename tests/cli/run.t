#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/run itself: what passes, fails, is unsteady, takes too long or uses too much, on tests and suites of its own.
set -u
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$tests/tap.sh"
unset MAKEFLAGS MAKELEVEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
export BUILD=$work/build SUITES=$work/suites
mkdir -p tests/kvm

# program NAME LINE...: a test.
program() {
	printf '%s\n' '#!/bin/bash' "${@:2}" > "$1"
	chmod +x "$1"
}
# fails_once NAME LINE...: it fails when it runs for the first time.
fails_once() {
	program "$1" "[ -e '$work/$1.ran' ] && echo 'ok 1 - x' || echo 'not ok 1 - x'" "touch '$work/$1.ran'" 'echo 1..1' "${@:2}"
}
program passes.t 'echo "ok 1 - x"' 'echo "ok 2 # SKIP no y here"' 'echo 1..2'
program fails.t 'echo "ok 1 - x"' 'echo "not ok 2 - the second"' 'echo "# because of z"' 'echo "ok 3 - w"' 'echo 1..3'
program dies.t 'echo "ok 1 - x"' 'exit 3'
fails_once unsteady.t
fails_once tests/kvm/excused.t '# unsteady: interrupts of this host get lost'
fails_once tests/kvm/unexcused.t
program waits.t "echo \$\$ > '$work/waits.pid'" 'exec sleep 600'
printf '%s\n' "import test from 'node:test';" "test('one', () => {});" "test('two', () => { throw new Error('three'); });" > node.test.mjs
cat > suites <<-END
	# a comment
	good  check  100  $work/passes.t $work/passes.t
	late  rest   100  $work/passes.t
	slow  style  100  $work/waits.t
	dear  rest   0.001  $work/passes.t
END

# runs STATUS OPTION...: tests/run with them ends with this status.
runs() {
	"$tests/run" -j 2 "${@:2}" > out 2>&1 < /dev/null
	[ $? = "$1" ] || { cat out; return 1; }
}
said() { # PATTERN...
	local pattern

	for pattern; do grep -qE "$pattern" out || { echo "no line: $pattern"; cat out; return 1; }; done
}
not() {
	! "$@"
}
silent() { # PATTERN
	! grep -E "$1" out
}
ok "a test that passes" runs 0 "$work/passes.t"
ok "... is counted, with what it skips" said '^passed .*passes.t: 2 tests' '^all +2 +0 +1 ' '^1 passed, 0 failed, 1 skipped$'
ok "a test that fails" runs 1 "$work/fails.t" "$work/passes.t"
ok "... twice" said '^FAILED .*fails.t: 3 tests, 1 failed' '^failed twice: .*fails.t$' '^3 passed, 1 failed, 1 skipped$'
ok "... is shown with its reason" said 'not ok 2 - the second' '# because of z'
ok "... and no more than that" silent 'ok 3 - w'
ok "one that ends in the middle" runs 1 "$work/dies.t"
ok "... counts as failed" said '^failed twice' '^all +1 +1 '
ok "a failed test of node's" runs 1 "$work/node.test.mjs"
ok "... is counted" said 'node.test.mjs: 2 tests, 1 failed' 'Error: three'
ok "one that fails, and passes when it runs alone" runs 1 "$work/unsteady.t"
ok "... is unsteady" said '^unsteady: .*unsteady.t'
ok "on a real KVM with a reason" runs 0 "$work/tests/kvm/excused.t"
ok "... that may be, and the reason is told" said '^passed the second time, alone: .*excused.t: interrupts of this host get lost$'
ok "... without one it may not" runs 1 "$work/tests/kvm/unexcused.t"
ok "a suite" runs 0 good
ok "... has a line" said '^good +4 +0 +2 .* 100$'
ok "all of one size" runs 1 rest
ok "... and one that used more CPU time than it may" said '^dear .* over its budget$' '^late .* 100$'
ok "what does not exist" runs 2 nothing
ok "... is told" said '^tests/run: nothing: no such suite, size or file; tests/suites lists them$'
ok "a test that goes on when the time is up" runs 0 -u 8 slow
ok "... is ended before that returns" not kill -0 "$(cat waits.pid)"
ok "... and listed" said '^not run: .*waits.t$' '^0 passed, 0 failed'
# The time is up at once.
ok "no time left for the rest" runs 0 -u 0 late
ok "... that is listed" said '^not run: .*passes.t$'
ok "... nor for what a change needs" runs 1 -u 0 good
interrupted() {
	local waits

	rm -f waits.pid
	"$tests/run" "$work/waits.t" > out 2>&1 < /dev/null &
	await [ -s waits.pid ] || return
	waits=$(cat waits.pid)
	"$tests/run" "$work/passes.t" 2> err
	[ $? = 2 ] && grep -q '^tests/run: other tests run in ' err || return
	kill -TERM $!
	wait $!
	[ $? = 130 ] && ! kill -0 "$waits"
}
ok "beside another one it refuses to run; ended by a signal it leaves nothing" interrupted

done_testing
