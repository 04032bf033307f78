#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Every view and every file for other programs has the same figures: what all samples weigh, and each function by itself and
# with what it called, by time, samples and CPU time. The yardstick is --csv; that of --csv is what was written to the traces.
# Traces are difficult on purpose: idle samples with CPU time, missed deadlines, losses, throttling, several vCPUs, guests
# and rates, recursion, inlined functions, stacks without frames, user mode.
use strict;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Formats;
use List::Util qw(sum0);
use Test::More;

my $seed = $ENV{SEED} || 20;

# --- traces -----------------------------------------------------------------------------------------------------------

# Numbers that are the same on every machine.
sub random { my ($below) = @_; $seed = ($seed * 1103515245 + 12345) & 0x7fffffff; return ($seed >> 8) % $below }

# Stacks, leaf first: inlined in work, called, recursive, recursive and inlined, idle, no name, no frame.
my @stacks = map { [map { $at{$_} // $_ } @$_] } [qw(here back)], [qw(in_leaf from_work back)], [qw(again again back)],
	[qw(here again again back)], [qw(in_leaf from_work again back)], [qw(in_idle idled)], [qw(77777 back)], [];

my @leaves = (qw(inner leaf work inner leaf idle 0x77777), '[no stack]');

# What each trace holds: {trace}{weight}{leaf}.
my %truth;

# The samples of a round, again with those of @last. A vCPU that is idle leaves its CPU time to its next sample.
sub weigh {
	my ($truth, $waiting, $periods, @samples) = @_;

	for my $s (@samples) {
		$waiting->{$s->{vcpu}} += $s->{cpu};
		next if $s->{state} == 2 || $s->{state} == 3;
		$truth->{time}{$s->{leaf}} += $periods;
		$truth->{samples}{$s->{leaf}}++;
		$truth->{cpu}{$s->{leaf}} += 1000 * delete $waiting->{$s->{vcpu}};
	}
}

sub new_sample {
	my ($vcpu) = @_;
	my $state = (0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4)[random(11)]; # running, runnable, blocked, offline, in the VMM
	my $cpu = $state == 0 ? 1000 + random(9000) : random(3) ? 0 : random(5000);
	my $stack = $state == 2 || $state == 3 ? 5 : random(scalar @stacks);
	my $user = @{$stacks[$stack]} && random(10) == 0 ? 1 : 0;
	my $exit = ($state == 0 || $state == 4) && random(4) == 0 ? 1 + random(12) : 0;

	# Of a program, frames without a name are left out.
	my $leaf = $user && $stack == 6 ? '_start' : $leaves[$stack];
	# What the host did is known of every other one that left.
	my $host = $exit && random(2) ? random(3) : undef;
	if ($exit && @{$stacks[$stack]}) {
		$leaf = $state ? '[VMM]' : '[host]';
		$leaf = ('serve [host:kvm]', '[unknown] [VMM:vmm]', 'serve [host:kvm]')[$host] if defined $host;
	}
	$exit .= ":$host" if defined $host;
	return {vcpu => $vcpu, state => $state, cpu => $cpu, leaf => $leaf,
		line => "sample $vcpu $state $cpu $user $exit @{$stacks[$stack]}" =~ s/ $//r . "\n"};
}

# @guests: how many vCPUs each has. @rounds periods, of which those after the middle are throttled to a quarter.
sub difficult {
	my ($name, $mhz, $start_ms, $host, $rounds, @guests) = @_;
	my $text = "rate $mhz $start_ms $host\n";
	my $period_us = 1e9 / $mhz;
	my @known; # guests whose last round is in this block
	my (@last, @at, @waiting); # of each guest: its last round, the period of that, and CPU time that waits
	my (@lost, @stride); # what is before the next round is lost; periods between the last two rounds of this block

	$text .= "guest $host-$_ " . (3 + $_) . " $guests[$_] " . (1 + $_ + $start_ms % 200) . "\n" for 0 .. $#guests;
	$text .= "begin\n";
	for my $k (0 .. $rounds - 1) {
		my $throttled = $k > $rounds / 2 && $k < $rounds * 0.8;

		$text .= 'at ' . int($k * $period_us + random(int $period_us)) . "\n";
		for my $g (0 .. $#guests) {
			my $chance = random(100);

			$text .= "throttle $g " . int($mhz / 4) . "\n" if $k == int($rounds / 2) + 1;
			next if $throttled && $k % 4;
			if ($chance < 5) {
				$text .= "late $g 1\n";
				next;
			} elsif ($chance < 7) {
				$text .= "lost $g $guests[$g]\n";
				$lost[$g] = 1;
				next;
			}
			if ($chance < 17 && $known[$g]) {
				$text .= "same $g\n";
				$_->{cpu} = 0 for @{$last[$g]};
			} else {
				$last[$g] = [map { new_sample($_) } 0 .. $guests[$g] - 1];
				$text .= join '', map({ $_->{line} } @{$last[$g]}), "round $g\n";
			}
			my $gap = defined $at[$g] ? $k - $at[$g] : 1;
			my $periods = !$lost[$g] || $gap < ($stride[$g] || 1) ? $gap : $stride[$g] || 1;

			weigh($truth{"$name.upf"} //= {}, $waiting[$g] //= {}, $periods, @{$last[$g]});
			$stride[$g] = $known[$g] ? $periods : 0;
			$known[$g] = 1;
			$at[$g] = $k;
			$lost[$g] = 0;
		}
		if ($k % 37 == 36) {
			$text .= "block\n";
			@known = ();
		}
	}
	trace("$name.upf", 'timed', $text);
}

difficult('one', 100000, 0, 'hosta', 300, 1);
difficult('two', 99500, 0, 'hosta', 300, 3, 2);
difficult('other', 31000, 1500, 'hostb', 100, 2);

# --- what the views say -----------------------------------------------------------------------------------------------

# What a table has as a weight: a number, or a time, which is rounded. In the unit, and how much it may be off.
sub amount {
	my ($text) = @_;
	my %scale = (ns => 1, us => 1e3, "\xc2\xb5s" => 1e3, ms => 1e6, s => 1e9);
	my ($number, $decimals, $scale) = $text =~ /^([\d,]+(?:\.(\d+))?)(?: (\S+))?$/ or die "no weight: '$text'\n";

	$number =~ tr/,//d;
	return [$number, 0] if !defined $scale;
	return [$number * $scale{$scale}, 0.501 * $scale{$scale} / 10 ** length($decimals // '')];
}

$from{flat} = sub {
	my %sums;

	for (split /\n/, report('--flat', @_)) {
		my ($self, $total, $name) = /^ *[\d.]+% +(\S+(?: \S+)?)  +[\d.]+% +(\S+(?: \S+)?)  (\S.*)$/ or next;
		$name = '0x77777' if $name eq '[unknown]'; # the row of all addresses without a name: here there is one
		$sums{$name} = [amount($self), amount($total)];
	}
	return \%sums;
};

# A tree's lines as stacks with their own weights: what a line has beyond those below it. The parts of a time are rounded.
sub tree_sums {
	my ($shares, @arguments) = @_;
	my (%sums, @path);

	for (split /\n/, report('--tree', '--percent-limit', '0', @arguments)) {
		my ($weight, $indent, $name) = /^(?: *[\d.]+%){$shares} +(\S+(?: \S+)?)    ( *)(\S.*)$/ or next;
		my $depth = length($indent) / 2;

		next if $name eq 'Function';
		$#path = $depth - 1;
		push @path, {name => $name, weight => amount($weight)};
		push @{$sums{all}}, {%{$path[-1]}, path => [map { $_->{name} } @path]};
	}
	return @{$sums{all} // []};
}

$from{tree} = sub {
	my %sums;

	for my $node (tree_sums(2, @_)) {
		my ($name, @above) = reverse @{$node->{path}};

		$sums{$name}[0] //= undef; # --tree has it as a share alone
		next if grep { $_ eq $name } @above;
		$sums{$name}[1][$_] += $node->{weight}[$_] for 0, 1;
	}
	return \%sums;
};

$from{'bottom-up'} = sub {
	my %sums;

	for my $node (tree_sums(1, '--bottom-up', @_)) {
		my @code = grep { my $name = $_; !grep { $_ eq $name } @domains, '[user]' } @{$node->{path}};

		$sums{$node->{name}}[0][$_] += $node->{weight}[$_] for grep { @code == 1 && $code[0] eq $node->{name} } 0, 1;
	}
	return \%sums;
};

$from{peek} = sub {
	my (%sums, $name);

	for (split /\n/, report('--peek', '.', @_)) {
		my ($weight, $indent, $of) = /^ *[\d.]+% +(\S+(?: \S+)?)  ( *)(\S.*)$/ or next;

		$sums{$name = $of} = [undef, amount($weight)] if $indent eq '';
		$sums{$name}[0] = amount($weight) if $of eq 'itself' && $indent ne '';
	}
	return \%sums;
};

sub folded {
	my %sums;

	/^(.*) (\d+)$/ and add_stack(\%sums, $2, split /;/, $1) for split /\n/, report('--folded', @_);
	return \%sums;
}
$from{folded} = \&folded;

# The data of a page, and the weight of each of its stacks.
sub page_sums {
	my ($data, @weights) = @_;
	my (%sums, @names, @node);
	my @at = ([]);

	for my $i (0 .. $#{$data->{up}}) { # node i + 1
		my @path = @{$at[$i]};

		splice @path, @path - $data->{up}[$i] if $data->{up}[$i];
		push @path, $data->{names}[$data->{name}[$i]];
		push @at, \@path;
	}
	my $node = 0;
	for my $i (0 .. $#{$data->{stacks}{node}}) {
		$node += $data->{stacks}{node}[$i];
		add_stack(\%sums, $weights[$i], @{$at[$node]});
	}
	return \%sums;
}

sub page_data { report(@_) =~ m{<script type="application/json" id="data">(.*?)</script>}s or die "no data\n"; return decode($1) }

$from{flamegraph} = sub {
	my $data = page_data('--flamegraph', @_);

	return page_sums($data, @{$data->{stacks}{weight}});
};

$from{heatmap} = sub {
	my $data = page_data('--heatmap', @_);
	my @weights = (0) x @{$data->{stacks}{node}};

	$weights[$data->{heat}{stack}[$_]] += $data->{heat}{weight}[$_] for 0 .. $#{$data->{heat}{stack}};
	return page_sums($data, @weights);
};

# Boxes, each on the one that is below and as wide: widths are shares of the root's.
$from{svg} = sub {
	my (%sums, @boxes);

	for (split /\n/, report('--svg', @_)) {
		my ($name, $x, $y, $width) = m{^<g><title>(.*): [^:]*</title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"} or next;

		$width = $width > 1.5 ? $width + 0.5 : $width / 3 * 4;
		push @boxes, {name => $name =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr, x => $x, y => $y, width => $width, inner => 0};
	}
	my ($root) = grep { $_->{name} eq 'all' } @boxes or die "no root\n";
	for my $box (@boxes) {
		($box->{below}) = grep { $_->{y} == $box->{y} + 18 && $_->{x} <= $box->{x} + 0.01 && $_->{x} + $_->{width} >= $box->{x} + $box->{width} - 0.6 } @boxes;
		$box->{below}{inner} += $box->{width} if $box->{below};
	}
	for my $box (grep { $_ != $root } @boxes) {
		my $repeated = 0;

		for (my $at = $box->{below}; $at; $at = $at->{below}) {
			$repeated = 1 if $at->{name} eq $box->{name};
		}
		$sums{$box->{name}}[0] += ($box->{width} - $box->{inner}) / $root->{width};
		$sums{$box->{name}}[1] += $box->{width} / $root->{width} if !$repeated;
	}
	return \%sums;
};

# --- protocol buffers -------------------------------------------------------------------------------------------------

# The fields of a message: [number, value or bytes].
sub fields {
	my ($bytes) = @_;
	my ($at, @fields) = (0);
	my $varint = sub {
		my ($n, $shift) = (0, 0);

		for (;; $shift += 7) {
			my $byte = ord substr $bytes, $at++, 1;
			$n |= ($byte & 0x7f) << $shift;
			return $n if $byte < 0x80;
		}
	};

	while ($at < length $bytes) {
		my $key = $varint->();
		my $n = $varint->();

		die "wire type\n" if ($key & 7) != 0 && ($key & 7) != 2;
		push @fields, [$key >> 3, ($key & 7) == 0 ? $n : substr $bytes, $at, $n];
		$at += $n if ($key & 7) == 2;
	}
	return @fields;
}

sub varints {
	my ($bytes) = @_;

	return map { my ($n, $shift) = (0, 0); $n |= (ord($_) & 0x7f) << $shift, $shift += 7 for split //, $_; $n }
		$bytes =~ /([\x80-\xff]*[\x00-\x7f])/sg;
}

$from{pprof} = sub {
	my @profile = fields(ungzip(report('--pprof', @_)));
	my @strings = map { $_->[1] } grep { $_->[0] == 6 } @profile;
	my @types = map { my %type = map { @$_ } fields($_->[1]); $strings[$type{1}] } grep { $_->[0] == 1 } @profile;
	my ($default) = map { $strings[$_->[1]] } grep { $_->[0] == 14 } @profile;
	my ($column) = grep { $types[$_] eq $default } 0 .. $#types;
	my (%function, %location, %sums);

	for (grep { $_->[0] == 5 } @profile) {
		my %of = map { @$_ } fields($_->[1]);
		$function{$of{1}} = $strings[$of{2}];
	}
	for (grep { $_->[0] == 4 } @profile) {
		my @of = fields($_->[1]);
		my ($id) = map { $_->[1] } grep { $_->[0] == 1 } @of;
		$location{$id} = [reverse map { my %line = map { @$_ } fields($_->[1]); $function{$line{1}} } grep { $_->[0] == 4 } @of];
	}
	for (grep { $_->[0] == 2 } @profile) {
		my @of = fields($_->[1]);
		my ($ids, $values) = map { my $n = $_; map { $_->[1] } grep { $_->[0] == $n } @of } 1, 2;
		my $one = $default eq 'time' && $unit eq 'periods' ? $period_ns : 1;

		add_stack(\%sums, (varints($values))[$column] / $one, map { @{$location{$_}} } reverse varints($ids // ''));
	}
	return \%sums;
};

# Inclusive cost is that of calls, and of what calls itself again, which is another function.
$from{callgrind} = sub {
	my (%sums, %name, $fn, $called);

	for (split /\n/, report('--callgrind', @_)) {
		if (/^(c?)fn=\((\d+)\)(?: (.*))?$/) {
			$name{$2} //= $3;
			($1 ? $called : $fn) = $name{$2};
		} elsif (/^\d+ (\d+)/) {
			$sums{$called // $fn}[defined $called ? 1 : 0] += $1;
			$sums{$fn}[2] += $1 if !defined $called;
			undef $called;
		} elsif (/^summary: (\d+)/) {
			$sums{summary} = [$1, $1];
		}
	}
	my $one = $unit eq 'periods' ? $period_ns : 1;
	my $summary = delete $sums{summary};
	for my $again (grep { /'2$/ } keys %sums) {
		my $own = (delete $sums{$again})->[0] // 0;

		$sums{$again =~ s/'2$//r}[0] += $own;
	}
	my %all = map { $_ => [($sums{$_}[0] // 0) / $one, ($sums{$_}[1] // 0) / $one] } keys %sums;
	is(sum0(map { $_->[0] } values %all), $summary->[0] / $one, "callgrind: its summary is what all is, @_");
	delete @all{@domains, grep { !$all{$_}[1] } keys %all};
	return \%all;
};

# Percent, and the lines of a function add up to its own.
$from{annotate} = sub {
	my (%sums, $name, $own, $lines);

	for (split /\n/, report('--annotate', '.', @_)) {
		if (/^([\d.]+)% total, ([\d.]+)% self: (.*)$/) {
			($name, $own, $lines) = ($3, $2, 0);
			$sums{$name} = [$2 / 100, $1 / 100];
		} elsif (defined $name && /^ *[\d.]+% +([\d.]+)% /) {
			$sums{$name}[2] += $1 / 100;
		}
	}
	return \%sums;
};

# --- comparing --------------------------------------------------------------------------------------------------------

# What is there, and all that should be.
my %lacks = (tree => [0], 'bottom-up' => [1]); # --tree has Self as a share alone, --bottom-up no Total
my %share = map { $_ => 1 } qw(svg annotate);
my %off = (svg => 0.002, annotate => 0.000501);
my @without_domains = qw(json pprof firefox speedscope perf-script callgrind annotate bottom-up);

sub differs {
	my ($view, $want, $got, $whole) = @_;
	my @wrong;

	for my $name (sort keys %$want) {
		for my $i (0, 1) {
			next if grep { $_ == $i } @{$lacks{$view} // []};
			my ($is, $off) = map { ref $_ ? @$_ : ($_ // 0, 0) } $got->{$name}[$i];
			my $should = $want->{$name}[$i];

			($should, $off) = ($whole ? $should / $whole : 0, $off{$view}) if $share{$view};
			push @wrong, "$name: " . qw(self total)[$i] . " $is, not $should" if abs($is - $should) > $off + 1e-6 * $should;
		}
	}
	push @wrong, map { "$_ is not in --csv" } grep { !$want->{$_} && ($got->{$_}[1] // $got->{$_}[0]) } sort keys %$got;
	return @wrong;
}

sub agree {
	my ($what, @arguments) = @_;
	my $json = learn_units(@arguments);
	my @wrong;
	my $want = $from{csv}->(@arguments);
	my $whole = $json->{totals}{total};
	my %code = %$want;
	delete @code{@domains};
	is(sum0(map { $_->[0] } values %$want), $whole, "$what, $unit: csv adds up to the total");
	for my $view (sort keys %from) {
		my %want = (grep { $_ eq $view } @without_domains) ? %code : %$want;
		my $got = eval { $from{$view}->(@arguments) };

		if (!$got) {
			push @wrong, "$view: $@";
			next;
		}
		delete @want{grep { !/^\w+$/ } keys %want} if $view eq 'annotate'; # code alone
		push @wrong, map { "$view: $_" } differs($view, \%want, $got, $whole);
	}
	is_deeply(\@wrong, [], "$what, $unit: all views agree") or diag(join "\n", @wrong);
}

# {leaf} of all traces, in the unit.
sub truth {
	my ($weight, @traces) = @_;
	my %sum;

	for my $trace (@traces) {
		my $of = $truth{$trace}{$weight};
		my ($rate) = map { $_->{rate_hz} } @{decode(report('--json', $trace))->{traces}};

		$sum{$_} += $of->{$_} * ($unit eq 'time_ns' ? int(1e12 / ($rate * 1000)) : 1) for keys %$of;
	}
	return \%sum;
}

my @files = ('-s', 'in.elf', '--force');
for my $traces (['one.upf'], ['two.upf'], ['two.upf', 'other.upf']) {
	for my $weight ([], ['--weight', 'samples'], ['--weight', 'cpu']) {
		agree("@$weight @$traces", @$weight, @files, @$traces);
		my $csv = $from{csv}->(@$weight, @files, @$traces);
		my $want = truth($weight->[1] // 'time', @$traces);
		is_deeply({map { $csv->{$_}[0] ? ($_ => $csv->{$_}[0]) : () } keys %$csv}, {map { $want->{$_} ? ($_ => $want->{$_}) : () } keys %$want},
			"@$weight @$traces: what was written");
	}
}
for my $filter (['--time', '0.5,2'], ['--vcpu', '0'], ['--state', 'all'], ['--focus', 'leaf', '--percentage', 'relative'],
	['--hide', 'work', '--percentage', 'relative'], ['--ignore', '^idle$', '--time', '10%,90%', '--percentage', 'relative']) {
	for my $weight ([], ['--weight', 'samples'], ['--weight', 'cpu']) {
		agree("@$filter @$weight", @$filter, @$weight, @files, 'two.upf');
	}
}
agree('--domain of several', '--domain', 'hosta-1,hostb-0', @files, 'two.upf', 'other.upf');
done_testing;
