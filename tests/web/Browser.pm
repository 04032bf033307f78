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
# Elements are named by CSS selectors. The browser, its driver and its profile are gone when the object is.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp ();
use HTTP::Tiny;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use Time::HiRes qw(sleep time);

my $START = 60;     # seconds for the browser to start, on a busy machine
my $ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'; # the protocol's key of a reference to an element
my %KEYS = (Escape => "\x{e00c}", Enter => "\x{e007}", Tab => "\x{e004}", Backspace => "\x{e003}", Home => "\x{e011}",
	End => "\x{e010}", Left => "\x{e012}", Up => "\x{e013}", Right => "\x{e014}", Down => "\x{e015}", Shift => "\x{e008}",
	Control => "\x{e009}");

# --- starting and ending ----------------------------------------------------------------------------------------------

# width, height: of the page, in pixels; arguments: more of them for Chromium.
sub new {
	my ($class, %with) = @_;
	my $self = bless {profile => File::Temp->newdir, http => HTTP::Tiny->new(timeout => $START), owner => $$}, $class;

	$self->_start_driver;
	$self->_start_browser(@{$with{arguments} || []});
	$self->resize($with{width} || 1200, $with{height} || 800);
	return $self;
}

# The driver finds a free port itself, and says which.
sub _start_driver {
	my ($self) = @_;
	my $until = time + $START;
	my $log = "$self->{profile}/driver.log";

	$self->{driver} = fork // die "Browser: fork: $!\n";
	if ($self->{driver} == 0) {
		open STDIN, '<', '/dev/null' and open STDOUT, '>', $log and open STDERR, '>&', \*STDOUT
			and exec 'chromedriver', '--port=0';
		require POSIX;
		POSIX::_exit(127);
	}
	while (time < $until) {
		my $said = -e $log ? _read($log) : '';

		return $self->{at} = "http://127.0.0.1:$1" if $said =~ /started successfully on port (\d+)/;
		if (waitpid($self->{driver}, 1) != 0) {
			delete $self->{driver};
			die "Browser: chromedriver does not start (packages chromium, chromium-driver: make deps) $said\n";
		}
		sleep 0.05;
	}
	die "Browser: chromedriver does not come up in $START s\n";
}

sub _start_browser {
	my ($self, @arguments) = @_;
	my @common = ('--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
		'--force-color-profile=srgb', '--no-first-run', "--user-data-dir=$self->{profile}/chromium");

	push @common, '--no-sandbox' if $> == 0; # Chromium's own refuses to be root's
	my $session = $self->_post('/session', {capabilities => {alwaysMatch => {
		browserName => 'chrome',
		'goog:chromeOptions' => {args => [@common, @arguments]},
		'goog:loggingPrefs' => {browser => 'ALL'},
	}}});
	$self->{session} = "/session/$session->{sessionId}";
}

sub DESTROY {
	my ($self) = @_;
	local ($?, $@, $!);

	return if $$ != $self->{owner};
	eval { $self->_request('DELETE', $self->{session}) } if $self->{session};
	if ($self->{driver}) {
		kill TERM => $self->{driver};
		waitpid $self->{driver}, 0;
	}
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

sub _read {
	my ($path) = @_;

	open my $in, '<:raw', $path or die "Browser: $path: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

1;
