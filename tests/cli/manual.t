#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The manual pages and --help know the same options, and the programs take what the pages have. Files and functions that
# the tour and other documents name exist.
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

# Names in backquotes: files by path or by name alone, functions as name(). NAME in capitals stands for any.
# shellcheck disable=SC2016
perl -e '
	use File::Find;
	chdir shift or die; my (%path, %file, %word);
	find({no_chdir => 1, wanted => sub {
		if (-d && m{^\./(build|\.git)$}) { $File::Find::prune = 1; return }
		return unless -f && s{^\./}{};
		$path{$_} = 1; $file{$1} = 1 if m{([^/]+)$};
		return unless /\.([ch]|js|mjs)$/ && open my $in, "<", $_;
		local $/; $word{$_} = 1 for <$in> =~ /\b([a-z]\w*)\(/gi;
	}}, ".");
	for my $document ("README.md", "CONTRIBUTING.md", "format/FORMAT.md", glob "docs/*.md") {
		open my $in, "<", $document or die;
		while (<$in>) {
			for (/`([^`]+)`/g) {
				next if /[A-Z]{3}|\*/ || m{^xen/};
				my $gone = m{^([a-z]\w*)\(\)$} ? !$word{$1} : m{^[\w./]+\.([chtS]|m?js|md)$} &&
					!$path{$_} && !($file{m{([^/]+)$} ? $1 : $_} && !m{^(docs|tests|bench|format|record|report)/});
				print "# $document:$.: $_ does not exist\n" if $gone && $_ ne "hashes.h";
			}
		}
	}' "$here/../.." >"$tmp/gone"
cat "$tmp/gone"
[ ! -s "$tmp/gone" ]
ok $? "documents name files and functions that exist"
done_testing
