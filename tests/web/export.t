#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# speedscope's own page, as its npm package has it, opens what it can of the files for other programs, and shows the flat
# profile's figures. tests/cli/export.t has the other readers.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Cwd qw(abs_path);
use File::Temp;
use Test::More;

my $build = abs_path($ENV{BUILD} || "$FindBin::Bin/../../build");
my $dir = File::Temp->newdir;

system("$FindBin::Bin/../readers/fetch", "$build/readers") == 0 or BAIL_OUT('the readers are not there');
system("'$build/tests/tools/mktrace' web >'$dir/web.upf'") == 0 or BAIL_OUT('mktrace web');

sub export {
	my ($format, $name, @arguments) = @_;

	system("$build/uniprof-report", '-q', "--$format", '-s', "$FindBin::Bin/web.syms", '-o', "$dir/$name", @arguments, "$dir/web.upf") == 0
		or BAIL_OUT("--$format");
	return "$dir/$name";
}

my $browser = Browser->new(width => 1400, height => 1000);

# Opens it and shows the sandwich view, a table of functions: the page's text.
sub shown {
	my ($file) = @_;

	$browser->open_file("$build/readers/node_modules/speedscope/dist/release/index.html");
	$browser->wait_for('document.querySelector("input[type=file]")', 20);
	$browser->type('input[type=file]', $file);
	$browser->wait_for('document.body.innerText.includes("Sandwich")', 20);
	$browser->keys('3');
	$browser->wait_for('document.body.innerText.includes("Symbol Name")', 20);
	return $browser->script('return document.body.innerText');
}

my $text = shown(export('speedscope', 'run.speedscope.json', '--vcpu', '0'));
like($text, qr/web1 vCPU 0/, 'speedscope: a profile of the vCPU');
like($text, qr/uk_boot/, 'and its functions');
diag($text);
for (['perf-script', 'perf.txt'], ['callgrind', 'callgrind.out'], ['pprof', 'run.pb.gz'], ['folded', 'run.folded']) {
	my ($format, $name) = @$_;

	diag(shown(export($format, $name)));
}
is_deeply([$browser->complaints], [], 'nothing to complain about');
done_testing;
