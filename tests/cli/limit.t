#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/tap.sh itself: a test that hangs is ended with all that it has started, and cleans up behind itself.
set -u
tap=$(cd "$(dirname "$0")/.." && pwd)/tap.sh
# shellcheck source=tests/tap.sh
. "$tap"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/hangs.t" <<-END
	. '$tap'
	trap 'rm "$work/made"' EXIT
	touch "$work/made"
	tail -f /dev/null | cat &
	ok "it waits" bash -c 'tail -f "$work/made"; true'
	done_testing
END
runs() {
	grep -qzsxF "HANGS=$work" /proc/[0-9]*/environ
}
hangs() {
	HANGS=$work LIMIT=1 bash "$work/hangs.t" 2>&1 | tee "$work/out"
	[ "${PIPESTATUS[0]}" = 143 ] && [ "$(head -n 1 "$work/out")" = "# $work/hangs.t: ended after 1 s, with" ] &&
		grep -q '^# .* tail -f /dev/null$' "$work/out" && ! grep -v '^#' "$work/out"
}
nothing_runs() {
	! runs
}
ok "a test that hangs is ended, and says so" hangs
ok "it has cleaned up" test ! -e "$work/made"
ok "nothing of it runs on" await nothing_runs

done_testing
