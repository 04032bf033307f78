#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# includes.t - who includes whom: rooms by the table below, folders of a large room from the left to the right only,
# and no circle between files. A file and its header are one. And who reads a clock or waits for a time.
use strict;
use warnings;
use File::Basename;
use File::Find;
use File::Path qw(make_path);
use File::Spec;
use File::Temp qw(tempdir);
use Test::More;

alarm 600; # nothing hangs

# --- the tables ------------------------------------------------------------------------------------------------------

# What each room may include beside itself. tests and bench may include everything.
my %rooms = (
	common => [],
	format => [qw(common)],
	guest  => [qw(common)],
	xenif  => [qw(common guest)],
	kvmif  => [qw(common guest)],
	record => [qw(common format guest)],
	report => [qw(common format)],
);

# The folders of the large rooms: each may include itself and what stands behind its line, not its neighbours. All may
# include the header that the room has for others.
my %public = (format => 'format/upf.h');
my %folders = (
	format => [
		[qw(write read)],  # a trace written; a trace read
		[qw(samples)],     # the columns of a samples block: the encoding of each field and its inverse
		[qw(file)],        # what is around the blocks: headers, footer, histogram, texts, identities
		[qw(bytes)],       # integers, bit codes, checksums
	],
	kvmif => [
		[qw(backend)],       # what the recorder calls: a guest attached, stopped or sampled live
		[qw(memory vcpus host)], # where the guest's memory is; one vCPU and its thread; what that did in the host
		[qw(bpf)],           # programs in the kernel, and what loads and asks them
		[qw(process arch)],  # the monitor's process by /proc, and what is permitted; a vCPU's registers, by architecture
	],
	record => [
		[qw(cli)],              # the command line, and messages
		[qw(sampling)],         # a round, a sample
		[qw(watchdog output stack)], # the second process; the trace's files; one vCPU's stack, walked and judged
		[qw(process)],          # priority, locked memory, signals
	],
	report => [
		[qw(cli)],          # the command line, and messages about errors
		[qw(top)],          # a view: a screen that is kept up to date
		[qw(page export)],  # views: pages and pictures; files of other programs
		[qw(view)],         # views: tables and texts; the notes on quality
		[qw(fold)],         # stacks folded, and summed up by function, by line
		[qw(profile)],      # samples loaded, filtered, counted
		[qw(input)],        # what is read: traces, binaries, what of them counts
		[qw(archive)],      # what an archive keeps of binaries
		[qw(unwind)],       # a sample's true callers
		[qw(symbols)],      # names: symbols, demangled; DWARF's functions and lines among them
		[qw(dwarf)],        # functions, inlined functions and lines by DWARF
		[qw(elf)],          # ELF files: opened, unpacked, found by build-id; what they hold at an address
		[qw(isa)],          # instruction sets
		[qw(output)],       # terminal, files, text, JSON
	],
);

