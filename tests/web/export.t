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

if (system("$FindBin::Bin/../readers/fetch", "$build/readers") != 0) {
	fail('the readers are there');
	done_testing;
	exit 1;
}
system("'$build/tests/tools/mktrace' web >'$dir/web.upf'") == 0 or BAIL_OUT('mktrace web');

sub export {
	my ($format, $name, @arguments) = @_;

	system("$build/uniprof-report", '-q', "--$format", '-s', "$FindBin::Bin/web.syms", '-o', "$dir/$name", @arguments, "$dir/web.upf") == 0
		or BAIL_OUT("--$format");
	return "$dir/$name";
}

my $browser = Browser->new(width => 1400, height => 1000);

# Opens it and shows the sandwich view, a table of functions: the page's title, and {function => [self, total]}, seconds or samples.
sub shown {
	my ($file) = @_;
	my %unit = ('' => 1, s => 1, ms => 1e-3, "\x{b5}s" => 1e-6, ns => 1e-9);
	my %shown;

	$browser->open_file("$build/readers/node_modules/speedscope/dist/release/index.html");
	$browser->wait_for('document.querySelector("input[type=file]")', 20);
	$browser->type('input[type=file]', $file);
	$browser->wait_for('document.body.innerText.includes("Sandwich")', 20);
	$browser->keys('3');
	$browser->wait_for('document.body.innerText.includes("Symbol Name")', 20);
	my $text = $browser->script('return document.body.innerText');
	while ($text =~ /^([\d.,]+)(\D*) \([^)]*%\)\n\s*([\d.,]+)(\D*) \([^)]*%\)\n\s*(\S.*)$/mg) {
		my ($total, $total_unit, $self, $self_unit, $name) = ($1, $2, $3, $4, $5);

		$shown{$name} = [($self =~ tr/,//dr) * $unit{$self_unit}, ($total =~ tr/,//dr) * $unit{$total_unit}];
	}
	return (($text =~ /Sandwich\n(.*)/)[0], \%shown);
}

# The flat profile, {function => [self, total]}.
sub flat {
	my (@arguments) = @_;
	my %flat;

	open my $from, '-|', "$build/uniprof-report", '-q', '-s', "$FindBin::Bin/web.syms", @arguments, "$dir/web.upf" or die "report: $!";
	while (<$from>) {
		$flat{$3} = [map { tr/,//dr } $1, $2] if /^ *[\d.]+% +([\d,]+) +[\d.]+% +([\d,]+)  (.*)$/;
	}
	return \%flat;
}

my ($title, $shown) = shown(export('speedscope', 'run.speedscope.json', '--vcpu', '0'));
my $flat = flat('--vcpu', '0');
my $period = 1 / 99.5;
is($title, 'web1 vCPU 0', 'speedscope: a profile of the vCPU');
# It shows two digits behind the point, of seconds or milliseconds.
is_deeply([grep { abs($shown->{$_}[0] - $flat->{$_}[0] * $period) + abs($shown->{$_}[1] - $flat->{$_}[1] * $period) > 0.011 } keys %$flat],
	[], 'all ' . keys(%$flat) . ' functions take the flat profile\'s time');
($title) = shown(export('speedscope', 'run.speedscope.json'));
is($title, 'web1 vCPU 0 (1/2)', 'one of two vCPUs');

$flat = flat();
for (['callgrind', 'callgrind.out'], ['pprof', 'run.pb.gz'], ['folded', 'run.folded']) {
	my ($format, $name) = @$_;

	(undef, $shown) = shown(export($format, $name));
	is_deeply({map { $_ => $shown->{$_} } keys %$flat}, $flat, "$format: the flat profile's samples");
}
# Of perf's text it takes times, not samples, and has no end for the last one.
($title, $shown) = shown(export('perf-script', 'perf.txt'));
is($title, 'web1:vcpu0 pid: 3 (1/2)', 'perf-script: a profile of each vCPU');
is_deeply([sort keys %$shown], [sort keys %{flat('--vcpu', '0')}], 'and its functions');
is_deeply([grep { !/WebGL/ } $browser->complaints], [], 'no complaint in all this');
done_testing;
