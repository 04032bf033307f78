#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# --flamegraph in a real browser: what a user does, and what hostile names do not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Pages;
use Test::More;

my $browser = Browser->new(width => 1200, height => 800);
my @web = ('--flamegraph', '-s', "$FindBin::Bin/web.syms");
my $page = page_of('web', @web);

sub focus { of_page($browser, 'page.graph.focus.label') }
sub chosen { of_page($browser, 'page.chosen.label') }
sub fragment { ($browser->url =~ /#(.*)/)[0] // '' }
sub shown { my ($x, $y, $width) = spot($browser, $_[0]); return defined $x ? int $width : 0 }


sub click_frame {
	my ($x, $y) = spot($browser, $_[0]) or return fail("no frame $_[0]");

	$browser->click_at($x, $y);
}

# --- the page
$browser->open_file($page);
is($browser->text('h1'), 'web1', 'the domain is the title');
like($browser->text('#figures'), qr/4,613 samples.*60\.0 s recorded.*3 lost.*2\.2% of stacks broken.*242\.6 ms paused/s, 'what was measured');
is(shown('all'), 1168, 'the root is as wide as the page');
cmp_ok(abs(shown('tls_handshake') / 1168 - of_page($browser,
	'page.whole.total[page.profile.name.indexOf(page.profile.names.indexOf("tls_handshake"))] / page.whole.total[0]')), '<', 0.002, 'a frame is as wide as its share');
is_deeply([$browser->complaints], [], 'no complaint, the policy blocks nothing');

# --- zoom, back, reset
click_frame('tls_handshake');
is(focus(), 'tls_handshake', 'a click zooms');
is(shown('tls_handshake'), 1168, 'it fills the width');
is(shown('http_handle_connection'), 1168, 'and so do its callers');
is(shown('lwip_poll'), 0, 'nothing else is there');
like($browser->text('#frame-figures'), qr/^[\d,]+ samples \xb7 \d+\.\d% of all \xb7 \d+\.\d% of its caller/, 'its figures');
my $zoomed = fragment();
click_frame('mbedtls_ecp_mul');
is(focus(), 'mbedtls_ecp_mul', 'deeper');
$browser->back;
is(focus(), 'tls_handshake', 'back');
$browser->back;
is(focus(), 'all', 'back to all');
$browser->forward;
is(focus(), 'tls_handshake', 'forward');
$browser->keys('Backspace');
is(focus(), 'http_handle_connection', 'Backspace zooms out by one');
$browser->click('#reset');
is(focus() . fragment(), 'all', 'reset');
$browser->open_file($page, $zoomed);
$browser->reload;
is(focus(), 'tls_handshake', 'the address brings the zoom back');
$browser->open_file($page, 'zoom=99999.5.-3&view=nonsense&q=%28&time=1-2&theme=x&by=%00');
$browser->reload;
is(focus(), 'all', 'an address of nonsense does no harm');

# --- search
$browser->open_file($page, '');
$browser->reload;
$browser->keys('/');
$browser->type('#search', '^mbedtls_(mpi|ecp)');
like($browser->text('#found'), qr/^(\d+\.\d)% matched, in 3 names$/, 'the matched share');
my ($share) = $browser->text('#found') =~ /^([\d.]+)/;
my $folded = `"$ENV{BUILD}/tests/tools/mktrace" web | "$ENV{BUILD}/uniprof-report" -q --folded -s "$FindBin::Bin/web.syms" -`;
my ($all, $with) = (0, 0);
for (split /\n/, $folded) {
	my ($stack, $n) = /^(.*) (\d+)$/;
	$all += $n;
	$with += $n if $stack =~ /(?:^|;)mbedtls_(?:mpi|ecp)/;
}
is($share, sprintf('%.1f', 100 * $with / $all), 'is that of the folded stacks');
my ($x, $y) = spot($browser, 'mbedtls_ecp_mul');
my ($left, $top) = @{of_page($browser, '[page.graph.canvas.getBoundingClientRect().x, page.graph.canvas.getBoundingClientRect().y]')};
is(pixel($browser, $x + 100 - $left, $y - 6 - $top), '132,48,206', 'what matches is marked');
my ($ox, $oy) = spot($browser, 'lwip_poll');
is(pixel($browser, $ox - $left, $oy - 7 - $top), '232,234,237', 'the rest stands back');
like(fragment(), qr/q=/, 'the address has the search');
is(of_page($browser, 'history.length'), do { $browser->keys('x'); of_page($browser, 'history.length') }, 'letters are no steps in the history');
$browser->script('document.getElementById("search").value = ""');
$browser->type('#search', '(');
like($browser->text('#found'), qr/^not a regular expression: /, 'a wrong expression is said');
is($browser->script('return document.getElementById("search").getAttribute("aria-invalid")'), 'true', 'for screen readers as well');
$browser->keys('Escape');
is($browser->text('#found'), '', 'Esc ends the search');
$browser->keys('/');
$browser->type('#search', 'TLS_hand');
is($browser->text('#found'), 'no match', 'capitals tell cases apart');
$browser->keys('Escape');

# --- the other ways round
$browser->keys('i');
is(of_page($browser, 'page.graph.top(0)'), 0, 'inverted, the root is at the top');
$browser->click('#invert');
cmp_ok(of_page($browser, 'page.graph.top(0)'), '>', 100, 'and at the bottom again');
$browser->click('#bottom-up');
my %leaf;
/([^;]+) (\d+)$/ and $leaf{$1} += $2 for split /\n/, $folded;
my $leaves = of_page($browser, 'page.root.children.map(f => [f.label, f.now])');
is_deeply({map { @$_ } @$leaves}, \%leaf, 'bottom-up: leaves merged');
click_frame('memcpy_erms');
is(of_page($browser, 'page.graph.focus.children.map(f => f.label).join()'), 'ramfs_read', 'their callers below them');
is(of_page($browser, 'page.graph.focus.follow(page.graph.focus.children.map(f => f.key)).now'), $leaf{memcpy_erms}, 'with all of it');
$browser->click('#reset');
$browser->click('#by-vcpu');
is(of_page($browser, 'page.root.children.map(f => f.label).join()'), 'vCPU 0,vCPU 1', 'each vCPU by itself');
is(of_page($browser, 'page.root.children.reduce((a, f) => a + f.now, 0)'), 4613, 'and none is lost');
click_frame('vCPU 1');
is(focus(), 'vCPU 1', 'zoomed into');
my $vcpu = fragment();
$browser->open_file($page, $vcpu);
$browser->reload;
is(focus(), 'vCPU 1', 'the address brings it back');
$browser->click('#reset');

# --- keys, screen readers
$browser->click('#search');
$browser->keys('Tab') for 1 .. 6;
is($browser->script('return document.activeElement.id'), 'help', 'buttons are reached by Tab');
$browser->keys('Enter');
ok($browser->script('return document.getElementById("keys").open'), 'and pressed: the list of keys');
$browser->keys('Escape');
$browser->script('document.getElementById("graph").focus()');
$browser->keys('Up', 'Up', 'Up', 'Up');
is(chosen(), 'http_handle_connection', 'up: the widest frame above');
$browser->keys('Right');
is(chosen(), 'lwip_poll', 'right: the one beside it');
$browser->keys('Down');
is(chosen(), 'nginx_worker', 'down: its caller');
is(focus(), 'all', 'which zooms into nothing');
$browser->keys('Up', 'Enter');
is(focus(), 'http_handle_connection', 'Enter does');
$browser->wait_for('document.querySelectorAll("#items [role=treeitem]").length > 5');
my $active = $browser->wait_for('document.getElementById(document.getElementById("graph").getAttribute("aria-activedescendant"))?.textContent');
like($active, qr/^http_handle_connection: [\d,]+ samples, \d+\.\d% of all, \d+\.\d% of its caller$/, 'screen readers hear the chosen frame');
is($browser->script('return document.querySelector("#items [aria-selected=true]").getAttribute("aria-level")'), 5, 'and its level');
$browser->keys('Escape');
is(focus(), 'all', 'Esc ends the zoom');

# --- tooltip, copying
($x, $y) = spot($browser, 'caml_gc_slice');
$browser->move_to($x, $y);
like($browser->text('#tip'), qr/^caml_gc_slice\n[\d,]+ samples\n\d+\.\d% of all\n\d+\.\d% of its caller$/, 'a tooltip');
click_frame('caml_gc_slice');
$browser->script('navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }');
$browser->keys('c');
is(of_page($browser, 'window.copied'), 'caml_gc_slice', 'copies the name');

# --- colours, widths
sub paper { $browser->script('return getComputedStyle(document.body).backgroundColor') }
$browser->click('#reset');
is(paper(), 'rgb(255, 255, 255)', 'light');
$browser->colour_scheme('dark');
is(paper(), 'rgb(20, 23, 27)', 'dark where the system is');
spot($browser, 'all');
is(pixel($browser, 1, 1), '20,23,27', 'the graph, too');
$browser->click('#theme');
is(paper(), 'rgb(255, 255, 255)', 'light where it was asked for');
like(fragment(), qr/theme=light/, 'and kept');
$browser->colour_scheme('light');
$browser->resize(360, 640);
$browser->open_file($page, '');
$browser->reload;
is(of_page($browser, 'document.documentElement.scrollWidth'), 360, 'a narrow window has all of it');
cmp_ok(shown('all'), '>=', 340, 'the graph as well');
$browser->resize(1200, 800);
is_deeply([$browser->complaints], [], 'no complaint in all this');

# --- what it rests on
my $said = page_of('small', '--flamegraph', '-s', "$FindBin::Bin/../cli/report.syms");
$browser->open_file($said);
$browser->click('summary');
like($browser->text('#facts'), qr/0102030405060708090a0b0c0d0e0f10.*dom0.*12345678-9abc-def0-0102-030405060708/s, 'the trace is identified');

# --- hostile names
$browser->open_file(page_of('small', '--flamegraph', '-s', "$FindBin::Bin/hostile.syms"));
is(shown('all'), 1168, 'a page of hostile names is drawn');
click_frame('<script>alert(1)</script>');
is($browser->text('#frame-name'), '<script>alert(1)</script>', 'a script for a name is text');
ok(shown(q{a"quote'&amp;{{DATA}}\u003c/script>}), 'quotes, entities, escapes and marks are as they were');
ok(!$browser->script('return document.querySelector("img")'), 'no element came of a name');
is($browser->script('return document.scripts.length'), 6, 'no script but ours');
my ($hx, $hy) = spot($browser, '<script>alert(1)</script>');
$browser->move_to($hx, $hy);
is($browser->text('#tip b'), '<script>alert(1)</script>', 'in the tooltip as well');
is_deeply([$browser->complaints], [], 'and nothing ran');
$browser->open_file(page_of('domains', '--flamegraph'));
is(of_page($browser, 'page.root.children.map(f => f.label).join()'), 'db\\x1b[31m,web1', 'several domains are roots, escapes shown');
like($browser->script('return document.title'), qr/^web1, db\\x1b\[31m/, 'and the title');

# --- nothing to show
$browser->open_file(page_of('empty', '--flamegraph'));
is($browser->text('#nothing'), 'No samples were counted.', 'an empty trace says so');
is_deeply([$browser->complaints], [], 'without an error');
done_testing;
