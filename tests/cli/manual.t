#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The manual pages and --help know the same options, and the programs take what the pages have.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
docs=$here/../../docs

# Options of --help, short and long, a line each.
helped() {
	"$1" --help | perl -ne 'print map { "$_\n" } grep { defined } $1, $2 if /^ +(?:(-\w), )? *(--[a-z][\w-]*)/' | sort -u
}

# Options a manual page describes: those of its list items.
described() {
	perl -ne '
		next unless s/^\.It (?=Fl )//;
		my $flag = 0;
		for (split) {
			if ($_ eq "Fl") { $flag = 1 }
			elsif ($_ eq ",") { next }
			elsif (/^[A-Z][a-z]$/) { $flag = 0 }
			elsif ($flag) { print "-$_\n" }
		}' "$1" | sort -u
}

# Is it an option of the program, if one that --help does not show?
taken() {
	! "$1" "$2" 2>&1 </dev/null | grep -qiE 'unknown option|invalid option|unrecognized'
}

for program in uniprof-record-sim uniprof-report; do
	page=$docs/${program%-sim}.1
	program=$build/$program
	helped "$program" >"$tmp/help"
	described "$page" >"$tmp/page"
	[ "$(wc -l <"$tmp/help")" -gt 20 ] && [ "$(wc -l <"$tmp/page")" -gt 20 ]
	ok $? "${page##*/}: options found in both"
	missing=$(comm -23 "$tmp/help" "$tmp/page")
	[ -z "$missing" ] || printf '# not in the page: %s\n' $missing
	[ -z "$missing" ]
	ok $? "${page##*/}: describes every option of --help"
	(
		cd "$tmp" || exit 1
		code=0
		for option in $(comm -13 help page); do
			taken "$program" "$option" || { echo "# no such option: $option"; code=1; }
		done
		exit $code
	)
	ok $? "${page##*/}: describes no other option"
done
done_testing
