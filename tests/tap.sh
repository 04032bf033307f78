# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# TAP for prove, of tests that are shell functions.
number=0

# ok NAME COMMAND...: passes if the command does; what it prints is shown where it does not.
ok() {
	local name=$1 said

	shift
	number=$((number + 1))
	if said=$("$@" 2>&1); then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		printf '%s\n' "$said" | sed 's/^/# /'
	fi
}

done_testing() {
	echo "1..$number"
}
