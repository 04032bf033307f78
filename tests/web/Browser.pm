# SPDX-License-Identifier: BSD-2-Clause
package Browser;

# Browser.pm - a headless Chromium for tests, driven through chromedriver by the WebDriver protocol
# (https://www.w3.org/TR/webdriver2/). Core Perl only. Every method dies with one line that says what went wrong.
#
#	my $browser = Browser->new(width => 1200, height => 800);
#	$browser->open_file('page.html');
#	$browser->click('#reset');
#	is($browser->script('return document.title'), '...');
#	is_deeply([$browser->complaints], []);
#
# Elements are named by CSS selectors. The browser, its driver and its profile are gone when the object is, or the test,
# whatever ended it: a keeper waits for that.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Path qw(remove_tree);
use File::Temp ();
use HTTP::Tiny;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use POSIX ();
use Time::HiRes qw(sleep time);

my $START = 60;     # seconds for the driver to start, on a busy machine
my $ANSWER = 30;    # seconds for any request
my $ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'; # the protocol's key of a reference to an element
my %KEYS = (Escape => "\x{e00c}", Enter => "\x{e007}", Tab => "\x{e004}", Backspace => "\x{e003}", Home => "\x{e011}",
	End => "\x{e010}", Left => "\x{e012}", Up => "\x{e013}", Right => "\x{e014}", Down => "\x{e015}", Shift => "\x{e008}",
	Control => "\x{e009}");

# --- starting and ending ----------------------------------------------------------------------------------------------

# width, height: of the page, in pixels; arguments: more of them for Chromium.
sub new {
	my ($class, %with) = @_;
	my $self = bless {profile => File::Temp->newdir, http => HTTP::Tiny->new(timeout => $ANSWER), owner => $$}, $class;

	$self->_start_keeper;
	$self->_wait_for_driver;
	$self->_start_browser(@{$with{arguments} || []});
	$self->resize($with{width} || 1200, $with{height} || 800);
	return $self;
}

# The keeper leads a session of processes of its own, which the driver and the browser's are in. Its pipe closes when the
# test ends, by a signal as well.
sub _start_keeper {
	my ($self) = @_;

	pipe my $ended, $self->{running} or die "Browser: pipe: $!\n";
	$self->{keeper} = fork // die "Browser: fork: $!\n";
	return if $self->{keeper} != 0;
	eval {
		close $self->{running};
		_keep("$self->{profile}", $ended);
	};
	POSIX::_exit(0);
}

sub _keep {
	my ($profile, $ended) = @_;
	my $log = "$profile/driver.log";

	POSIX::setsid();
	open STDIN, '<', '/dev/null' and open STDOUT, '>', $log and open STDERR, '>&', \*STDOUT or return;
	my $driver = fork // return;
	if ($driver == 0) {
		exec 'chromedriver', '--port=0' or print STDERR "cannot be run: $!\n";
		POSIX::_exit(127);
	}
	sysread $ended, my $nothing, 1;
	while (my @left = grep { $_ != $$ } processes($$)) {
		kill KILL => @left;
		sleep 0.02;
	}
	remove_tree($profile);
}

