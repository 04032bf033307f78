#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# The report on a trace that is cut at every byte, and with every byte changed: what is whole is counted, the exit status
# is the documented one, and one line says what is missing. Traces come from the recorder on a simulated hypervisor and
# clock: but for their random number they are always the same.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $build = $ENV{BUILD} or die 'BUILD is set by make check-cli';
my ($record, $report) = ("$build/uniprof-record-sim", "$build/uniprof-report");
my $work = tempdir(CLEANUP => 1);
alarm 3000; # nothing hangs
@ENV{'UNIPROF_SIM_CLOCK', 'UNIPROF_SEED'} = ('free', 1);
my ($UNUSABLE, $DAMAGED) = (3, 4);

sub slurp {
	my ($name) = @_;
	open my $file, '<:raw', $name or die "$name: $!";
	local $/;
	my $bytes = <$file>;
	return $bytes // '';
}

sub spew {
	my ($name, $bytes) = @_;
	open my $file, '>:raw', $name or die "$name: $!";
	print $file $bytes;
	close $file or die "$name: $!";
}

# The exit status, the samples in folded stacks, and the lines on standard error.
sub report {
	my ($name) = @_;
	my $samples = 0;
	open my $out, '-|', "exec $report -q --folded --state all $name 2> $work/err" or die $!;
	while (<$out>) {
		$samples += $1 if / (\d+)$/;
	}
	close $out;
	return ($? >> 8, $samples, [split /\n/, slurp("$work/err")]);
}

# Where blocks begin, and how many samples are in each, as --dump tells them; and where the last one, the footer, begins.
sub blocks {
	my ($name) = @_;
	my @blocks;
	for (qx($report -q --dump $name)) {
		push @blocks, [$1, $2] if /^block (\d+) seq \d+ samples: (\d+) samples/;
		push @blocks, [$1, 0] if /^block (\d+) seq \d+ footer/;
	}
	return @blocks;
}

sub one_line {
	my ($err) = @_;
	return @$err == 1 && $err->[0] =~ /^uniprof-report: /;
}

# What goes wrong with any of many inputs is one failure that names the first of them.
sub all_fine {
	my ($name, $total, $check) = @_;
	for my $at (0 .. $total - 1) {
		my $wrong = $check->($at) or next;
		fail($name);
		diag("at byte $at: $wrong");
		return;
	}
	pass("$name: $total inputs");
}

sub told {
	my ($code, $samples, $err) = @_;
	return "exit status $code, $samples samples, standard error: @$err";
}

sub cut_everywhere {
	my ($name, $bytes, @blocks) = @_;
	all_fine("$name cut at every byte", length $bytes, sub {
		my ($len) = @_;
		spew("$work/cut.upf", substr $bytes, 0, $len);
		my @got = report("$work/cut.upf");
		my $want = 0;
		for my $i (0 .. $#blocks) {
			my $end = $i < $#blocks ? $blocks[$i + 1][0] : length $bytes;
			$want += $blocks[$i][1] if $end <= $len;
		}
		my $code = $len < $blocks[0][0] ? $UNUSABLE : $DAMAGED;
		return if $got[0] == $code && $got[1] == $want && one_line($got[2]);
		return told(@got) . "; should be $code, $want samples, one line";
	});
}

sub change_everywhere {
	my ($name, $bytes, @blocks) = @_;
	my $all = 0;
	$all += $_->[1] for @blocks;
	all_fine("$name with every byte changed", length $bytes, sub {
		my ($at) = @_;
		my $changed = $bytes;
		substr($changed, $at, 1) ^= chr(1 << $at % 8);
		spew("$work/changed.upf", $changed);
		my @got = report("$work/changed.upf");
		my $want = $at < $blocks[0][0] ? 0 : $all;
		for my $i (0 .. $#blocks) {
			my $end = $i < $#blocks ? $blocks[$i + 1][0] : length $bytes;
			$want -= $blocks[$i][1] if $blocks[$i][0] <= $at && $at < $end;
		}
		my $code = $at < $blocks[0][0] ? $UNUSABLE : $DAMAGED;
		return if $got[0] == $code && $got[1] == $want && one_line($got[2]);
		return told(@got) . "; should be $code, $want samples, one line";
	});
}

# A pipe gets a block a second, a file with few samples one in four.
for my $mode ('fp,16', 'dwarf,64') {
	my $trace = "$work/$mode.upf";
	system("$record -q -F 4 -d 2.6 --call-graph $mode -o - busy | cat >$trace") == 0 or die "recording $mode";
	my @blocks = blocks($trace);
	is(join(' ', map { $_->[1] } @blocks), '8 10 2 0', "$mode: three blocks of samples and the footer");
	is((report($trace))[0], 0, "$mode: whole");
	my $bytes = slurp($trace);
	cut_everywhere($mode, $bytes, @blocks);
	change_everywhere($mode, $bytes, @blocks);
}
done_testing;
