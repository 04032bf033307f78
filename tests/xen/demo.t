#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What make demo shows: lines of text, the profile that is promised, and commands that work where they are said to work.
set -u
. "$(dirname "$0")/tap.sh"
cd "$xen/../.." || exit

shown=$work/shown
run() {
	"$xen/demo" > "$shown" 2>&1 || { cat "$shown"; return 1; }
}
ok "runs to its end" run
plain() {
	! LC_ALL=C grep -n $'[\x01-\x08\x0b-\x1f]' "$shown" | cat -v | grep .
}
ok "no escape codes, and no line drawn over another" plain
# Those that need no emulated machine.
repeated() {
	grep '^\$ .*uniprof-report' "$shown" | sed 's/^\$ //' > "$work/commands"
	[ "$(wc -l < "$work/commands")" -ge 4 ] || return 1
	while read -r command; do
		sh -c "$command" > /dev/null || { echo "$command"; return 1; }
	done < "$work/commands"
}
ok "its commands can be repeated in this folder" repeated
ok "the guest's shares are what they should be" shares "$build/demo/run.upf" levels

done_testing
