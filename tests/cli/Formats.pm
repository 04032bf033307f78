# SPDX-License-Identifier: BSD-2-Clause
# What the report writes for other programs, decoded for tests: each format's samples as {function => [self, total]},
# in the unit of its figures. Tests run in a folder of their own, with the image in.elf, whose functions are inlined.
package Formats;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP ();
use List::Util qw(sum0);
use Test::More;

our @EXPORT = qw($here $build $report $mktrace $dir contents write_file output_of report trace ungzip decode %at
	$unit $period_ns @domains learn_units %from add_stack perf_samples);
our ($unit, $period_ns, @domains, %from);
our $here = abs_path(dirname(__FILE__));
our $build = abs_path($ENV{BUILD} || "$here/../../build");
our ($report, $mktrace) = ("$build/uniprof-report", "$build/tests/tools/mktrace");
our $dir = File::Temp->newdir;

alarm 3000; # nothing hangs
$ENV{LC_ALL} = 'C.UTF-8';
chdir $dir or BAIL_OUT("$dir: $!");
END { chdir '/' }

# --- files and programs -----------------------------------------------------------------------------------------------

sub contents {
	my ($path) = @_;

	open my $in, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar(<$in>) // '';
}

sub write_file {
	my ($path, $text) = @_;

	open my $out, '>:raw', $path or die "$path: $!";
	print $out $text;
	close $out or die "$path: $!";
}

# Standard output of a program that has to succeed.
sub output_of {
	open my $from, '-|', @_ or die "$_[0]: $!";
	local $/;
	my $text = <$from> // '';
	close $from or die "@_: exit status " . ($? >> 8) . "\n";
	return $text;
}

sub report { output_of($report, '-q', @_) }

