#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What make demo-kvm shows: commands that can be repeated, without an option that overrides a check.
set -u
# shellcheck source=tests/kvm/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$kvm/../.." || exit

shown=$work/shown
reports() {
	sed -n 's/^\$ \(.*uniprof-report .*\)/\1/p' "$shown"
}
run() {
	"$kvm/demo" > "$shown" 2>&1 || { cat "$shown"; return 1; }
}
ok "runs to its end" run
repeated() {
	local command

	[ "$(reports | wc -l)" -ge 3 ] && while read -r command; do
		sh -c "$command" > /dev/null || { echo "$command"; return 1; }
	done < <(reports)
}
ok "its commands can be repeated in this folder" repeated
checked() {
	! grep -nE '^\$ .* (-f|--force)( |$)' "$shown"
}
ok "none of them overrides a check" checked
done_testing