# Libraries by their headers: the rooms that may use them.
my @libraries = (
	[qr/^xxhash\.h$/, qw(common format)],
	[qr/^lz4/, qw(format report)],
	[qr/^(xen|libxl|xs\.h)/, qw(xenif record)],
	[qr/^bpf\//, qw(kvmif)],
	[qr/^(curses|ncurses)/, qw(report)],
	[qr/^ini\./, qw(report)],
	[qr/^(elf|gelf|libelf|dwarf|elfutils\/|libdwfl|zlib|lzma|zstd|libiberty|demangle|libunwind|capstone)/, qw(report)],
);
# ELF's constants are the C library's: registers and identities of images need no ELF library.
my %system = map { $_ => 1 } qw(elf.h);

# Programs: two files of one name in one of them would be taken for each other.
my %programs = (
	'uniprof-record' => [qw(common format guest xenif kvmif record)],
	'uniprof-report' => [qw(common format report)],
);

# What reads a clock, waits with a timeout, or ends such a wait: only common/clock.c, whose place a simulated clock
# takes in tests. KVM's part is not simulated. The hash table's seed is no time: it stands in for getrandom(). The pool
# is the report's.
my $clocks = qr/\b(?:clock_(?:gettime|nanosleep)|gettimeofday|time|nanosleep|u?sleep|sigtimedwait|p?select|ppoll|
	epoll_\w+|alarm|setitimer|timer\w*_create|sem_\w+wait|
	pthread_(?:\w*(?:timed|clock)\w*|cond_wait|cond_signal|cond_broadcast|create))\s*\(|
	\bpoll\s*\((?!.*,\s*(?:0|-1)\))/x;
my %may_read_clocks = map { $_ => 1 } qw(common/clock.c common/hash_table.c common/thread_pool.c);

# --- what is included ------------------------------------------------------------------------------------------------

# { file => [[line, '"' or '<', name]...] } of all C files below $root, by their paths there.
sub includes {
	my ($root) = @_;
	my %includes;
	my @rooms = grep { -d "$root/$_" } keys %rooms, qw(tests bench);

	find({no_chdir => 1, wanted => sub {
		return unless /\.[ch]$/ && -f;
		my $path = substr($_, length($root) + 1);
		$includes{$path} = [];
		open(my $in, '<', $_) or die "$_: $!";
		while (<$in>) {
			push @{$includes{$path}}, [$., $1, $2] if /^\s*#\s*include\s*(["<])([^">]+)[">]/;
		}
	}}, map { "$root/$_" } @rooms) if @rooms;
	return \%includes;
}

sub room_of { return (split m{/}, $_[0])[0] }
sub folder_of { my @parts = split m{/}, $_[0]; return @parts > 2 ? $parts[1] : undef }

# --- rules: each returns one line for each breach --------------------------------------------------------------------

sub rooms_broken {
	my ($includes) = @_;
	my @bad;

	for my $file (sort keys %$includes) {
		my $allowed = $rooms{room_of($file)} or next;
		my %may = map { $_ => 1 } room_of($file), @$allowed;

		for (@{$includes->{$file}}) {
			my ($line, $kind, $name) = @$_;
			next if $kind eq '<';
			push @bad, "$file:$line: $name by its path from the top" unless $name =~ m{/};
			push @bad, "$file:$line: $name" if $name =~ m{/} && !$may{room_of($name)};
		}
	}
	return @bad;
}

sub libraries_broken {
	my ($includes) = @_;
	my @bad;

	for my $file (sort keys %$includes) {
		my $room = room_of($file);
		next unless $rooms{$room};
		for (@{$includes->{$file}}) {
			my ($line, $kind, $name) = @$_;
			next if $kind ne '<' || $system{$name};
			for (@libraries) {
				my ($header, @may) = @$_;
				push @bad, "$file:$line: $name" if $name =~ $header && !grep { $_ eq $room } @may;
			}
		}
	}
	return @bad;
}

# { folder => place of its line }
sub places {
	my ($room) = @_;
	my %place;

	for my $i (0 .. $#{$folders{$room}}) {
		$place{$_} = $i for @{$folders{$room}[$i]};
	}
	return \%place;
}

sub folders_broken {
	my ($includes, $room) = @_;
	my $place = places($room);
	my $public = $public{$room} // '';
	my @bad;

	for my $file (sort grep { room_of($_) eq $room && $_ ne $public } keys %$includes) {
		my $from = folder_of($file);
		if (!defined $from || !defined $place->{$from}) {
			push @bad, "$file: in no folder of the table";
			next;
		}
		for (@{$includes->{$file}}) {
			my ($line, undef, $name) = @$_;
			next if room_of($name) ne $room || $name eq $public;
			my $to = folder_of($name) // '';
			next if $to eq $from || (defined $place->{$to} && $place->{$to} > $place->{$from});
			push @bad, "$file:$line: $name";
		}
	}
	return @bad;
}

# Circles between modules, a module being a file and its header: "a -> b -> a".
sub circles {
	my ($includes) = @_;
	my (%to, %state, @circles, @path);

	for my $file (keys %$includes) {
		(my $from = $file) =~ s/\.[ch]$//;
		$to{$from} //= {};
		for (@{$includes->{$file}}) {
			(my $name = $_->[2]) =~ s/\.h$//;
			$to{$from}{$name} = 1 if $name ne $from && $includes->{$_->[2]};
		}
	}
	my $visit;
	$visit = sub {
		my ($at) = @_;
		$state{$at} = 'on the way';
		push @path, $at;
		for my $next (sort keys %{$to{$at}}) {
			if (!$state{$next}) {
				$visit->($next);
			} elsif ($state{$next} eq 'on the way') {
				my ($first) = grep { $path[$_] eq $next } 0 .. $#path;
				push @circles, join(' -> ', @path[$first .. $#path], $next);
			}
		}
		pop @path;
		$state{$at} = 'done';
	};
	$state{$_} || $visit->($_) for sort keys %to;
	return @circles;
}

sub same_names {
	my ($includes, @rooms) = @_;
	my %in = map { $_ => 1 } @rooms;
	my (%of, @bad);

	for my $file (sort grep { $in{room_of($_)} } keys %$includes) {
		(my $module = $file) =~ s/\.[ch]$//;
		my $name = basename($module);
		push @bad, "$of{$name} and $module" if defined $of{$name} && $of{$name} ne $module;
		$of{$name} //= $module;
	}
	return @bad;
}

# { file => text } of the files of these rooms.
sub texts {
	my ($root, @rooms) = @_;
	my %text;

	find({no_chdir => 1, wanted => sub {
		return unless /\.[ch]$/ && -f;
		open(my $in, '<', $_) or die "$_: $!";
		local $/;
		$text{substr($_, length($root) + 1)} = <$in>;
	}}, grep { -d } map { "$root/$_" } @rooms);
	return \%text;
}

sub clocks_read {
	my ($text) = @_;
	my @bad;

	for my $file (sort grep { !$may_read_clocks{$_} } keys %$text) {
		# Without comments and strings.
		(my $code = $text->{$file}) =~ s{(/\*.*?\*/|"(?:\\.|[^"\\])*")}{$1 =~ s/[^\n]//gr}gse;
		my $line = 0;
		for (split /\n/, $code) {
			$line++;
			push @bad, "$file:$line: $1" if /($clocks)/;
		}
	}
	return @bad;
}

# --- do the rules see what they are for? -----------------------------------------------------------------------------

# A tree of the given files, { path => [lines of includes] }.
sub made_up {
	my (%files) = @_;
	my $root = tempdir(CLEANUP => 1);

	for my $path (keys %files) {
		make_path(dirname("$root/$path"));
		open(my $out, '>', "$root/$path") or die "$path: $!";
		print $out "#include $_\n" for @{$files{$path}};
		close($out) or die "$path: $!";
	}
	return includes($root);
}

my $wrong = made_up(
	'common/a.c'          => ['"format/f.h"', '<lz4.h>'],
	'format/f.h'          => ['"f2.h"'],
	'format/upf.h'        => [],
	'format/file/h.h'     => ['"format/upf.h"', '"format/f.h"'],
	'guest/g.c'           => ['"xenif/x.h"', '<elf.h>'],
	'record/output/o.c'   => ['"record/sampling/s.h"', '"record/watchdog/w.h"', '"report/view/v.h"'],
	'record/sampling/s.h' => ['"record/output/o.h"', '<libelf.h>'],
	'record/output/o.h'   => [],
	'record/watchdog/w.h' => ['"record/process/a.h"'],
	'record/process/a.h'  => [],
	'record/other/z.c'    => [],
);
is_deeply([rooms_broken($wrong)],
	['common/a.c:1: format/f.h', 'format/f.h:1: f2.h by its path from the top', 'guest/g.c:1: xenif/x.h',
	 'record/output/o.c:3: report/view/v.h'], 'rooms: breaches are seen');
is_deeply([libraries_broken($wrong)], ['common/a.c:2: lz4.h', 'record/sampling/s.h:2: libelf.h'],
	'libraries: breaches are seen');
is_deeply([folders_broken($wrong, 'record')],
	['record/other/z.c: in no folder of the table', 'record/output/o.c:1: record/sampling/s.h',
	 'record/output/o.c:2: record/watchdog/w.h'], 'folders: breaches are seen, neighbours too');
is_deeply([folders_broken($wrong, 'format')], ['format/f.h: in no folder of the table', 'format/file/h.h:2: format/f.h'],
	'folders: every one may include the public header, and no other file beside the folders');
is_deeply([circles($wrong)], ['record/output/o -> record/sampling/s -> record/output/o'], 'circles are seen');
is_deeply([same_names($wrong, qw(common record))], ['common/a and record/process/a'], 'names used twice are seen');
my %waits = (
	'common/clock.c' => 'nanosleep(&t);',
	'record/a.c'     => "/* sleep(1) */\npoll(&p, 1, 0);\npoll(&p, 1, -1);\npoll(&p, 1, 10);\nclock_sleep(1);\n",
	'record/b.c'     => "x = time(NULL);\npthread_cond_clockwait(&c);\nsession_time(s);\n",
);
is_deeply([clocks_read(\%waits)],
	['record/a.c:4: poll(', 'record/b.c:1: time(', 'record/b.c:2: pthread_cond_clockwait('],
	'clocks: breaches are seen');

# --- the tree --------------------------------------------------------------------------------------------------------

my $top = dirname(dirname(File::Spec->rel2abs($0)));
my $tree = includes($top);

sub none {
	my ($what, @bad) = @_;
	ok(!@bad, $what) or diag(join("\n", @bad));
}

cmp_ok(scalar(keys %$tree), '>', 200, 'the tree is looked at');
none('rooms include what the table allows', rooms_broken($tree));
none('libraries stay in their rooms', libraries_broken($tree));
none("$_: folders include downwards only", folders_broken($tree, $_)) for sort keys %folders;
none('no circle between files', circles($tree));
none("$_: no two files of one name", same_names($tree, @{$programs{$_}})) for sort keys %programs;
none('time is read, and waited for, in common/clock.c alone',
	clocks_read(texts($top, grep { $_ ne 'kvmif' } @{$programs{'uniprof-record'}})));
done_testing();