# A trace of that kind, by mktrace's lines.
sub trace {
	my ($name, $kind, $lines) = @_;

	write_file('lines', $lines // '');
	system("'$mktrace' $kind <lines >'$name'") == 0 or BAIL_OUT("mktrace $kind");
	return $name;
}

sub ungzip { my ($packed, $text) = @_; gunzip(\$packed => \$text) or die $GunzipError; return $text }
sub decode { return JSON::PP->new->utf8->decode($_[0]) }

write_file('in.c', <<'END');
int state;
static inline __attribute__((always_inline)) void inner(void)
{
	state += 7;
	__asm__ volatile(".globl here\nhere:\n\tnop");
}
static inline __attribute__((always_inline)) void outer(void)
{
	inner();
}
__attribute__((noinline)) void leaf(void)
{
	state++;
	__asm__ volatile(".globl in_leaf\nin_leaf:\n\tnop");
}
__attribute__((noinline)) void work(int n)
{
	outer();
	leaf();
	__asm__ volatile(".globl from_work\nfrom_work:\n\tnop");
	if (n)
		work(n - 1);
	__asm__ volatile(".globl again\nagain:\n\tnop");
}
__attribute__((noinline)) void idle(void)
{
	__asm__ volatile(".globl in_idle\nin_idle:\n\tnop");
}
void _start(void)
{
	work(2);
	__asm__ volatile(".globl back\nback:\n\tnop");
	idle();
	__asm__ volatile(".globl idled\nidled:\n\tnop");
}
END
my $gcc = 'gcc -g -O1 -fno-optimize-sibling-calls -fcf-protection=none -nostdlib -static -Wl,--build-id=none';
system("$gcc -o in.elf in.c") == 0 or BAIL_OUT('gcc');
our %at = map { reverse /^(\S+) . (\S+)$/ } split /\n/, output_of('nm', 'in.elf');

# --- decoders ---------------------------------------------------------------------------------------------------------

# What --json says of the figures that these arguments give. The decoders below count on it.
sub learn_units {
	my $json = decode(report('--json', @_));

	$unit = $json->{totals}{weight};
	$period_ns = int(1e12 / ($json->{trace}{rate_hz} * 1000));
	@domains = map { $_->{name} } @{$json->{domains}};
	return $json;
}

# Sums up stacks of names, root first.
sub add_stack {
	my ($sums, $weight, @names) = @_;
	my %seen;

	return if !@names || !$weight;
	$sums->{$_}[1] += $weight for grep { !$seen{$_}++ } @names;
	$sums->{$names[-1]}[0] += $weight;
	$_->[0] //= 0 for @$sums{@names};
}

# RFC 4180, one line.
sub csv_fields { map { s/^"(.*)"$/$1/r =~ s/""/"/gr } $_[0] =~ /\G("(?:[^"]|"")*"|[^",]*)(?:,|$)/g }

$from{csv} = sub {
	my ($head, @lines) = split /\r\n/, report('--csv', @_);

	die "no headings: $head\n" if $head ne 'function,self,self_percent,total,total_percent,self_error,total_error';
	return {map { my @fields = csv_fields($_); ($fields[0] => [@fields[1, 3]]) } @lines};
};

# By the grammar in uniprof-report(1), every line; frames are leaf first.
sub perf_samples {
	my ($text) = @_;
	my (@samples, $open, $head);

	for (split /\n/, $text, -1) {
		if (!$open && /^#/) {
			$head++;
		} elsif (!$open && /^([^ ()]+):vcpu(\d+) (\d+)\/(\d+) \[(\d{3,})\] (\d+)\.(\d{6}): (\d+) vcpu-clock:$/) {
			die "vCPU: $_" if $2 != $4 || $2 != $5;
			push @samples, {domain => $1, vcpu => $2, domid => $3, us => $6 * 1e6 + $7, period => $8,
				frames => []};
			$open = 1;
		} elsif ($open && /^\t *([0-9a-f]+) (.+) \(([^ ()]+)\)$/) {
			$samples[-1]{image} = $3;
			push @{$samples[-1]{frames}}, $2 eq '[unknown]' ? "0x$1" : $2 =~ s/\+0x[0-9a-f]+$//r;
		} elsif ($open && $_ eq '') {
			$open = 0;
		} elsif ($_ ne '') {
			die "no line of the grammar: $_\n";
		}
	}
	die "no head\n" if !$head;
	return @samples;
}

$from{'perf-script'} = sub {
	my %sums;

	add_stack(\%sums, $_->{period}, reverse @{$_->{frames}}) for perf_samples(report('--perf-script', @_));
	return \%sums;
};

$from{json} = sub {
	my $json = decode(report('--json', @_));
	my $weight = $json->{totals}{weight};
	my ($key, $one) = $weight eq 'periods' ? ('time_ns', $period_ns) : ($weight, 1);
	my %sums = map { $_->{name} => [@$_{qw(self total)}] } grep { $_->{total} } @{$json->{functions}};
	my @names = map { $json->{functions}[$_->{function}]{name} } @{$json->{frames}};
	my %of_stacks;

	add_stack(\%of_stacks, $_->{$key} / $one, @names[@{$_->{frames}}]) for @{$json->{stacks}};
	delete @sums{grep { !$of_stacks{$_} && !$sums{$_}[0] } keys %sums}; # domains, which are in no stack
	is_deeply(\%of_stacks, \%sums, "json: stacks add up to functions, @_") or diag(explain([\%of_stacks, \%sums]));
	is(sum0(map { $_->[0] } values %sums), $json->{totals}{total}, "json: and to the total, @_");
	return \%sums;
};

# Always nanoseconds: a sample is a period.
$from{speedscope} = sub {
	my $json = decode(report('--speedscope', @_));
	my $one = $unit eq 'samples' || $unit eq 'periods' ? $period_ns : 1;
	my @names = map { $_->{name} } @{$json->{shared}{frames}};
	my %sums;

	for my $p (@{$json->{profiles}}) {
		die "samples and weights differ in number\n" if @{$p->{samples}} != @{$p->{weights}};
		for my $i (0 .. $#{$p->{samples}}) {
			add_stack(\%sums, $p->{weights}[$i] / $one, @names[@{$p->{samples}[$i]}]);
		}
		is($p->{endValue} >= sum0(@{$p->{weights}}), 1, "speedscope: $p->{name} does not end too early, @_");
	}
	return \%sums;
};

# All of a table's columns have its length.
sub check_table {
	my ($name, $table) = @_;

	for (grep { ref $table->{$_} eq 'ARRAY' } keys %$table) {
		die "$name.$_: $#{$table->{$_}} + 1 rows of $table->{length}\n" if @{$table->{$_}} != $table->{length};
	}
}

$from{firefox} = sub {
	my $json = decode(ungzip(report('--firefox', @_)));
	my $s = $json->{shared};
	my %sums;

	check_table($_, $s->{$_}) for qw(stackTable frameTable funcTable resourceTable nativeSymbols sources);
	for my $thread (@{$json->{threads}}) {
		my $samples = $thread->{samples};

		check_table("$thread->{name}.$_", $thread->{$_}) for qw(samples markers);
		for my $i (0 .. $samples->{length} - 1) {
			my $weight = $samples->{weight} ? sprintf('%.0f', $samples->{weight}[$i] * 1e6) : 1;
			my @names;

			my $stacks = $s->{stackTable};

			for (my $stack = $samples->{stack}[$i]; defined $stack; $stack = $stacks->{prefix}[$stack]) {
				my $function = $s->{frameTable}{func}[$stacks->{frame}[$stack]];

				unshift @names, $s->{stringArray}[$s->{funcTable}{name}[$function]];
			}
			add_stack(\%sums, $unit eq 'periods' ? $weight / $period_ns : $weight, @names);
		}
	}
	return \%sums;
};

1;
