#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Standard error while recording: nobody waits for its reader, and messages take the place of the status line.
use strict;
use warnings;
use Fcntl;
use File::Temp qw(tempdir);
use POSIX qw(:sys_wait_h :termios_h);
use Test::More;
use Time::HiRes qw(time sleep);

my $build = $ENV{BUILD} or die "BUILD is set by make check-cli\n";
my ($record, $report) = ("$build/uniprof-record-sim", "$build/uniprof-report");
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
my @children;
END { kill KILL => @children if @children; chdir '/' }

# The two ends of a new terminal.
sub terminal {
	sysopen my $master, '/dev/ptmx', O_RDWR | O_NOCTTY or return;
	my ($unlocked, $number) = (pack('i', 0), pack('i', 0));
	ioctl $master, 0x40045431, $unlocked or return; # TIOCSPTLCK
	ioctl $master, 0x80045430, $number or return;   # TIOCGPTN
	sysopen my $slave, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY or return;
	return ($master, $slave);
}

# Starts a recorder whose standard error is $stderr.
sub start {
	my ($stderr, @arguments) = @_;
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>&', $stderr or die;
		exec $record, @arguments or POSIX::_exit(127);
	}
	push @children, $pid;
	return $pid;
}

# The exit status; undef: it does not end in a minute. A busy machine makes it slow, waiting for a reader makes it endless.
sub ended {
	my ($pid) = @_;
	for (my $until = time + 60; time < $until; sleep 0.05) {
		next if waitpid($pid, WNOHANG) != $pid;
		@children = grep { $_ != $pid } @children;
		return $? & 127 ? "signal $?" : $? >> 8;
	}
	return;
}

sub until_true {
	my ($what) = @_;
	for (my $until = time + 60; time < $until; sleep 0.05) { return 1 if $what->() }
	return 0;
}

# The trace is whole, has samples up to the $last second, and none was lost.
sub is_whole {
	my ($trace, $last, $name) = @_;
	my ($time, $lost) = (0, 0);
	for (`$report -q --dump $trace`) {
		$time = (split)[3] if / sample domain /;
		$lost++ if / lost domain /;
	}
	ok(system("$report -q --verify $trace > verified 2>&1") == 0 && $time > $last && !$lost, $name) or
		diag "last sample at $time, $lost records of lost samples", `cat verified`;
}

sub contents {
	my ($file) = @_;
	open my $in, '<', $file or return '';
	local $/;
	return <$in> // '';
}

# What has come to the terminal so far.
my $shown = '';
sub shows {
	my ($master, $pattern) = @_;
	return until_true(sub {
		my $ready = '';
		vec($ready, fileno $master, 1) = 1;
		sysread $master, $shown, 4096, length $shown while select my $now = $ready, undef, undef, 0.01;
		return $shown =~ $pattern;
	});
}

# --- a pipe that nobody reads ------------------------------------------------------------------------------------------

POSIX::mkfifo('pipe', 0600) or die;
sysopen my $unread, 'pipe', O_RDWR or die;
fcntl $unread, 1031, 4096 or die; # F_SETPIPE_SZ: few messages, of a busy machine, fill it, too
my $pid = start($unread, qw(-M -F 50k -d 3 -o pipe.upf busy));
is(ended($pid), 0, '-M into a pipe that nobody reads: the recorder ends on time');
is_whole('pipe.upf', 2.5, '... with samples to the end, none lost');
sysread $unread, my $text, 1 << 20;
ok($text =~ /\Auniprof-record: \d+ deadlines? missed/ && $text !~ /^(?!uniprof-record: )/m, '... and what came is whole lines') or
	diag substr($text, 0, 300), ' ... ', substr($text, -300);

# --- a terminal that is stopped, as by Ctrl-S --------------------------------------------------------------------------

SKIP: {
	my ($master, $slave) = terminal() or skip 'no terminal can be made here', 7;
	POSIX::tcflow(fileno $slave, TCOOFF) or die;
	$pid = start($slave, qw(-F 1k -d 3 -o terminal.upf busy));
	is(ended($pid), 0, 'on a terminal that is stopped the recorder ends on time');
	is_whole('terminal.upf', 2.5, '... with samples to the end, none lost');
	POSIX::tcflow(fileno $slave, TCOON);

	# --- the status line ---------------------------------------------------------------------------------------------

	($master, $slave) = terminal();
	open my $alive, '>', 'alive';
	$ENV{UNIPROF_SIM_ALIVE} = "$dir/alive";
	$pid = start($slave, qw(-F 100 --follow -o follow.upf idle));
	ok(shows($master, qr/samples  [0-9.]+ Hz/), 'there is a status line');
	unlink 'alive';
	ok(shows($master, qr/\r\x1b\[Kuniprof-record: waiting for idle to come back\r\n/),
		'... whose place a message takes: that the guest is gone') or diag $shown;
	open $alive, '>', 'alive';
	ok(shows($master, qr/\r\x1b\[Kuniprof-record: idle is back as domain 2\r\n/), '... or back') or diag $shown;
	kill INT => $pid;
	is(ended($pid), 0, '... and Ctrl-C ends the recording');
	ok(shows($master, qr/\r\x1b\[Ksamples /), '... with a summary in its place') or diag $shown;
}

done_testing();