# What runs in the keeper's session.
sub processes {
	my ($keeper) = @_;
	my @found;

	for my $stat (glob '/proc/[0-9]*/stat') {
		my ($pid, $state, $session) = (_try_read($stat) // '') =~ /^(\d+) \(.*\) (\S) \S+ \S+ (\S+)/s or next;

		push @found, $pid if $session == $keeper && $state ne 'Z';
	}
	return @found;
}

# The driver finds a free port itself, and says which.
sub _wait_for_driver {
	my ($self) = @_;
	my $until = time + $START;
	my $said = '';

	while (time < $until) {
		$said = _try_read("$self->{profile}/driver.log") // '';
		return $self->{at} = "http://127.0.0.1:$1" if $said =~ /started successfully on port (\d+)/;
		last if $said =~ /cannot be run/;
		sleep 0.05;
	}
	die "Browser: chromedriver does not start (packages chromium, chromium-driver: make deps) $said\n";
}

sub _start_browser {
	my ($self, @arguments) = @_;
	my @common = ('--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
		'--force-color-profile=srgb', '--no-first-run', "--user-data-dir=$self->{profile}/chromium");

	push @common, '--no-sandbox' if $> == 0; # Chromium's own refuses to be root's
	my $session = $self->_post('/session', {capabilities => {alwaysMatch => {
		browserName => 'chrome',
		timeouts => {pageLoad => 1000 * ($ANSWER - 5), script => 1000 * ($ANSWER - 5)},
		'goog:chromeOptions' => {args => [@common, @arguments]},
		'goog:loggingPrefs' => {browser => 'ALL'},
	}}});
	$self->{session} = "/session/$session->{sessionId}";
}

sub DESTROY {
	my ($self) = @_;
	local ($?, $@, $!);

	return if $$ != $self->{owner} || !$self->{keeper};
	close $self->{running};
	waitpid $self->{keeper}, 0;
}

# --- pages ------------------------------------------------------------------------------------------------------------

sub open_url {
	my ($self, $url) = @_;

	$self->_post("$self->{session}/url", {url => $url});
}

# @fragment: what follows the '#', or nothing.
sub open_file {
	my ($self, $path, $fragment) = @_;
	my $real = abs_path($path) // die "Browser: $path: $!\n";

	$real =~ s{([^A-Za-z0-9/._-])}{sprintf '%%%02X', ord $1}ge;
	$self->open_url("file://$real" . (defined $fragment ? "#$fragment" : ''));
}

sub url { $_[0]->_get("$_[0]{session}/url") }
sub reload { $_[0]->_post("$_[0]{session}/refresh", {}) }
sub back { $_[0]->_post("$_[0]{session}/back", {}) }
sub forward { $_[0]->_post("$_[0]{session}/forward", {}) }

# The page's own size, in pixels.
sub resize {
	my ($self, $width, $height) = @_;

	$self->_devtools('Emulation.setDeviceMetricsOverride', width => $width + 0, height => $height + 0, deviceScaleFactor => 1,
		mobile => JSON::PP::false);
}

# What the system prefers: 'light' or 'dark'.
sub colour_scheme {
	my ($self, $scheme) = @_;

	$self->_devtools('Emulation.setEmulatedMedia', features => [{name => 'prefers-color-scheme', value => $scheme}]);
}

# --- looking ----------------------------------------------------------------------------------------------------------

# Runs the body of a function, with @arguments as arguments[0] and so on: what it returns; of a promise, what that gives.
sub script {
	my ($self, $body, @arguments) = @_;

	return $self->_post("$self->{session}/execute/sync", {script => $body, args => \@arguments});
}

# Until the JavaScript @expression is true, for @seconds at most: its value.
sub wait_for {
	my ($self, $expression, $seconds) = @_;
	my $until = time + ($seconds // 10);
	my $value;

	until ($value = $self->script("return $expression")) {
		die "Browser: not so in time: $expression\n" if time > $until;
		sleep 0.02;
	}
	return $value;
}

sub text { $_[0]->_get("$_[0]{session}/element/" . $_[0]->_find($_[1]) . '/text') }

# What the page's console holds from warnings up, errors of scripts and of the content security policy among them; each is
# told once.
sub complaints {
	my ($self) = @_;
	my $log = $self->_post("$self->{session}/se/log", {type => 'browser'});

	return map { "$_->{level}: $_->{message}" } grep { $_->{level} =~ /WARNING|SEVERE/ } @$log;
}

# As a PNG.
sub screenshot {
	my ($self, $path) = @_;

	open my $out, '>:raw', $path or die "Browser: $path: $!\n";
	print $out decode_base64($self->_get("$self->{session}/screenshot"));
	close $out or die "Browser: $path: $!\n";
}

# --- doing ------------------------------------------------------------------------------------------------------------

sub click { $_[0]->_post("$_[0]{session}/element/" . $_[0]->_find($_[1]) . '/click', {}) }

# Types into the element; into a file chooser: the file's path.
sub type {
	my ($self, $css, $text) = @_;

	$self->_post("$self->{session}/element/" . $self->_find($css) . '/value', {text => $text});
}

# Presses keys wherever the focus is: characters, or names as 'Escape', 'Left'; 'Shift+Tab' holds one.
sub keys {
	my ($self, @keys) = @_;
	my @actions;

	for my $key (@keys) {
		my @held = map { $KEYS{$_} // $_ } $key eq '+' ? $key : split /\+/, $key;

		push @actions, map { {type => 'keyDown', value => $_} } @held;
		push @actions, map { {type => 'keyUp', value => $_} } reverse @held;
	}
	$self->_act({type => 'key', id => 'keyboard', actions => \@actions});
}

# The mouse, in pixels of the page.
sub move_to { $_[0]->_mouse(_at($_[1], $_[2])) }
sub click_at { $_[0]->_mouse(_at($_[1], $_[2]), _button('Down'), _button('Up')) }

sub drag {
	my ($self, $x0, $y0, $x1, $y1) = @_;

	$self->_mouse(_at($x0, $y0), _button('Down'), _at(($x0 + $x1) / 2, ($y0 + $y1) / 2), _at($x1, $y1), _button('Up'));
}

# --- the protocol -----------------------------------------------------------------------------------------------------

sub _at { {type => 'pointerMove', duration => 0, x => int $_[0], y => int $_[1]} }
sub _button { {type => "pointer$_[0]", button => 0} }

sub _mouse {
	my ($self, @actions) = @_;

	$self->_act({type => 'pointer', id => 'mouse', parameters => {pointerType => 'mouse'}, actions => \@actions});
}

sub _act { $_[0]->_post("$_[0]{session}/actions", {actions => [$_[1]]}) }

sub _devtools {
	my ($self, $command, %parameters) = @_;

	return $self->_post("$self->{session}/goog/cdp/execute", {cmd => $command, params => \%parameters});
}

sub _find {
	my ($self, $css) = @_;

	return $self->_post("$self->{session}/element", {using => 'css selector', value => $css})->{$ELEMENT};
}

sub _get { $_[0]->_request('GET', $_[1]) }
sub _post { $_[0]->_request('POST', $_[1], $_[2]) }

sub _request {
	my ($self, $method, $path, $body) = @_;
	my %options = defined $body ? (headers => {'content-type' => 'application/json'},
		content => JSON::PP->new->utf8->encode($body)) : ();
	my $answer = $self->{http}->request($method, $self->{at} . $path, \%options);
	my $value = eval { JSON::PP->new->utf8->decode($answer->{content})->{value} };

	return $value if $answer->{success};
	my $why = ref $value eq 'HASH' ? "$value->{error}: $value->{message}" : $answer->{content};
	die 'Browser: ' . ($why =~ /^([^\n]*)/)[0] . "\n";
}

sub _try_read {
	my ($path) = @_;

	open my $in, '<:raw', $path or return;
	local $/;
	return scalar <$in>;
}

1;
