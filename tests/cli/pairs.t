#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# A thousand pairs of traces, drawn at random, of simulated guests: of different rates, overlapping or not, throttled, with
# missed deadlines and losses. Merged, the shares of time are the true ones within the error that --csv states.
# SEED=N draws others.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

my $here = $0 =~ s{/[^/]*$}{}r;
my $build = $ENV{BUILD} || "$here/../../build";
my ($seed, $count) = ($ENV{SEED} || 1, $ENV{COUNT} || 1000);
my $dir = tempdir(CLEANUP => 1);

alarm 3000; # nothing hangs
note("SEED=$seed");
system("$build/tests/tools/pairs", $seed, $count, $dir) == 0 or BAIL_OUT('pairs');
open my $truths, '<', "$dir/truth" or BAIL_OUT("truth: $!");

# {function => [share, error]}, in percent.
sub merged {
	my ($n) = @_;
	my %shares;

	open my $csv, '-|', "$build/uniprof-report", '-q', '--csv', '-s', "$here/report.syms", "$dir/$n-a.upf", "$dir/$n-b.upf" or die;
	while (<$csv>) {
		my ($name, undef, $share, undef, undef, $error) = split /,/;

		$shares{$name =~ tr/"//dr} = [$share, $error];
	}
	close $csv or die "pair $n: exit status " . ($? >> 8) . "\n";
	return \%shares;
}

# What all samples weigh together, in ns.
sub weight {
	my ($n) = @_;
	my $json = qx('$build/uniprof-report' -q --json --state all '$dir/$n-a.upf' '$dir/$n-b.upf');
	my ($hz) = $json =~ /"rate_hz":([\d.]+)/;
	my ($unit, $total) = $json =~ /"weight":"(\w+)","total":(\d+)/;

	return $unit eq 'time_ns' ? $total : $total * 1e9 / $hz;
}

# By kind of pair: rows, those that are off by more than the error, and by more than twice as much, and the sum of all.
my (%rows, %off, %far, %sum, %pairs, %times, %squares);
my @worst;

while (<$truths>) {
	my ($n, $kind, $wall, @want) = split;
	my $got = merged($n);

	if ($kind !~ /lossy/) {
		my $times = weight($n) / $wall;

		$pairs{$kind}++;
		$times{$kind} += $times;
		$squares{$kind} += ($times - 1) ** 2;
	}

	for my $f (0 .. 2) {
		my ($share, $error) = @{$got->{(qw(main work leaf))[$f]} // [0, undef]};

		$error //= 100; # was not met at all
		my $off = ($share - 100 * $want[$f]) / $error;
		$_->{$kind}++, $_->{all}++ for \%rows;
		$_->{$kind} += $off, $_->{all} += $off for \%sum;
		$_->{$kind} += abs($off) > 1, $_->{all} += abs($off) > 1 for \%off;
		$_->{$kind} += abs($off) > 2, $_->{all} += abs($off) > 2 for \%far;
		push @worst, sprintf('pair %d, %s: %s %.2f +- %.2f, not %.2f', $n, $kind, (qw(main work leaf))[$f], $share, $error, 100 * $want[$f])
			if abs($off) > 2;
	}
}
cmp_ok($rows{all}, '==', 3 * $count, "$count pairs");
for my $kind (sort keys %rows) {
	cmp_ok($off{$kind}, '<=', 0.05 * $rows{$kind}, "$kind: of $rows{$kind} shares, 95 % are within the error: $off{$kind} are not");
}
for my $kind (grep { $_ ne 'all' } sort keys %rows) {
	cmp_ok(abs($sum{$kind} / $rows{$kind}), '<', 0.05, "$kind: as many shares are too large as too small");
	next if $kind =~ /lossy/; # the time of lost samples is not there
	my ($mean, $rms) = ($times{$kind} / $pairs{$kind}, sqrt($squares{$kind} / $pairs{$kind}));

	cmp_ok(abs($mean - 1), '<', 0.002, sprintf '%s: all samples weigh the time of all vCPUs, %.4f of it', $kind, $mean);
	cmp_ok($rms, '<', 0.01, sprintf '%s: and differ from it by %.2f %%', $kind, 100 * $rms);
}
cmp_ok($far{all}, '<=', 0.001 * $rows{all}, "hardly any is off by more than twice the error: $far{all}") or diag(join "\n", @worst);

# Two runs of guests that have not changed: no more changes are significant than the 5 % that chance makes.
my ($changes, $significant) = (0, 0);

system("$build/tests/tools/pairs", $seed, $count / 5, $dir, 'unchanged') == 0 or BAIL_OUT('pairs unchanged');
for my $n (0 .. $count / 5 - 1) {
	for (split /\r\n/, qx('$build/uniprof-report' -q --csv -s '$here/report.syms' --diff '$dir/$n-a.upf' '$dir/$n-b.upf')) {
		my ($name, $share, $old, $error) = (split /,/)[0, 2, 8, 11];

		next if $name !~ /^"(?:main|work|leaf)"/;
		$changes++;
		$significant += abs($share - $old) > $error;
	}
}
cmp_ok($significant, '<=', 0.05 * $changes, "of $changes changes by chance alone, $significant are significant");
done_testing;
