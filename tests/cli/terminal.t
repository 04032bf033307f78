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
# At this rate each deadline is missed, with a message each time: more than the recorder, a pipe or a terminal keeps.
my $rounds = 3000;
my @hasty = ('-M', '-F', '1M', '-n', $rounds);
my @children;
alarm 3000; # nothing hangs
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

# The exit status.
sub ended {
	my ($pid) = @_;
	waitpid($pid, 0);
	@children = grep { $_ != $pid } @children;
	return $? & 127 ? "signal $?" : $? >> 8;
}

sub until_true {
	my ($what) = @_;
	for (my $until = time + 60; time < $until; sleep 0.05) { return 1 if $what->() }
	return 0;
}

# The trace is whole, and has all samples of both vCPUs; at this rate some may be counted as lost.
sub is_whole {
	my ($trace, $name) = @_;
	my ($samples, $lost) = (0, 0);
	for (`$report -q --dump $trace`) {
		$samples++ if / sample domain /;
		$lost += $1 if / lost domain \d+ count (\d+)/;
	}
	ok(system("$report -q --verify $trace > verified 2>&1") == 0 && $samples + $lost == 2 * $rounds, $name) or
		diag "$samples samples, $lost lost", `cat verified`;
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
fcntl $unread, 1031, 4096 or die; # F_SETPIPE_SZ
my $pid = start($unread, @hasty, qw(-o pipe.upf busy));
is(ended($pid), 0, '-M into a pipe that nobody reads: the recorder ends');
is_whole('pipe.upf', '... with all samples');
sysread $unread, my $text, 1 << 20;
ok($text =~ /\Auniprof-record: \d+ deadlines? missed/ && $text !~ /^(?!uniprof-record: )/m, '... and what came is whole lines') or
	diag substr($text, 0, 300), ' ... ', substr($text, -300);

# --- a terminal that is stopped, as by Ctrl-S --------------------------------------------------------------------------

SKIP: {
	my ($master, $slave) = terminal() or skip 'no terminal can be made here', 7;
	POSIX::tcflow(fileno $slave, TCOOFF) or die;
	$pid = start($slave, @hasty, qw(-o terminal.upf busy));
	is(ended($pid), 0, 'on a terminal that is stopped the recorder ends');
	is_whole('terminal.upf', '... with all samples');
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
	shows($master, qr/come back\r\n.*samples /s); # the next status line
	open $alive, '>', 'alive';
	ok(shows($master, qr/\r\x1b\[Kuniprof-record: idle is back as domain 2\r\n/), '... or back') or diag $shown;
	kill INT => $pid;
	is(ended($pid), 0, '... and Ctrl-C ends the recording');
	ok(shows($master, qr/\r\x1b\[Ksamples /), '... with a summary in its place') or diag $shown;
}

done_testing();
