#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Files for other programs, each read by the program it is for, and its figures equal to the flat profile's:
# pprof by go tool pprof, Firefox Profiler's by its profiler-cli, callgrind's by callgrind_annotate; perf-script's text by
# the grammar in uniprof-report(1). tests/web/export.test.mjs has speedscope's page. Formats.pm decodes the others.
use strict;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Formats;
use Test::More;

my $readers = "$build/readers";

if (system("$here/../readers/fetch", $readers) != 0) {
	plan skip_all => 'no network to get the readers by' if $? >> 8 == 3;
	fail('the readers are there');
	done_testing;
	exit 1;
}
$ENV{HOME} = "$dir"; # readers keep things there

# --- the yardstick ----------------------------------------------------------------------------------------------------

# {function => [self, total]} of what the flat profile shows, the yardstick for all formats. Where domains are told apart they
# stand in it as functions, which formats have in ways of their own.
sub flat {
	my (@arguments) = @_;
	my %flat;

	for (split /\n/, report('--flat', @arguments)) {
		my ($self, $total, $name) = /^ *[\d.]+% +([\d,]+) +[\d.]+% +([\d,]+)  (.*)$/ or next;
		$flat{$name} = [map { tr/,//dr } $self, $total];
	}
	return \%flat;
}

sub total { my ($flat) = @_; my $n = 0; $n += $_->[0] for values %$flat; return $n }

# --- perf-script ------------------------------------------------------------------------------------------------------

# As stackcollapse-perf.pl does it, but for the frames without a name.
sub collapsed {
	my (@arguments) = @_;
	my %stacks;

	$stacks{join ';', map { tr/;/:/r } reverse @{$_->{frames}}}++ for perf_samples(report('--perf-script', @arguments));
	return join '', map { "$_ $stacks{$_}\n" } sort keys %stacks;
}

sub folded { join '', sort { ($a =~ /^(.*) /)[0] cmp ($b =~ /^(.*) /)[0] } map { "$_\n" } split /\n/, report('--folded', @_) }

# --- pprof ------------------------------------------------------------------------------------------------------------

sub pprof {
	my ($file, @options) = @_;

	return output_of('sh', '-c', '"$0" "$@" 2>pprof.log', "$readers/pprof", @options, $file);
}

sub from_pprof {
	my (@arguments) = @_;
	my %flat;

	report('--pprof', '-o', 'run.pb.gz', @arguments);
	for (split /\n/, pprof('run.pb.gz', '-top', '-nodecount=1000000', '-nodefraction=0', '-edgefraction=0')) {
		my ($self, $total, $name) = /^ +(\d+) +\S+ +\S+ +(\d+) +\S+  (.*)$/ or next;
		$flat{$name =~ s/ \(inline\)$//r} = [$self, $total];
	}
	return \%flat;
}

# --- callgrind --------------------------------------------------------------------------------------------------------

# Run elsewhere: it cuts its own folder off some paths, and would take a file for two. Recursive calls are another function.
sub annotate {
	my ($inclusive) = @_;
	my @objects = contents('out') =~ /^ob=\(\d+\) (.*)$/mg;
	my $suffix = join '|', map { quotemeta " [$_]" } @objects;
	my %cost;

	for (split /\n/, output_of('sh', '-c', 'cd / && callgrind_annotate "$@"', 'sh', "--inclusive=$inclusive", '--threshold=100',
	                           '--auto=no', '--show=Samples', "$dir/out")) {
		my ($n, $name) = /^ *([\d,]+) \([ .\d]+%\)  [^:]*:(.*?)(?:$suffix)?$/ or next;
		$cost{$name} += $n =~ tr/,//dr;
	}
	return \%cost;
}

sub from_callgrind {
	my (@arguments) = @_;

	report('--callgrind', '-o', 'out', @arguments);
	my ($self, $total) = (annotate('no'), annotate('yes'));
	$self->{s/'2$//r} += $self->{$_} for grep { /'2$/ } keys %$self;
	return {map { $_ => [$self->{$_} // 0, $total->{$_}] } grep { !/'2$/ } keys %$total};
}

# --- all formats hold the same figures --------------------------------------------------------------------------------

@from{qw(pprof callgrind)} = (\&from_pprof, \&from_callgrind);

# Whole numbers, so that shares of a period can be compared.
sub rounded { my ($flat) = @_; return {map { $_ => [map { sprintf '%.0f', $_ } @{$flat->{$_}}] } keys %$flat} }

# Addresses without a name are one function of the flat profile. Total is no sum: one stack may have several of them.
sub nameless_merged {
	my ($flat, $unknown) = @_;
	my @nameless = grep { /^0x/ } keys %$flat;
	my $self = 0;

	$self += $_->[0] for delete @$flat{@nameless};
	$flat->{'[unknown]'} = [$self, $unknown->[1]] if @nameless;
	return $flat;
}

# @domains: what the flat profile has for functions, for it tells several domains apart.
sub same_figures {
	my ($what, $domains, @arguments) = @_;
	my $want = flat(@arguments);

	learn_units(@arguments);
	for my $format (sort keys %from) {
		my %want = %$want;
		my $got = nameless_merged(rounded($from{$format}->(@arguments)), $want{'[unknown]'});

		delete @want{@$domains} if $format !~ /^(?:csv|callgrind)$/;
		delete @$got{grep { !exists $want{$_} } keys %$got} if $format eq 'callgrind'; # it has domains always
		is_deeply($got, \%want, "$format: $what") or diag(explain($got));
	}
	return $want;
}

my $syms = "$here/report.syms";
my $web = "$here/../web/web.syms";

for my $kind (qw(small killed idle empty domains later elsewhere linux web)) {
	trace("$kind.upf", $kind);
}
is(total(same_figures('one domain', [], '-s', $syms, 'small.upf')), 15, 'and all of them');
same_figures('two domains', ['web1', 'db\x1b[31m'], '-s', $syms, 'domains.upf');
same_figures('kernel, modules, user mode, no stack', [], '-s', "$here/kallsyms", 'linux.upf');
same_figures('a minute', [], '-s', $web, 'web.upf');
same_figures('a filter', [], '-s', $web, '--focus', 'tls', '--hide', 'mbedtls', '--time', '31,39', 'web.upf');
same_figures('all states', [], '-s', $syms, '--state', 'all', 'small.upf');
is(collapsed('-s', $_->[0], $_->[1]), folded('-s', $_->[0], $_->[1]), "perf-script: $_->[1] collapsed is as --folded has it")
	for [$syms, 'small.upf'], ["$here/kallsyms", 'linux.upf'], [$web, 'web.upf'];

for ([$syms, 'small.upf'], ["$here/kallsyms", 'linux.upf'], [$web, 'web.upf']) {
	my ($sum, @lines) = (0, split /\n/, report('--folded', '-s', @$_));

	$sum += /^[^;]+(?:;[^;]+)* (\d+)$/ ? $1 : die "no folded stack: $_\n" for @lines;
	is($sum, total(flat('-s', @$_)), "folded: every line of $_->[1] is a stack");
}

# --- names that want to be more than names ----------------------------------------------------------------------------

# The assembler takes any name but not any byte: those are put in afterwards.
sub hostile_image {
	my @names = ('<script>alert(1)</script>', q(a"b'c,d=e), 'line@fn=(1) x^1 2 3', 'bad~utf8`[31m', 'semi;colon (paren) 12');
	my $source = ".text\n.globl _start\n_start: nop\n";
	my $at = 0;

	for (@names) {
		my $quoted = s/"/\\"/gr;

		$source .= qq(.type "$quoted",\@function\n"$quoted": .skip 16\n.size "$quoted",16\n);
	}
	write_file('hostile.s', $source);
	system('as -o hostile.o hostile.s && ld -Ttext=0x401000 -o plain.elf hostile.o') == 0 or BAIL_OUT('as, ld');
	my $image = contents('plain.elf');
	$image =~ s/line\@fn=\(1\) x\^/line\nfn=(1) x\r/ and $image =~ s/bad~utf8`/bad\xffutf8\e/ or BAIL_OUT('no such names');
	write_file('hostile.elf', $image);
}

hostile_image();
trace('hostile.upf', 'hostile', "0 0 3 401011 401005\n0 1 2 401025 401005\n1 0 4 401035 401015\n1 0 1 401045 401035\n");
my @hostile = ('--force', '-s', 'hostile.elf', 'hostile.upf');
my $domain = 'a;b \xff\x0a7/7 [000] 1.0: 1 x:\x0a"c" (d)';
my $named = same_figures('hostile names', ['<script>alert(1)</script>', $domain], @hostile[0 .. 2], '--domain', '7', 'hostile.upf');
delete $named->{$domain};
is_deeply([sort keys %$named], [q(a"b'c,d=e), 'bad\xffutf8\x1b[31m', 'semi;colon (paren) 12'], 'hostile names are as on a terminal');
is(total($from{'perf-script'}->(@hostile)), 10, 'perf-script: hostile domains and images break no line of the grammar');
like(annotate('no') && contents('out'), qr/^(?!.*\e)(?!.*[\xff\r])/s, 'callgrind: no control characters');
for my $format (qw(perf-script callgrind csv json speedscope)) {
	my $text = report("--$format", @hostile);

	ok(utf8::decode(my $copy = $text) && $text !~ /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/, "$format: UTF-8, no control characters");
}
unlike(report('--json', @hostile), qr/[<>&]/, 'json: fits into a page');
from_pprof(@hostile);
my $raw = pprof('run.pb.gz', '-raw');
like($raw, qr{\Q/tmp/my guest (old);"x",\x0a1 2 3\x0afn=(9) y.elf}, 'pprof: a hostile path');
like($raw, qr{domain:\[<script>alert\(1\)</script>\]}, 'pprof: a hostile domain');

# --- what each format says beside ---------------------------------------------------------------------------------------

report('--pprof', '-o', 'web.pb.gz', '-s', $web, 'web.upf');
my $top = pprof('web.pb.gz', '-top', '-sample_index=cpu');
like($top, qr/^File: web\.elf$/m, 'pprof: the image');
like($top, qr/^Build ID: c0ffee$/m, 'its build-id');
like($top, qr/Duration: 60s, Total samples = 119\.99s/, 'nanoseconds');
like(pprof('web.pb.gz', '-tags'), qr/domain: Total 4613.*state: Total 4613.*vcpu: Total 4613/s, 'labels domain, state and vCPU');
like(pprof('web.pb.gz', '-top', '-tagfocus=vcpu=1'), qr/Showing nodes accounting for 2139,/, 'a label chosen');
like(pprof('web.pb.gz', '-comments'), qr/^command: uniprof-record -F 99\.5.*samples lost: 3$/ms, 'comments: command, lost samples');
report('--pprof', '--weight', 'cpu', '-o', 'cpu.pb.gz', '-s', $web, 'web.upf');
like(pprof('cpu.pb.gz', '-top'), qr/^Type: cpu$/m, '--weight cpu is shown first');

sub profiler {
	local $ENV{PROFILER_CLI_SESSION_DIR} = "$dir/session";
	my @command = ('timeout', '60', 'node', "$readers/node_modules/\@firefox-devtools/profiler-cli/dist/profiler-cli.js", @_);

	system('sh', '-c', 'exec "$0" "$@" >said 2>&1 </dev/null', @command); # its server would keep a pipe open
	return contents('said');
}

# It gives its server half a second to come up, which a busy machine may not have.
sub open_in_profiler {
	my ($file) = @_;
	my $said;

	for (1 .. 10) {
		$said = profiler('load', $file);
		return if $said !~ /^Error: .*did not become ready/;
		kill KILL => $1 if $said =~ /"kill (\d+)"/;
	}
	diag($said);
}

report('--firefox', '-o', 'web.json.gz', '-s', $web, 'web.upf');
open_in_profiler("$dir/web.json.gz");
my $threads = profiler('thread', 'list');
like($threads, qr/vCPU 0\s+web1\s+3\s+\S+\s+1\b/, 'firefox: a thread of the domain, its marker');
like($threads, qr/vCPU 1\s+web1\s+3\s+\S+\s+0\b/, 'and the other');
like(profiler('thread', 'functions'), qr/mbedtls_mpi_mul_mpi/, 'functions');
like(profiler('thread', 'markers'), qr/Lost/, 'lost samples are markers');
profiler('stop', '--all');

# What the viewer shows is from meta's start to its end; both, and all times, count from startTime.
sub firefox_times {
	my (@arguments) = @_;

	my $json = decode(ungzip(output_of('sh', '-c', '"$0" -q --firefox "$@" 2>said; true', $report, @arguments)));
	my @times = sort { $a <=> $b } map { @{$_->{samples}{time}}, @{$_->{markers}{startTime}} } @{$json->{threads}};

	return ($json->{meta}, [@times[0, -1]], {map { ("$_->{processName} $_->{tid}" => $_) } @{$json->{threads}}});
}
my %shown;
my ($meta, $times, $of) = firefox_times('--time', '31,39', 'web.upf');
is_deeply([@$meta{qw(profilingStartTime profilingEndTime)}], [31000, 39000], 'firefox: a range begins and ends where it does');
ok($times->[0] >= 31000 && $times->[1] < 39000, 'and its samples are in there');
is($meta->{startTime}, 1700000000123.456, 'by the wall clock');
($meta, $times, $of) = firefox_times('killed.upf');
ok($meta->{profilingEndTime} >= $times->[1] && $times->[1] > 0, 'firefox: the end of a trace without a footer');
($meta, $times, $of) = firefox_times('small.upf', 'elsewhere.upf');
is_deeply([$meta->{profilingStartTime}, $meta->{profilingEndTime}, map { $_ < $meta->{profilingEndTime} } @$times], [0, 60050, 1, 1],
	'firefox: two traces, with what is between them');
is_deeply([map { "$_ $of->{$_}{registerTime}" } sort keys %$of],
	['mail 4194305/0 60000', 'news 7/0 60000', 'web1 3/0 0'], 'guests of two hosts with one number are two processes');
is_deeply([sort map { "$_->{domain} $_->{domid}" } grep { !$shown{$_->{domain}}++ } perf_samples(report('--perf-script', 'small.upf', 'elsewhere.upf'))],
	['mail 4194305', 'news 7', 'web1 3'], 'for perf-script, too');
my $speedscope = decode(report('--speedscope', 'small.upf', 'elsewhere.upf'));
is($speedscope->{profiles}[0]{endValue}, 60.05e9, 'speedscope: all time of two traces');
like(do { report('--pprof', '--time', '31,39', '-o', 'run.pb.gz', 'web.upf'); pprof('run.pb.gz', '-raw') },
	qr/^Time: 2023-11-14 22:13:51/m, 'pprof: a range begins when it does');

my ($first, @more) = perf_samples(report('--perf-script', '-s', $web, '--weight', 'cpu', 'web.upf'));
is("@$first{'domain', 'vcpu', 'domid', 'period', 'image'}", 'web1 0 3 10000000 /boot/web.elf', 'perf-script: whose, how much, of what');
is($first->{us}, 5000000, 'and when, by the host\'s clock');
is(scalar(grep { $_->{us} % 10000 } @more), 0, 'to the microsecond');

my $json = decode(output_of('sh', '-c', '"$0" -q --json small.upf later.upf killed.upf 2>said; true', $report));
is_deeply([map { [@$_{qw(file start whole)}, exists $_->{faults} ? 1 : 0] } @{$json->{traces}}],
	[['small.upf', '2023-11-14T22:13:20.123456Z', JSON::PP::true, 0], ['killed.upf', '2023-11-14T22:13:20.123456Z', JSON::PP::false, 1],
	['later.upf', '2023-11-14T22:13:21.123456Z', JSON::PP::true, 0]], 'json: each trace by its name, and which is not whole');
ok($json->{traces}[1]{overlapping} > 0 && $json->{traces}[2]{overlapping} == 0, 'and which tells of time that another has');
$json = decode(report('--json', '-s', $syms, 'small.upf'));
is("@$json{'format', 'version'}", 'uniprof-report 1', 'json: its format and version');
is($json->{totals}{lost}{total}, 5, 'lost samples');
ok($json->{trace}{whole}, 'a whole trace');
$json = decode(output_of('sh', '-c', '"$0" -q --json killed.upf 2>said; true', $report));
ok(!$json->{trace}{whole} && $json->{trace}{faults}, 'and one that is not, and why');

$json = decode(report('--json', '-s', $syms, '--weight', 'cpu', '--state', 'all', 'small.upf'));
my %unweighed = map { $_->{name} => 1 } map { $json->{functions}[$json->{frames}[$_]{function}] } map { @{$_->{frames}} }
	grep { $_->{cpu_ns} == 0 } @{$json->{stacks}};
is_deeply([sort keys %unweighed], ['idle'], 'json: stacks that weigh nothing have their own functions');

# All keys of a JSON value.
sub keys_of {
	my ($value) = @_;

	return map { keys_of($_) } @$value if ref $value eq 'ARRAY';
	return ref $value eq 'HASH' ? (keys %$value, map { keys_of($_) } values %$value) : ();
}
my $schema = contents("$here/../../docs/json.md");
my %undocumented = map { $_ => 1 } grep { index($schema, "`$_`") < 0 } keys_of($json);
is_deeply([sort keys %undocumented], [], 'docs/json.md has every key');
like($schema, qr/^`version` is $json->{version}\./m, 'and this version');

my ($head, $line) = split /\r\n/, report('--csv', '--sort', 'vcpu,sym', '--diff', 'small.upf', '-s', $syms, 'domains.upf');
is($head, 'vcpu,function,self,self_percent,total,total_percent,self_error,total_error,old_self,old_self_percent,old_total,old_total_percent,self_change_error,total_change_error', 'csv: keys, --diff');
like($line, qr/^"0","work",3,60\.0000,5,100\.0000,(\d+\.\d{4}),(\d+\.\d{4}),7,46\.6667,12,80\.0000,(\d+\.\d{4}),(\d+\.\d{4})$/, 'and a line');

is(() = report('--csv', '-n', 2, '-s', $syms, 'small.upf') =~ /\n/g, 3, 'headings, and two rows');
is(() = report('--csv', '--percent-limit', '30', '-s', $syms, 'small.upf') =~ /\n/g, 3, 'headings, and what is above --percent-limit');
SKIP: {
	skip 'no Turkish locale can be made here', 1 if system('localedef -c -i tr_TR -f UTF-8 ./tr_TR.UTF-8 2>localedef.err') != 0;
	local @ENV{qw(LOCPATH LC_ALL)} = ("$dir", 'tr_TR.UTF-8');
	like(report('--csv', '--sort', 'image,sym', 'small.upf'), qr/^image,function,self/, 'csv: headings are the same in every locale');
}

# --- inlined functions and source lines -------------------------------------------------------------------------------

trace('in.upf', 'counted', "0 0 6 $at{here} $at{back}\n");
my @in = ('-s', 'in.elf', 'in.upf');
same_figures('inlined functions', ['web1'], @in);
report('--pprof', '-o', 'in.pb.gz', @in);
like(pprof('in.pb.gz', '-raw'), qr/: 0x\w+ M=1 inner \S*in\.c:5 s=0\S*\n\s+outer \S*in\.c:9 s=0\S*\n\s+work \S*in\.c:18 s=0/,
	'pprof: a location has all its inlined functions, with lines');
report('--callgrind', '-o', 'out', @in);
like(contents('out'), qr{^cfi=\((\d+)\) \S*in\.c\n.*^cfn=\((\d+)\) inner\n.*^fl=\(\1\)\nfn=\(\2\)\n5 6 60000000$}ms, 'callgrind: file and line of an inlined function');
like(output_of('sh', '-c', 'cd / && callgrind_annotate --show=Samples "$0/out" "$0/in.c"', $dir), qr/^6 \(100\.0%\)\s+__asm__/m, 'its source, annotated');
report('--firefox', '-o', 'in.json.gz', @in);
$json = decode(ungzip(contents('in.json.gz')));
is_deeply($json->{shared}{frameTable}{inlineDepth}, [0, 0, 1, 2], 'firefox: inline depths');
is_deeply([@{$json->{shared}{frameTable}{line}}[1 .. 3]], [18, 9, 5], 'and lines');
$json = decode(report('--json', @in));
is_deeply([map { "$_->{line}:" . ($_->{inline_depth} // 0) } @{$json->{frames}}[1 .. 3]], ['18:0', '9:1', '5:2'], 'json: both');

# --- compressed output ------------------------------------------------------------------------------------------------

for my $view (qw(folded flat json perf-script callgrind)) {
	report("--$view", '-s', $syms, '-o', 'plain', 'small.upf');
	report("--$view", '-s', $syms, '-o', 'packed.gz', 'small.upf');
	ok(contents('plain') ne '' && ungzip(contents('packed.gz')) eq contents('plain'), "--$view -o FILE.gz is what it is without, compressed");
}
report('--pprof', '-o', 'once.pb.gz', 'small.upf');
report('--pprof', '-o', 'once.pb', 'small.upf');
is(contents('once.pb'), contents('once.pb.gz'), 'pprof is compressed once, whatever its name');
unlike(ungzip(contents('once.pb')), qr/^\x1f\x8b/, 'and not twice');
is(report('--pprof', 'small.upf'), contents('once.pb'), 'the same to a pipe');

# --- a view's end -----------------------------------------------------------------------------------------------------

# Runs it with standard output on a terminal that script(1) makes: what is seen there.
sub on_terminal { output_of('script', '-qec', 'stty cols 200; ' . join(' ', map { "'$_'" } $report, @_) . '; echo "exit status $?"', '/dev/null') }

like(on_terminal('--pprof', 'small.upf'), qr/^uniprof-report: --pprof writes a file for other programs\b[^\n]*-o FILE\.pb\.gz\r?\nexit status 2\r?$/,
	'what is compressed does not go to a terminal');

# A trace that comes slowly, the signal in the middle of it; of interrupts the first one is for whoever sends the trace.
for my $signal (qw(INT TERM)) {
	mkdir 'out.dir';
	pipe my $read, my $write or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		open STDIN, '<&', $read and open STDERR, '>', '/dev/null' and close $write and exec $report, '--perf-script', '-o', 'out.dir/out', '-';
		die;
	}
	syswrite $write, substr(contents('web.upf'), 0, -10);
	for (1 .. 500) {
		last if glob 'out.dir/*';
		select undef, undef, undef, 0.02;
	}
	my $before = () = glob 'out.dir/*';
	for (1 .. 500) {
		kill $signal => $pid;
		last if waitpid($pid, 1) != 0;
		select undef, undef, undef, 0.02;
	}
	is($before . ($? & 127) . (() = glob 'out.dir/*'), 1 . {INT => 2, TERM => 15}->{$signal} . 0, "SIG$signal leaves no file behind");
}

# --- damaged traces ---------------------------------------------------------------------------------------------------

# Every byte changed, one at a time, another format each: an answer that can be read, or none and why.
my ($bytes, @bad) = (contents('small.upf'));
my @formats = sort keys %from;
for my $i (0 .. length($bytes) - 1) {
	my $format = $formats[$i % @formats];

	write_file('broken.upf', substr($bytes, 0, $i) . chr(ord(substr $bytes, $i, 1) ^ 0x5a) . substr($bytes, $i + 1));
	unlink 'broken.out';
	system("'$report' -q --$format -o broken.out broken.upf 2>said");
	my ($signal, $code) = ($? & 127, $? >> 8);
	my $fine = -e 'broken.out' ? $code == 0 || $code == 4 : $code == 3 || $code == 1;

	$fine &&= eval { decode(contents('broken.out')) } if -e 'broken.out' && $format =~ /json|speedscope/;
	push @bad, "$format, byte $i: signal $signal, exit $code" if $signal || !$fine;
}
is_deeply(\@bad, [], 'damage is survived by every format');

# --- traces of any length ---------------------------------------------------------------------------------------------

# Peak resident memory of a view, KiB: getrusage() of the children of a Perl of its own, by whose size it is too much at most.
sub peak {
	my ($format, $trace) = @_;

	return output_of('perl', '-e', <<'END', $report, '-q', "--$format", '-o', '/dev/null', $trace);
my %getrusage = (x86_64 => 98, aarch64 => 165); # asm/unistd.h
my ($machine, $usage) = (qx(uname -m) =~ s/\n//r, "\0" x 144);
system(@ARGV) == 0 && syscall($getrusage{$machine}, -1, $usage) == 0 or die;
print +(unpack 'q5', $usage)[4];
END
}

for my $count (100000, 400000) {
	system("'$mktrace' many $count 100 8 >$count.upf") == 0 or BAIL_OUT('mktrace many');
}
for my $format (qw(perf-script speedscope firefox pprof callgrind json)) {
	my ($some, $more) = map { peak($format, $_) } '100000.upf', '400000.upf';

	cmp_ok($more, '<', $some * 1.25, "$format: four times the samples of the same stacks take no more memory: $more KiB, not $some");
}

for my $format (qw(speedscope firefox)) {
	my $said = output_of('sh', '-c', 'TMPDIR=/nowhere "$0" "$1" -q -o run.out "$2" 2>&1; echo "exit status $?"', $report, "--$format", '100000.upf');

	is($said, "uniprof-report: the temporary file in \$TMPDIR, or /tmp: No such file or directory\nexit status 1\n", "$format: no room for all samples");
	ok(!-e 'run.out', 'and no file');
}

done_testing;
