#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# --svg as a browser reads it: well-formed whatever names hold, without a script, each frame with its figures.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Pages;
use Test::More;

my $browser = Browser->new(width => 1200, height => 800);

sub titles { return @{$browser->script('return [...document.querySelectorAll("g > title")].map(t => t.textContent)')} }

$browser->open_file(page_of('web', '--svg', '-s', "$FindBin::Bin/web.syms"));
is($browser->script('return document.documentElement.nodeName'), 'svg', 'well-formed');
is($browser->script('return document.querySelectorAll("parsererror, script").length'), 0, 'and without a script');
ok((grep { /^all\b.*4,613 samples/s } titles()), 'the root has all samples');
ok((grep { /^tls_handshake\b.*1,079 samples.*23\.4%/s } titles()), 'a frame has its own');
like($browser->script('return document.documentElement.textContent'), qr/3 lost, 2\.2% of stacks broken, 242\.6 ms paused/, 'what it rests on');
for my $symbols ("$FindBin::Bin/hostile.syms") {
	$browser->open_file(page_of('small', '--svg', '-s', $symbols));
	is($browser->script('return document.querySelectorAll("parsererror, script, img").length'), 0, 'hostile names: well-formed, no element came of one');
	ok((grep { index($_, '<script>alert(1)</script>') == 0 } titles()), 'a script for a name is text');
}
is_deeply([$browser->complaints], [], 'nothing ran');
done_testing;
